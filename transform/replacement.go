package transform

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/execprobe"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// replacement is the handler that takes the place of one that the agent can't use.
type replacement struct {
	handler string // empty when there is none
	value   yamldoc.Map
	message string // how the finding's message ends
}

// edits put the replacement where the handler at the path stands.
func (r replacement) edits(at yamldoc.Path) []yamldoc.Edit {
	if r.handler == "" {
		return nil
	}
	return []yamldoc.Edit{yamldoc.Rename(at, r.handler), yamldoc.Set(at, r.value)}
}

func httpGet(asks execprobe.Request) replacement {
	value := yamldoc.Map{{Key: "path", Value: asks.Path}, {Key: "port", Value: asks.Port}}
	if asks.Scheme == "https" {
		value = append(value, yamldoc.Field{Key: "scheme", Value: "HTTPS"})
	}
	if len(asks.Headers) > 0 {
		var headers []any
		for _, h := range asks.Headers {
			headers = append(headers, yamldoc.Map{{Key: "name", Value: h.Name}, {Key: "value", Value: h.Value}})
		}
		value = append(value, yamldoc.Field{Key: "httpHeaders", Value: headers})
	}
	return replacement{"httpGet", value, fmt.Sprintf(": httpGet %s on port %d asks the same", asks.Path, asks.Port)}
}

// tcpSocket is the replacement that asks less, and why.
func tcpSocket(port int, why string) replacement {
	message := fmt.Sprintf(": tcpSocket %d", port)
	if why != "" {
		message += " checks no more than the open port, since " + why
	}
	return replacement{"tcpSocket", yamldoc.Map{{Key: "port", Value: port}}, message}
}

// specified are the paths by which the inference protocols V1 and V2 define readiness
// (https://github.com/kserve/open-inference-protocol).
var specified = regexp.MustCompile(`^(/v2/health/ready|/v2/models/[^/?]+(/versions/[^/?]+)?/ready|/v1/models/[^/?]+)$`)

// replacement finds the handler that asks what the command asks, as closely as is certain.
func (c container) replacement(command []string, preferTCP bool) replacement {
	asks, err := execprobe.Interpret(command)
	ports, certain := c.ports()
	switch {
	case err == nil && !certain:
		ports = []int{asks.Port} // the command knows better than KServe's default
	case err == nil && asks.Scheme != "tcp" && len(c.declared()) == 0 && !slices.Contains(ports, asks.Port):
		return replacement{message: fmt.Sprintf("; not repaired: the command asks port %d, but the container declares none and KServe sends requests to %d: declare its containerPort", asks.Port, kserve.DefaultPort)}
	case err != nil && (len(ports) == 0 || !certain):
		return replacement{message: fmt.Sprintf("; not repaired: the command %v, and the container declares no port: declare its containerPort", err)}
	}
	switch {
	case err != nil:
		return tcpSocket(ports[0], "the command "+err.Error())
	case asks.Scheme == "tcp":
		return replacement{"tcpSocket", yamldoc.Map{{Key: "port", Value: asks.Port}}, fmt.Sprintf(": tcpSocket %d asks the same port", asks.Port)}
	case preferTCP:
		return tcpSocket(ports[0], "setting probes is tcp")
	case !slices.Contains(ports, asks.Port):
		return tcpSocket(ports[0], fmt.Sprintf("the command asks port %d, which the container does not declare", asks.Port))
	case c.nim():
		return tcpSocket(ports[0], "the nginx of NIM images refuses the agent's HTTP requests")
	case asks.Strict:
		return httpGet(asks)
	case !specified.MatchString(asks.Path):
		return tcpSocket(ports[0], "the command succeeds on HTTP errors too (curl without -f)")
	case c.lazy(asks.Path):
		return tcpSocket(ports[0], "the command succeeds on HTTP errors too (curl without -f), with which this server answers until a model is loaded")
	}
	r := httpGet(asks)
	r.message = fmt.Sprintf(": httpGet %s on port %d asks the same path, but stricter than curl without -f: HTTP errors now mean not ready", asks.Path, asks.Port)
	return r
}

// lazy reports whether the server may rightly be asked for requests before its model's path answers: a multi-model server
// loads models later, TorchServe on the first request (https://github.com/kserve/kserve/issues/1915).
func (c container) lazy(path string) bool {
	multiModel := c.agent == kserve.MultiModelVariable || c.agent == kserve.NoStorage
	return multiModel && strings.Contains(path, "/models/") || c.format == "pytorch" && strings.HasPrefix(path, "/v1/")
}

// nim reports whether the image is an NVIDIA NIM, whose nginx answers a request without a host name with 400
// (https://github.com/kserve/kserve/issues/5341).
func (c container) nim() bool {
	image := cmp.Or(c.Get("image").Str(), c.runtime.Get("image").Str())
	return strings.HasPrefix(image, "nvcr.io/nim/")
}

// serves reports whether the port is certainly one of the container's.
func (c container) serves(port int) bool {
	numbers, certain := c.ports()
	return certain && slices.Contains(numbers, port)
}
