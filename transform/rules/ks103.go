package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks103.md
var ks103Doc string

var grpcProbe = &transform.Rule{
	ID:       "KS103",
	Name:     "grpc-probe",
	Title:    "KServe's agent can't run a gRPC readiness probe",
	Doc:      ks103Doc,
	Windows:  kserve.GRPCUnsupported,
	Issues:   []string{"https://github.com/kserve/kserve/pull/4012"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.15.2/grpc",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkGRPCProbe),
}

func checkGRPCProbe(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() {
		return
	}
	for _, c := range p.KServe.Containers(s) {
		if c.ProbeCopied == model.Never || model.HandlerOf(c.Get("readinessProbe")) != model.GRPC {
			continue
		}
		f := transform.Report{At: c.Path.With("readinessProbe", "grpc"),
			Message: fmt.Sprintf("%s never get ready, because KServe's agent (%s) can't run a gRPC readiness probe on "+
				"0.11 or on 0.15.0 and later", podsOf(s), c.Agent)}
		port, known := c.ReadinessPort(model.GRPC)
		switch handler, runtime := p.KServe.RuntimeHandler(c, "readinessProbe"); {
		case handler != model.NoHandler:
			f.Unrepaired = twoHandlers(runtime, handler)
			p.Report(f)
		case !known || port == kserve.AgentPort:
			f.Unrepaired = noProbePort
			p.Report(f)
		default:
			p.replaceHandler(c, f, tcpSocket(port))
		}
	}
}
