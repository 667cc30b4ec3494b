package rules

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks102.md
var ks102Doc string

var probePort = &transform.Rule{
	ID:    "KS102",
	Name:  "probe-port",
	Title: "A probe port is missing, a name, or the agent's own",
	Doc:   ks102Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/1905", "https://github.com/kserve/kserve/issues/1748",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/named",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkProbePort),
}

func checkProbePort(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() {
		return
	}
	for _, c := range p.KServe.Containers(s) {
		checkReadinessPort(p, c)
		for _, probe := range model.Probes {
			checkMissingPort(p, c, probe)
		}
	}
}

// checkReadinessPort reports a readiness port that is a string, or one that the agent can't use.
func checkReadinessPort(p *pass, c model.Container) {
	handler := model.HandlerOf(c.Get("readinessProbe"))
	if handler != model.HTTPGet && handler != model.TCPSocket {
		return
	}
	f := transform.Report{At: c.Path.With("readinessProbe", string(handler), "port")}
	port := c.Get("readinessProbe", string(handler), "port")
	number, isNumber := port.Int()
	switch {
	case port.IsNull():
	case isNumber && number == kserve.AgentPort && c.ProbeCopied != model.Never:
		f.Message = fmt.Sprintf("%s never get ready, because readiness port %d is that of KServe's agent (%s), which "+
			"would probe itself", podsOf(c.Service), number, c.Agent)
		p.setContainerPort(c, f, p.repairCopiedProbe)
	case numeric().MatchString(port.Str()) && !isNumber:
		checkQuotedPort(p, c, f, port.Str())
	case !isNumber && c.ProbeCopied != model.Never:
		checkNamedPort(p, c, f, port.Str())
	}
}

// checkMissingPort reports a handler without a port, unless the serving runtime sets one.
func checkMissingPort(p *pass, c model.Container, probe string) {
	handler := model.HandlerOf(c.Get(probe))
	if handler != model.HTTPGet && handler != model.TCPSocket {
		return
	}
	port := c.Get(probe, string(handler), "port")
	if number, isNumber := port.Int(); !port.IsNull() && (!isNumber || number != 0) {
		return
	}
	name := strings.TrimSuffix(probe, "Probe")
	f := transform.Report{At: c.Path.With(probe, string(handler), "port"),
		Message: fmt.Sprintf("the API server refuses the Deployment, because the %s %s has no port, which only Knative "+
			"fills in", name, handler)}
	switch inherited, runtime := p.KServe.RuntimeHandler(c, probe); {
	case inherited == handler:
		return
	case inherited != model.NoHandler:
		f.Unrepaired = fmt.Sprintf("%s has its own %s probe (%s)", runtime, name, inherited)
		p.Report(f)
	case c.RuntimeQuestion != "":
		f.Severity = transform.Warning
		f.Message += ", or the runtime"
		f.Unrepaired = c.RuntimeQuestion + ": give the probe a port"
		p.Report(f)
	default:
		p.setContainerPort(c, f, p.repairProbe)
	}
}

var numeric = lazyregexp.New(`^[1-9][0-9]{0,4}$`)

// checkQuotedPort reports a port number in quotes.
func checkQuotedPort(p *pass, c model.Container, f transform.Report, quoted string) {
	number, _ := strconv.Atoi(quoted)
	f.Message = fmt.Sprintf("the API server refuses the Deployment, because the readiness port %q is a string, which "+
		"counts as a port name", quoted)
	if number == kserve.AgentPort && c.ProbeCopied != model.Never {
		f.Message += ", and the number is that of KServe's agent"
		p.setContainerPort(c, f, p.repairProbe)
		return
	}
	f.Message += fmt.Sprintf(": use the number %d", number)
	p.repairProbe(c, f, yamldoc.Set(f.At, number))
}

// checkNamedPort reports a port name, which the agent does not resolve.
func checkNamedPort(p *pass, c model.Container, f transform.Report, name string) {
	f.Message = fmt.Sprintf("%s never get ready, because KServe's agent (%s) does not know the port name %s in the "+
		"readiness probe", podsOf(c.Service), c.Agent, name)
	number, found := c.PortNamed(name)
	switch {
	case !found:
		f.Message += ": use its number"
		f.Unrepaired = "the container declares no port with that name"
		p.Report(f)
		return
	case number == kserve.AgentPort:
		f.Message += ", which stands for the agent's own port"
		p.setContainerPort(c, f, p.repairCopiedProbe)
		return
	}
	f.Message += fmt.Sprintf(": use its number %d", number)
	p.repairCopiedProbe(c, f, yamldoc.Set(f.At, number))
}

// setContainerPort reports f by the given function. The repair sets the probe's port, at f.At, to the container's.
func (p *pass) setContainerPort(c model.Container, f transform.Report,
	repair func(model.Container, transform.Report, ...yamldoc.Edit)) {
	numbers, certain := c.Ports()
	if len(numbers) == 0 || !certain || numbers[0] == kserve.AgentPort {
		f.Unrepaired = noPort(c)
	} else {
		f.Unrepaired = portQuestion(c, numbers[0])
	}
	if f.Unrepaired != "" {
		p.Report(f)
		return
	}
	f.Message += fmt.Sprintf(": use the container's port %d", numbers[0])
	repair(c, f, yamldoc.Set(f.At, numbers[0]))
}
