package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/execprobe"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// replacement is the handler that replaces one that the agent can't use, or the reason why there is none.
type replacement struct {
	handler    model.Handler
	value      yamldoc.Map
	port       int
	message    string // the end of the finding's message, from the colon on
	unrepaired string // why there is no handler
}

// edits returns the edits that replace the handler at the path.
func (r replacement) edits(at yamldoc.Path) []yamldoc.Edit {
	if r.handler == model.NoHandler {
		return nil
	}
	return []yamldoc.Edit{yamldoc.Rename(at, string(r.handler)), yamldoc.Set(at, r.value)}
}

func httpGet(request execprobe.Request) replacement {
	value := yamldoc.Map{{Key: "path", Value: request.Path}, {Key: "port", Value: request.Port}}
	if request.Scheme == "https" {
		value = append(value, yamldoc.Field{Key: "scheme", Value: "HTTPS"})
	}
	if len(request.Headers) > 0 {
		var headers []any
		for _, h := range request.Headers {
			headers = append(headers, yamldoc.Map{{Key: "name", Value: h.Name}, {Key: "value", Value: h.Value}})
		}
		value = append(value, yamldoc.Field{Key: "httpHeaders", Value: headers})
	}
	return replacement{handler: model.HTTPGet, value: value, port: request.Port,
		message: fmt.Sprintf(": use httpGet %s on port %d, which makes the same request", request.Path, request.Port)}
}

func tcpSocket(port int) replacement {
	return replacement{handler: model.TCPSocket, value: yamldoc.Map{{Key: "port", Value: port}}, port: port,
		message: fmt.Sprintf(": use tcpSocket on port %d", port)}
}

// openPort is a tcpSocket that checks less than the handler that it replaces, and the reason.
func openPort(c model.Container, port int, why string) replacement {
	if question := portQuestion(c, port); question != "" {
		return replacement{unrepaired: question}
	}
	r := tcpSocket(port)
	r.message += ", which only checks that the port is open, because " + why
	return r
}

// noPort says that a container's port is not known, and what to do.
func noPort(c model.Container) string {
	if c.RuntimeQuestion == "" {
		return "the container declares no port: add a containerPort"
	}
	return "the container declares no port and " + c.RuntimeQuestion + ": add a containerPort"
}

// portQuestion says that the server may not listen on the port that the container declares or that KServe expects, and
// what to do. It is empty when nothing speaks against the port.
func portQuestion(c model.Container, port int) string {
	switch name, value := c.ServesElsewhere(port); {
	case name == "":
		return ""
	case len(c.DeclaredPorts()) == 0:
		return fmt.Sprintf("the container's %s is %s, and it declares no port: add a containerPort", name, value)
	default:
		return fmt.Sprintf("the container's %s is %s and its containerPort %d: make them the same", name, value, port)
	}
}

// noEquivalent is why a command that is not understood stays on several nodes.
const noEquivalent = "with a workerSpec, the command may check several nodes, which no HTTP probe can"

// protocolReadiness matches the readiness paths that the inference protocols V1 and V2 define
// (https://github.com/kserve/open-inference-protocol).
var protocolReadiness = lazyregexp.New(
	`^(/v2/health/ready|/v2/models/[^/?]+(/versions/[^/?]+)?/ready|/v1/models/[^/?]+)$`)

// replaceExec returns the handler that checks what the command checks, as far as the command proves it. The command is
// given as execprobe.Interpret returns it.
func replaceExec(c model.Container, request execprobe.Request, err error, preferTCP bool) replacement {
	ports, certain := c.Ports()
	switch {
	case err == nil && !certain:
		ports = []int{request.Port} // the command knows better than KServe's default
	case err == nil && request.Scheme != "tcp" && len(c.DeclaredPorts()) == 0 && !slices.Contains(ports, request.Port):
		served := kserve.DefaultPort
		if len(ports) > 0 {
			served = ports[0]
		}
		return replacement{unrepaired: fmt.Sprintf("the command uses port %d, but the container declares no port and "+
			"KServe sends requests to %d: add a containerPort", request.Port, served)}
	case err != nil && c.MultiNode:
		return replacement{unrepaired: noEquivalent}
	case err != nil && (len(ports) == 0 || !certain):
		return replacement{unrepaired: fmt.Sprintf("the command %v, and %s", err, noPort(c))}
	}
	switch {
	case err != nil:
		return openPort(c, ports[0], "the command "+err.Error())
	case request.Scheme == "tcp":
		r := tcpSocket(request.Port)
		r.message += ", which checks the same port"
		return r
	case preferTCP:
		return openPort(c, ports[0], "the setting probes is tcp")
	case !slices.Contains(ports, request.Port):
		return openPort(c, ports[0],
			fmt.Sprintf("the command uses port %d, which the container does not declare", request.Port))
	case isNIM(c):
		return openPort(c, ports[0], "the nginx of NIM images refuses the agent's HTTP requests")
	case request.Strict && request.Head:
		r := httpGet(request)
		r.message = fmt.Sprintf(": use httpGet %s on port %d, which requests the same path "+
			"(with GET; wget --spider sends HEAD, except for that of BusyBox)", request.Path, request.Port)
		return r
	case request.Strict:
		return httpGet(request)
	case !protocolReadiness().MatchString(request.Path):
		return openPort(c, ports[0], "the command (curl without -f) succeeds on HTTP errors too")
	case loadsLater(c, request.Path):
		return openPort(c, ports[0], "the command (curl without -f) succeeds on HTTP errors too, "+
			"which this server returns until a model is loaded")
	}
	r := httpGet(request)
	r.message = fmt.Sprintf(": use httpGet %s on port %d, which requests the same path and, "+
		"unlike curl without -f, takes HTTP errors as not ready", request.Path, request.Port)
	return r
}

