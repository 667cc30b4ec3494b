package transform

import (
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

var grpcProbe = &Rule{
	ID:    "KS103",
	Name:  "grpc-probe",
	Title: "A gRPC readiness probe that KServe's agent can't run",
	Doc: `The agent that a logger, a batcher or a multi-model predictor brings into the pod in Standard mode gets a copy of the
readiness probe. With a gRPC probe it never gets ready on KServe 0.11 and exits at once from 0.15.0 on; the releases
between can run it. The probe becomes ` + "`tcpSocket`" + ` on the same port, which works on every release. It asks only whether the
port is open, not what the server says of its health.`,
	Issues:   []string{"https://github.com/kserve/kserve/pull/4012"},
	Kinds:    []string{"InferenceService"},
	Example:  "0.15.2/grpc",
	Severity: Error,
	Restarts: true,
	Run:      checkGRPCProbe,
}

func checkGRPCProbe(p *Pass) {
	s := p.Service(p.Object)
	if s.Mode == kserve.Knative || s.Mode == kserve.ModelMesh || !slices.ContainsFunc(kserve.GRPCUnsupported, p.Versions.Any) {
		return
	}
	for _, c := range p.containers(s) {
		if c.copied == never || handler(c.Get("readinessProbe")) != "grpc" {
			continue
		}
		f := Finding{At: c.path.With("readinessProbe", "grpc"),
			Message: fmt.Sprintf("KServe's agent (%s) can't run a gRPC readiness probe on 0.11 and from 0.15.0 on", c.agent)}
		port, known := c.portOf("grpc")
		switch kind, runtime := p.runtimeHandler(c, "readinessProbe"); {
		case kind != "":
			f.Message += fmt.Sprintf("; not repaired: %s brings a readiness probe of its own (%s), and one with two handlers is refused", runtime, kind)
			p.Report(f)
		case !known || port == kserve.AgentPort:
			f.Message += "; not repaired: the probe names no port of the container"
			p.Report(f)
		default:
			r := tcpSocket(port, "")
			f.Message += r.message
			p.repairProbe(c, f, r.edits(f.At)...)
		}
	}
}
