package transform

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

var runtimeProbe = &Rule{
	ID:    "KS104",
	Name:  "runtime-probe",
	Title: "A serving runtime's readiness probe that breaks its services",
	Doc: `KServe merges the container of a serving runtime with the one of the InferenceService, field by field. Two things go wrong.
An exec readiness probe of the runtime reaches the agent of every service that has one (KS101), and the service can't
take it away. And a service that sets a probe with another handler than its runtime gets a probe with both, which the API
server refuses; so is one with two handlers of its own.

The exec probe is replaced in the runtime, as KS101 would, when the runtime is in the same render and every service there
that names it runs in Standard mode. Two handlers are reported: which one is meant is not known. The multi-node runtime's
health_check.py is never replaced, since it asks several nodes.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3909"},
	Kinds:    []string{"ServingRuntime", "ClusterServingRuntime", "InferenceService"},
	Example:  "unknown/exec",
	Severity: Error,
	Restarts: true,
	Run: func(p *Pass) {
		if p.Object.Kind == "InferenceService" {
			checkMergedProbe(p)
		} else {
			checkRuntimeProbe(p)
		}
	},
}

// checkMergedProbe finds a service whose probe collides with that of its runtime, or whose agent gets the probe of the
// built-in multi-node runtime.
func checkMergedProbe(p *Pass) {
	s := p.Service(p.Object)
	if s.Mode == kserve.ModelMesh {
		return
	}
	for _, c := range p.containers(s) {
		inherited, runtime := p.runtimeHandler(c, "readinessProbe")
		own := handler(c.Get("readinessProbe"))
		switch {
		case own == "both":
			p.Report(Finding{At: c.path.With("readinessProbe"), Message: "the readiness probe has two handlers, which the API server refuses: keep one"})
		case inherited != "" && own != "" && own != inherited:
			p.Report(Finding{At: c.path.With("readinessProbe", own), Message: fmt.Sprintf(
				"the readiness probe merges with that of %s into one with %s and %s, which the API server refuses: keep one", runtime, inherited, own)})
		case inherited == "exec" && own == "" && c.copied != never && s.Mode != kserve.Knative && p.Runtime(s) == nil:
			f := Finding{At: c.path, Message: fmt.Sprintf(
				"the readiness probe of %s is exec, with which KServe's agent (%s) %s: remove what brings the agent, or change the runtime", runtime, c.agent, p.execConsequence())}
			p.repairProbe(c, f)
		}
	}
}

// checkRuntimeProbe finds a runtime whose exec probe goes to the agent of a service in the render.
func checkRuntimeProbe(p *Pass) {
	path, node := runtimeContainerAt(p.Object, kserve.ServingContainer)
	if handler(node.Get("readinessProbe")) != "exec" {
		return
	}
	u := p.users(p.Object)
	if u.victim == nil {
		return
	}
	command := node.Get("readinessProbe", "exec", "command").Strings()
	f := Finding{At: path.With("readinessProbe", "exec"),
		Message: fmt.Sprintf("KServe's agent (%s) %s with the exec readiness probe that %s takes from this runtime", u.victim.agent, p.execConsequence(), u.victim.service)}
	switch {
	case u.obstacle != "":
		f.Message += "; not repaired: " + u.obstacle
	case strings.Contains(strings.Join(command, " "), kserve.HealthCheckScript):
		f.Message += fmt.Sprintf("; not repaired: %s asks several nodes, which has no HTTP equivalent", kserve.HealthCheckScript)
	default:
		r := u.victim.replacement(command, p.Options.Probes == "tcp")
		f.Message += r.message
		if u.unknown {
			f.Needs = "default-deployment-mode"
			break
		}
		p.repairProbe(*u.victim, f, r.edits(f.At)...)
		return
	}
	p.Report(f)
}

// users are the services of the render that name a runtime, or may get it by their model's format, as far as its
// readiness probe is concerned.
type users struct {
	victim   *container // of a service that names it: its agent gets the probe; one of which the least is known
	obstacle string     // why the runtime must stay as it is
	unknown  bool       // the mode of one is not known
}

func (p *Pass) users(runtime *Object) (u users) {
	for _, o := range p.Objects("InferenceService") {
		s := p.Service(o)
		named := p.Runtime(s) == runtime
		if !named && !selectable(runtime, s) {
			continue
		}
		if s.Mode == kserve.Knative || s.Mode == kserve.ModelMesh {
			u.obstacle = fmt.Sprintf("%s runs in %s mode", s, s.Mode)
			continue
		}
		for _, c := range p.containers(s) {
			if !c.model || c.name != kserve.ServingContainer {
				continue
			}
			if handler(c.Get("readinessProbe")) != "" {
				u.obstacle = fmt.Sprintf("%s sets a probe of its own, and one with two handlers is refused", s)
			}
			u.unknown = u.unknown || s.Mode == ""
			if named && c.copied != never && (u.victim == nil || c.copied == sometimes) {
				u.victim = &c
			}
		}
	}
	return u
}
