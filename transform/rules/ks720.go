package rules

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks720.md
var ks720Doc string

var secondGPU = &transform.Rule{
	ID:    "KS720",
	Name:  "second-gpu",
	Title: "A change needs a second GPU for a service that has one",
	Doc:   ks720Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/4618", "https://github.com/kserve/kserve/issues/5452",
	},
	Windows:  []transform.Window{deploymentStrategy},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/image",
	Severity: transform.Advice,
	Changed:  run(checkSecondGPU),
}

// notInPods are the fields of a component that change nothing in its pods in Standard mode.
var notInPods = []string{"minReplicas", "maxReplicas", "scaleTarget", "scaleMetric", "scaleMetricType", "autoScaling",
	"canaryTrafficPercent", "containerConcurrency", "timeout", "deploymentStrategy"}

// checkSecondGPU looks at a component with one replica whose pods change. Without a strategy of its own KServe's
// Deployment makes a new pod before the old one goes: a quarter of one replica is one more, and none less
// (setDefaultDeploymentSpec in reconcilers/deployment/deployment_reconciler.go@v0.13.1 to @v0.20.0).
func checkSecondGPU(p *pass) {
	s, was := p.KServe.Service(p.Object), p.Before.Service(p.was(p.Object))
	if s.Mode != kserve.Standard || was.Mode != kserve.Standard || stops(was.Object) || stops(s.Object) {
		return
	}
	for _, component := range s.Components() {
		at := yamldoc.Path{"spec", component}
		spec, before := s.Get(at...), was.Get(at...)
		replicas, given := spec.Get("minReplicas").Int()
		gpu := requestedGPU(spec)
		if before.IsNull() || given && replicas > 1 || gpu == "" || s.MultiNode(component) ||
			!spec.Get("deploymentStrategy").IsNull() || podText(spec) == podText(before) {
			continue
		}
		p.Report(transform.Report{At: at, Message: fmt.Sprintf("the new pod of the %s needs a second %s and stays Pending "+
			"without one, because KServe's Deployment makes it before the old one goes: keep one free, or set "+
			"%s.deploymentStrategy.type to Recreate, so that nothing serves until the new pod is ready", component, gpu,
			component)})
	}
}

// requestedGPU returns the GPU that a component asks for, "" if it asks for none.
func requestedGPU(component *yamldoc.Node) (found string) {
	component.Walk(nil, func(_ *yamldoc.Trail, node *yamldoc.Node) {
		for _, gpu := range gpus {
			if limits := node.Get("resources", "limits"); limits.Has(gpu) && limits.Get(gpu).Str() != "0" {
				found = gpu
			}
		}
	})
	return found
}

// podText returns a text that is equal for components with equal pods.
func podText(component *yamldoc.Node) string {
	fields := map[string]string{}
	for field, node := range component.Children() {
		name := fmt.Sprint(field)
		if slices.Contains(notInPods, name) {
			continue
		}
		var b strings.Builder
		writeValue(&b, node)
		fields[name] = b.String()
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&b, "%q:%s", name, fields[name])
	}
	return b.String()
}
