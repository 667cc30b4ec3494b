package model

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"

// Probes are the fields of a container that hold its probes.
var Probes = []string{"readinessProbe", "livenessProbe", "startupProbe"}

// Handler is the field of a probe that says how it checks.
type Handler string

// The handlers of a probe.
const (
	NoHandler       Handler = ""
	Exec            Handler = "exec"
	HTTPGet         Handler = "httpGet"
	TCPSocket       Handler = "tcpSocket"
	GRPC            Handler = "grpc"
	SeveralHandlers Handler = "several" // the API server refuses them
)

// Handlers are those that a probe can have.
var Handlers = []Handler{Exec, HTTPGet, TCPSocket, GRPC}

// HandlerOf returns the handler of a probe.
func HandlerOf(probe *yamldoc.Node) Handler {
	found := NoHandler
	if probe.IsNull() {
		return found
	}
	for _, h := range Handlers {
		switch {
		case probe.Get(string(h)).IsNull():
		case found != NoHandler:
			return SeveralHandlers
		default:
			found = h
		}
	}
	return found
}
