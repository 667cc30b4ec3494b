package rules

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/execprobe"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks101.md
var ks101Doc string

var execProbe = &transform.Rule{
	ID:    "KS101",
	Name:  "exec-probe",
	Title: "An exec readiness probe that KServe's agent can't run, or that HTTP can replace",
	Doc:   ks101Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/3909", "https://github.com/kserve/kserve/pull/4012",
		"https://github.com/kserve/kserve/pull/4255", "https://github.com/kserve/kserve/issues/5341",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.15.2/curl-fail",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkExecProbe),
}

func checkExecProbe(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() {
		return
	}
	for _, c := range p.KServe.Containers(s) {
		copied := c.ProbeCopied != model.Never
		switch handler := model.HandlerOf(c.Get("readinessProbe")); {
		case handler == model.Exec && copied:
			checkCopiedExec(p, c)
		case handler == model.Exec && s.Mode == kserve.Standard:
			checkIdleExec(p, c)
		case handler == model.HTTPGet && copied && isNIM(c):
			checkNIM(p, c)
		}
	}
}

// checkCopiedExec reports an exec probe that KServe copies to its agent.
func checkCopiedExec(p *pass, c model.Container) {
	f := transform.Report{At: c.Path.With("readinessProbe", "exec"),
		Message: fmt.Sprintf("%s, because KServe's agent (%s) can't run an exec readiness probe", p.execConsequence(c.Service),
			c.Agent)}
	if p.Versions.All(kserve.TransformerBypassed) && c.Name != kserve.TransformerContainer && c.BesideTransformer {
		f.Message += fmt.Sprintf(", and the agent bypasses %s on this release", kserve.TransformerContainer)
	}
	command := c.Get("readinessProbe", "exec", "command").Strings()
	switch handler, runtime := p.KServe.RuntimeHandler(c, "readinessProbe"); {
	case handler != model.NoHandler:
		f.Unrepaired = twoHandlers(runtime, handler)
		p.Report(f)
	default:
		request, err := execprobe.Interpret(command)
		if err == nil && p.convertsExact() && exact(c, request) {
			c.ProbeCopied = model.Always // the repair is right also on releases that do not copy it
		}
		p.replaceHandler(c, f, replaceExec(c, request, err, p.Options.Probes == ProbesTCP))
	}
}

// checkIdleExec reports an exec probe that works and has an HTTP equivalent. It leaves the probe alone where the repair
// would reach no Deployment that exists.
func checkIdleExec(p *pass, c model.Container) {
	request, err := execprobe.Interpret(c.Get("readinessProbe", "exec", "command").Strings())
	handler, _ := p.KServe.RuntimeHandler(c, "readinessProbe")
	if handler != model.NoHandler || err != nil || p.Versions.All(kserve.RemovedFieldsKept) {
		return
	}
	f := transform.Report{At: c.Path.With("readinessProbe", "exec"), Severity: transform.Advice}
	switch {
	case p.convertsExact() && exact(c, request):
		f.Message = "the exec readiness probe needs curl in the image and a process for each check, and KServe's agent, " +
			"which a logger or batcher brings, can't run it"
	case p.Options.Probes == ProbesAlways && request.Strict && !request.Head && serves(c, request.Port):
		f.Message = "the exec readiness probe works, but the setting probes is always"
	default:
		return
	}
	r := httpGet(request)
	if p.Versions.Any(kserve.RemovedFieldsKept) {
		f.Message += r.message
		f.Needs = kserveVersion
		p.Report(f)
		return
	}
	p.replaceHandler(c, f, r)
}

// convertsExact reports whether the setting probes converts every exec probe with an exact equivalent.
func (p *pass) convertsExact() bool {
	return p.Options.Probes == ProbesAuto || p.Options.Probes == ProbesAlways || p.Options.Probes == ""
}

// exact reports whether an HTTP probe says the same as the command wherever the container runs. With a workerSpec the
// command may check more than this pod; and a NIM image, like the agent's own port, would not work as soon as there is
// an agent.
func exact(c model.Container, request execprobe.Request) bool {
	return sameRequest(c, "readinessProbe", request) && request.Port != kserve.AgentPort && c.UserPort(request.Port) &&
		!c.MultiNode && !isNIM(c)
}

// sameRequest reports whether the kubelet, which sends a request to the pod's address and not to the loopback address,
// gets the answer that the command of the probe gets. A command that gives up before the probe's own timeout, of 1
// second by default, is stricter.
func sameRequest(c model.Container, probe string, request execprobe.Request) bool {
	timeout, ok := c.Get(probe, "timeoutSeconds").Int()
	if !ok || timeout < 1 {
		timeout = 1
	}
	patient := request.Limit == 0 || request.Limit >= time.Duration(timeout)*time.Second
	return request.Exact && patient && !c.MayListenInside() && !c.UsesProxy()
}

// checkNIM reports an HTTP probe of a NIM image. The agent sends the request without a host name, and the image's nginx
// refuses it.
func checkNIM(p *pass, c model.Container) {
	f := transform.Report{At: c.Path.With("readinessProbe", "httpGet"), Severity: transform.Warning,
		Message: fmt.Sprintf("%s never get ready, because KServe's agent (%s) sends no host name, and the nginx of "+
			"NIM images answers with 400", podsOf(c.Service), c.Agent)}
	port, known := c.ReadinessPort(model.HTTPGet)
	if numbers, certain := c.Ports(); known && port == kserve.AgentPort && certain && len(numbers) > 0 {
		port = numbers[0] // as KS102 repairs it
	}
	switch {
	case !known:
		f.Unrepaired = noProbePort
		p.Report(f)
	case p.Options.Probes != ProbesTCP:
		f.Message += tcpSocket(port).message
		f.Unrepaired = "only the setting probes: tcp replaces an HTTP probe"
		p.Report(f)
	default:
		p.replaceHandler(c, f, tcpSocket(port))
	}
}
