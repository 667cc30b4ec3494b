package transform

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var probePort = &Rule{
	ID:    "KS102",
	Name:  "probe-port",
	Title: "A probe's port that is missing, a name, or the agent's own",
	Doc: `Knative fills in the port of a probe; Standard mode does not. There a missing port is 0, and the API server refuses the
Deployment, be it that of a readiness, a liveness or a startup probe. The name of a readiness port works for the kubelet, but
KServe's agent builds a URL of it and never gets ready. Port 9081 is the agent's own: it asks itself whether it is ready.

The port becomes the number of the container's port, as the container declares it, or 8080, which is what KServe expects
of a serving container that declares none.`,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/1905", "https://github.com/kserve/kserve/issues/1748",
	},
	Kinds:    []string{"InferenceService"},
	Example:  "unknown/named",
	Severity: Error,
	Restarts: true,
	Run:      checkProbePort,
}

func checkProbePort(p *Pass) {
	s := p.Service(p.Object)
	if s.Mode == kserve.Knative || s.Mode == kserve.ModelMesh {
		return
	}
	for _, c := range p.containers(s) {
		checkReadinessPort(p, c)
		for _, probe := range []string{"readinessProbe", "livenessProbe", "startupProbe"} {
			checkMissingPort(p, c, probe)
		}
	}
}

// checkReadinessPort finds ports that the API server accepts and the agent can't use.
func checkReadinessPort(p *Pass, c container) {
	kind := handler(c.Get("readinessProbe"))
	if kind != "httpGet" && kind != "tcpSocket" {
		return
	}
	f := Finding{At: c.path.With("readinessProbe", kind, "port")}
	port := c.Get("readinessProbe", kind, "port")
	number, isNumber := port.Int()
	switch {
	case port.IsNull():
	case isNumber && number == kserve.AgentPort && c.copied != never:
		f.Message = fmt.Sprintf("readiness port %d is that of KServe's agent (%s), which would ask itself", number, c.agent)
		p.repairPort(c, f)
	case numeric.MatchString(port.Str()) && !isNumber:
		checkTextPort(p, c, f, port.Str())
	case !isNumber && c.copied != never:
		checkNamedPort(p, c, f, port.Str())
	}
}

// checkMissingPort finds a handler without port, unless a runtime brings the port.
func checkMissingPort(p *Pass, c container, probe string) {
	kind := handler(c.Get(probe))
	port := c.Get(probe, kind, "port")
	if number, isNumber := port.Int(); kind != "httpGet" && kind != "tcpSocket" || !port.IsNull() && (!isNumber || number != 0) {
		return
	}
	f := Finding{At: c.path.With(probe, kind)}
	name := strings.TrimSuffix(probe, "Probe")
	f.Message = fmt.Sprintf("%s %s has no port, and the API server refuses the Deployment in Standard mode", name, kind)
	inherited, runtime := p.runtimeHandler(c, probe)
	switch {
	case inherited == kind:
		return
	case inherited != "":
		f.Message += fmt.Sprintf("; not repaired: %s brings a %s probe of its own (%s)", runtime, name, inherited)
		p.Report(f)
	case c.foreign:
		f.Severity = Warning
		f.Message += fmt.Sprintf(", unless the runtime %s, which is not here, brings one", c.service.runtimeName())
		p.Report(f)
	default:
		f.At = f.At.With("port")
		c.copied = always // it breaks whichever probe the agent gets
		p.repairPort(c, f)
	}
}

var numeric = regexp.MustCompile(`^[1-9][0-9]{0,4}$`)

// checkTextPort finds a number in quotes.
func checkTextPort(p *Pass, c container, f Finding, text string) {
	number, _ := strconv.Atoi(text)
	f.Message = fmt.Sprintf("readiness port %q is text, which Kubernetes takes for a port name and refuses: the number is %d", text, number)
	c.copied = always // it breaks whichever probe the agent gets
	p.repairProbe(c, f, yamldoc.Set(f.At, number))
}

// checkNamedPort finds a port name that the agent would have to resolve.
func checkNamedPort(p *Pass, c container, f Finding, name string) {
	f.Message = fmt.Sprintf("readiness port %s is a name, with which KServe's agent (%s) never gets ready", name, c.agent)
	number, found := c.namedPort(name)
	if !found {
		f.Message += "; not repaired: the container declares no port of that name"
		p.Report(f)
		return
	}
	f.Message += fmt.Sprintf(": %s is %d", name, number)
	p.repairProbe(c, f, yamldoc.Set(f.At, number))
}

// repairPort reports a port that becomes the container's own.
func (p *Pass) repairPort(c container, f Finding) {
	numbers, certain := c.ports()
	if len(numbers) == 0 || !certain || numbers[0] == kserve.AgentPort {
		f.Message += "; not repaired: the container declares no port, add a containerPort"
		p.Report(f)
		return
	}
	f.Message += fmt.Sprintf(": the container's port is %d", numbers[0])
	p.repairProbe(c, f, yamldoc.Set(f.At, numbers[0]))
}
