package transform

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/execprobe"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

var execProbe = &Rule{
	ID:    "KS101",
	Name:  "exec-probe",
	Title: "An exec readiness probe that KServe's agent can't run",
	Doc: `In Standard mode, a logger, a batcher or a multi-model predictor brings KServe's agent into the pod, and the pod webhook
copies the readiness probe of the serving container to it. The agent knows HTTP and TCP only. Up to KServe 0.14 it answers
"exec probe not supported" and the pod never gets ready; from 0.15.0 on the webhook leaves the probe out and the agent
exits with "required key SERVING_READINESS_PROBE missing value". No release up to 0.20.0 runs such a pod.

The probe becomes ` + "`httpGet`" + ` when its command is curl or wget, asks the container itself on its own port, and either fails on HTTP
errors as an HTTP probe does, or asks a path that the inference protocols define for readiness. A path is never invented.
Any other command becomes ` + "`tcpSocket`" + ` on the container's port, and the finding says what is lost. Timings stay.

Probes that nothing copies stay as they are: without an agent, in Knative and ModelMesh mode, of other containers, liveness
and startup probes. A probe that is merged with one of a serving runtime stays too, since two handlers are refused. The
setting probes changes this: always also converts exact equivalents without an agent, tcp prefers tcpSocket (also to
httpGet on NVIDIA NIM images, whose nginx refuses the agent's requests), never only reports.`,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/3909", "https://github.com/kserve/kserve/pull/4012",
		"https://github.com/kserve/kserve/pull/4255", "https://github.com/kserve/kserve/issues/5341",
	},
	Kinds:    []string{"InferenceService"},
	Example:  "0.15.2/curl-fail",
	Severity: Error,
	Restarts: true,
	Run:      checkExecProbe,
}

func checkExecProbe(p *Pass) {
	s := p.Service(p.Object)
	if s.Mode == kserve.Knative || s.Mode == kserve.ModelMesh {
		return
	}
	for _, c := range p.containers(s) {
		probe := c.Get("readinessProbe")
		kind := handler(probe)
		switch {
		case kind == "exec" && c.copied != never:
			checkCopiedExec(p, c)
		case kind == "exec" && p.Options.Probes == "always" && s.Mode == kserve.Standard:
			checkIdleExec(p, c)
		case kind == "httpGet" && c.copied != never && c.nim():
			checkNIM(p, c)
		}
	}
}

// checkCopiedExec finds an exec probe that goes to the agent.
func checkCopiedExec(p *Pass, c container) {
	at := c.path.With("readinessProbe", "exec")
	f := Finding{At: at, Message: fmt.Sprintf("KServe's agent (%s) %s with an exec readiness probe", c.agent, p.execConsequence())}
	if p.Versions.All(kserve.TransformerBypassed) && c.name != kserve.TransformerContainer && c.collocated {
		f.Message += fmt.Sprintf(", and %s bypasses %s on this release", c.agent, kserve.TransformerContainer)
	}
	command := c.Get("readinessProbe", "exec", "command").Strings()
	if kind, runtime := p.runtimeHandler(c, "readinessProbe"); kind != "" {
		f.Message += fmt.Sprintf("; not repaired: %s brings a readiness probe of its own (%s), and one with two handlers is refused", runtime, kind)
		p.Report(f)
		return
	}
	if strings.Contains(strings.Join(command, " "), kserve.HealthCheckScript) {
		f.Message += fmt.Sprintf("; not repaired: %s asks several nodes, which has no HTTP equivalent", kserve.HealthCheckScript)
		p.Report(f)
		return
	}
	r := c.replacement(command, p.Options.Probes == "tcp")
	f.Message += r.message
	p.repairProbe(c, f, r.edits(at)...)
}

// checkIdleExec finds, on request, an exec probe that works and has an exact equivalent.
func checkIdleExec(p *Pass, c container) {
	asks, err := execprobe.Interpret(c.Get("readinessProbe", "exec", "command").Strings())
	if kind, _ := p.runtimeHandler(c, "readinessProbe"); kind != "" || err != nil || !asks.Strict || !c.serves(asks.Port) {
		return
	}
	r := httpGet(asks)
	f := Finding{At: c.path.With("readinessProbe", "exec"), Severity: Advice, Message: "setting probes is always" + r.message}
	p.repairProbe(c, f, r.edits(f.At)...)
}

// checkNIM finds an HTTP probe that the agent sends without a host name, which the nginx in front of NIM refuses.
func checkNIM(p *Pass, c container) {
	f := Finding{At: c.path.With("readinessProbe", "httpGet"), Severity: Warning,
		Message: fmt.Sprintf("KServe's agent (%s) asks without a host name, which the nginx of NIM images answers with 400", c.agent)}
	port, known := c.portOf("httpGet")
	if p.Options.Probes != "tcp" || !known {
		f.Message += ": set probes to tcp for a tcpSocket"
		p.Report(f)
		return
	}
	r := tcpSocket(port, "")
	f.Message += r.message
	p.repairProbe(c, f, r.edits(f.At)...)
}

// execConsequence says what becomes of the agent on the releases in question.
func (p *Pass) execConsequence() string {
	switch {
	case p.Versions.All(kserve.ExecSkipped):
		return "crash-loops"
	case !p.Versions.Any(kserve.ExecSkipped):
		return "never gets ready"
	}
	return "never gets ready (before 0.15.0) or crash-loops (from 0.15.0 on)"
}
