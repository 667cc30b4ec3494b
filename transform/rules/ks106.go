package rules

import (
	_ "embed"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks106.md
var ks106Doc string

var probeHandlers = &transform.Rule{
	ID:       "KS106",
	Name:     "probe-handlers",
	Title:    "A probe has two handlers, or none",
	Doc:      ks106Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime},
	Example:  "unknown/handlers",
	Severity: transform.Error,
	Run:      run(checkHandlers),
}

// checkHandlers reports what Kubernetes says about the Deployment or Knative Service that KServe makes (validateHandler
// in pkg/apis/core/validation/validation.go of k8s.io/kubernetes@v1.34.4).
func checkHandlers(p *pass) {
	s := p.KServe.Service(p.Object)
	if s != nil && s.Mode == kserve.ModelMesh {
		return
	}
	var containers []model.Container
	if s != nil {
		containers = p.KServe.Containers(s)
	}
	for _, c := range containers {
		checkMissingHandler(p, c)
	}
	p.walkSpec(func(at *yamldoc.Trail, node *yamldoc.Node) {
		for _, field := range model.Probes {
			if model.HandlerOf(node.Get(field)) != model.SeveralHandlers {
				continue
			}
			probe := at.Path().With(field)
			byKS104 := slices.ContainsFunc(containers, func(c model.Container) bool {
				return slices.Equal(c.Path.With("readinessProbe"), probe)
			})
			if !byKS104 {
				p.Report(transform.Report{At: probe, Message: "the API server refuses what KServe makes of this " +
					"(may not specify more than 1 handler type): keep one handler"})
			}
		}
	})
}

// checkMissingHandler reports probes of a custom container in Standard mode. One that is merged with a runtime gets the
// handler from there, and Knative adds one.
func checkMissingHandler(p *pass, c model.Container) {
	if c.MergedWithRuntime || c.Service.Mode != kserve.Standard {
		return
	}
	for _, field := range model.Probes {
		if probe := c.Get(field); !probe.IsNull() && model.HandlerOf(probe) == model.NoHandler {
			p.Report(transform.Report{At: c.Path.With(field), Message: "the API server refuses the Deployment that KServe " +
				"makes of this (must specify a handler type): add httpGet, tcpSocket, grpc or exec"})
		}
	}
}
