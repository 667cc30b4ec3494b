package rules

import (
	"cmp"
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/execprobe"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks104.md
var ks104Doc string

var runtimeProbe = &transform.Rule{
	ID:       "KS104",
	Name:     "runtime-probe",
	Title:    "A serving runtime's readiness probe breaks its services",
	Doc:      ks104Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3909"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.ServingRuntime, kserve.ClusterServingRuntime, kserve.InferenceService},
	Example:  "unknown/exec",
	Severity: transform.Error,
	Restarts: true,
	Run: run(func(p *pass) {
		if p.Object.GroupKind() == kserve.InferenceService {
			checkMergedProbe(p)
		} else {
			checkRuntimeProbe(p)
		}
	}),
}

// checkMergedProbe reports a service whose probe collides with its runtime's, or whose agent gets the exec probe of the
// built-in multi-node runtime.
func checkMergedProbe(p *pass) {
	s := p.KServe.Service(p.Object)
	if s.Mode == kserve.ModelMesh {
		return
	}
	for _, c := range p.KServe.Containers(s) {
		inherited, runtime := p.KServe.RuntimeHandler(c, "readinessProbe")
		own := model.HandlerOf(c.Get("readinessProbe"))
		switch {
		case own == model.SeveralHandlers:
			p.Report(transform.Report{At: c.Path.With("readinessProbe"),
				Message: "the API server refuses the Deployment, because the readiness probe has two handlers: keep one"})
		case inherited != model.NoHandler && own != model.NoHandler && own != inherited:
			p.Report(transform.Report{At: c.Path.With("readinessProbe", string(own)), Message: fmt.Sprintf(
				"the API server refuses the Deployment, because the readiness probe has %s, and %s from %s: keep one",
				own, inherited, runtime)})
		case inherited == model.Exec && own == model.NoHandler && c.ProbeCopied != model.Never &&
			s.Mode != kserve.Knative && p.KServe.Runtime(s) == nil:
			p.repairProbe(c, transform.Report{At: c.Path, Message: fmt.Sprintf(
				"%s, because KServe's agent (%s) can't run the exec readiness probe of %s: remove what adds the agent, or "+
					"change the runtime", p.execConsequence(s), c.Agent, runtime)})
		}
	}
}

// checkRuntimeProbe reports a runtime whose exec probe KServe copies to the agent of a service in the render.
func checkRuntimeProbe(p *pass) {
	container, path := model.RuntimeContainer(p.Object, kserve.ServingContainer)
	if model.HandlerOf(container.Get("readinessProbe")) != model.Exec {
		return
	}
	u := p.users()
	if u.victim == nil {
		return
	}
	command := container.Get("readinessProbe", "exec", "command").Strings()
	f := transform.Report{At: path.With("readinessProbe", "exec"),
		Message: fmt.Sprintf("%s, because KServe's agent (%s) can't run this exec readiness probe, which %s inherits",
			p.execConsequence(u.victim.Service), u.victim.Agent, u.victim.Service)}
	switch {
	case u.obstacle != "":
		f.Unrepaired = u.obstacle
	case !p.Object.Get("spec", "workerSpec").IsNull():
		f.Unrepaired = noEquivalent
	default:
		request, err := execprobe.Interpret(command)
		r := replaceExec(*u.victim, request, err, p.Options.Probes == ProbesTCP)
		if r.unrepaired == "" && !p.mayEdit() {
			r.unrepaired = runtimeShared
		}
		if !u.modeUnknown || r.unrepaired != "" {
			if r.unrepaired == "" {
				f.Restarts = p.restarted()
			}
			p.replaceHandler(*u.victim, f, r)
			return
		}
		f.Message += r.message
		f.Needs = defaultDeploymentMode
	}
	p.Report(f)
}

// runtimeUsers is what counts for a runtime's readiness probe about the services that name the runtime, and about those
// that KServe may give it for their model's format.
type runtimeUsers struct {
	victim      *model.Container // its agent gets the probe; prefers one for which only some releases copy the probe
	obstacle    string           // why the runtime must not change
	modeUnknown bool             // the deployment mode of a service is not known
}

// users looks at the services of the render that use the pass's object, a runtime, or may use it.
func (p *pass) users() runtimeUsers {
	u := usersAmong(p.KServe, p.KServe.NamedUsers(p.Object))
	for _, selection := range p.KServe.SelectedIn(p.Object) {
		others := p.index.selecting()[selection]
		u.obstacle = cmp.Or(u.obstacle, others.obstacle)
		u.modeUnknown = u.modeUnknown || others.modeUnknown
	}
	return u
}

// findSelecting looks at the services of the render that may use each of several runtimes.
func findSelecting(m *model.Model) map[*model.Selection]runtimeUsers {
	found := map[*model.Selection]runtimeUsers{}
	for selection := range m.Selections() {
		found[selection] = usersAmong(m, selection.Users)
	}
	return found
}

func usersAmong(m *model.Model, services []*model.Service) (u runtimeUsers) {
	for _, s := range services {
		if !s.MayBeStandard() {
			u.obstacle = fmt.Sprintf("%s runs in %s mode", s, s.Mode)
			continue
		}
		for _, c := range m.Containers(s) {
			if !c.MergedWithRuntime || c.Name != kserve.ServingContainer {
				continue
			}
			if model.HandlerOf(c.Get("readinessProbe")) != model.NoHandler {
				u.obstacle = fmt.Sprintf("%s has its own readiness probe, and %s", s, twoHandlersRefused)
			}
			u.modeUnknown = u.modeUnknown || s.Mode == ""
			if s.RuntimeName() != "" && c.ProbeCopied != model.Never && (u.victim == nil || c.ProbeCopied == model.Sometimes) {
				u.victim = &c
			}
		}
	}
	return u
}