// loadsLater reports whether the server is ready before its model's path answers: a multi-model server loads models
// later, TorchServe on the first request (https://github.com/kserve/kserve/issues/1915).
func loadsLater(c model.Container, path string) bool {
	multiModel := c.Agent == kserve.MultiModel || c.Agent == kserve.WithoutStorage
	return multiModel && strings.Contains(path, "/models/") || c.Format == "pytorch" && strings.HasPrefix(path, "/v1/")
}

// isNIM reports whether the image is an NVIDIA NIM, whose nginx answers a request without a host name with 400
// (https://github.com/kserve/kserve/issues/5341).
func isNIM(c model.Container) bool { return strings.HasPrefix(c.Image(), "nvcr.io/nim/") }

// serves reports whether the container certainly has the port.
func serves(c model.Container, port int) bool {
	numbers, certain := c.Ports()
	return certain && slices.Contains(numbers, port)
}

// replaceHandler reports f, a finding about the handler at f.At. The repair is the replacement, unless the setting
// probes is never.
func (p *pass) replaceHandler(c model.Container, f transform.Report, r replacement) {
	if r.port == kserve.AgentPort {
		r = replacement{unrepaired: fmt.Sprintf("port %d is the agent's own: give the container another port", r.port)}
	}
	f.Message += r.message
	if r.unrepaired == "" && p.Options.Probes == ProbesNever {
		r.unrepaired = "the setting probes is never"
	}
	if r.unrepaired != "" {
		f.Unrepaired = r.unrepaired
		p.Report(f)
		return
	}
	if p.Versions.Known() && p.Versions.Any(kserve.RemovedFieldsKept) {
		f.Message += ", and delete the Deployment of each running service with this probe once, " +
			"because KServe 0.14.0 to 0.15.0 keeps the old handler in it"
		f.PodsStay = p.Versions.All(kserve.RemovedFieldsKept)
	}
	p.repairCopiedProbe(c, f, r.edits(f.At)...)
}

// repairCopiedProbe is repairProbe for a probe that is wrong only where the agent gets it.
func (p *pass) repairCopiedProbe(c model.Container, f transform.Report, edits ...yamldoc.Edit) {
	if c.Service.Mode != "" && c.ProbeCopied == model.Sometimes {
		f.Needs = kserveVersion
		p.Report(f)
		return
	}
	p.repairProbe(c, f, edits...)
}

// repairProbe reports f, a finding about the container's probe, with the edits that repair it, unless the service's
// mode has to be known first. The edits change the pass's object: the service, or the runtime that the probe comes
// from.
func (p *pass) repairProbe(c model.Container, f transform.Report, edits ...yamldoc.Edit) {
	switch s := c.Service; {
	case s.Contradiction != "":
		f.Unrepaired = s.Contradiction
	case s.Mode == "":
		f.Needs = defaultDeploymentMode
	default:
		f.Edits = p.Object.Edits(edits...)
	}
	p.Report(f)
}

// execConsequence returns what an exec probe beside the agent does to the pods on the releases in question.
func (p *pass) execConsequence(s *model.Service) string {
	switch {
	case p.Versions.All(kserve.ExecSkipped):
		return podsOf(s) + " crash-loop"
	case !p.Versions.Any(kserve.ExecSkipped):
		return podsOf(s) + " never get ready"
	}
	return podsOf(s) + " never get ready (they crash-loop from 0.15.0 on)"
}

// podsOf names the pods of a service that has a Deployment in Standard mode only.
func podsOf(s *model.Service) string {
	if s.Mode == "" {
		return "in Standard mode the pods"
	}
	return "the pods"
}

// noProbePort is why a probe without a usable port is not replaced.
const noProbePort = "the probe names none of the container's ports"

const twoHandlersRefused = "the API server refuses a probe with two handlers"

// twoHandlers returns why a probe that KServe merges with one of a runtime is not replaced.
func twoHandlers(runtime string, handler model.Handler) string {
	return fmt.Sprintf("%s has its own readiness probe (%s), and %s", runtime, handler, twoHandlersRefused)
}
