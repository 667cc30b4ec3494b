package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/execprobe"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks110.md
var ks110Doc string

var presetProbe = &transform.Rule{
	ID:       "KS110",
	Name:     "preset-probe",
	Title:    "A probe of an LLMInferenceService collides with the probe of KServe's preset",
	Doc:      ks110Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/curl-fail",
	Severity: transform.Error,
	Restarts: true,
	Run:      run(checkPresetProbes),
}

func checkPresetProbes(p *pass) {
	if kserve.IsPreset(p.Object.Name) {
		return
	}
	for _, pod := range kserve.LLMPods {
		if !p.ownPreset(pod) {
			continue
		}
		c := p.KServe.LLMContainer(p.Object, pod, kserve.MainContainer)
		if meant := p.meantAsMain(pod); len(meant) == 1 && p.mainNames(pod).unsure == "" {
			c = meant[0] // KS111 names it
		}
		for _, probe := range model.Probes {
			if c.Node != nil && !p.KServe.PresetReplaced(pod, probe) {
				checkPresetProbe(p, mainProbe{c, pod, probe})
			}
		}
	}
}

// mainProbe is a probe of container main, which KServe merges with its preset's container.
type mainProbe struct {
	model.Container
	pod   kserve.LLMPod
	probe string
}

// foreign returns the handlers of the probe that its preset does not have.
func (m mainProbe) foreign() (handlers []string) {
	for _, h := range []model.Handler{model.Exec, model.HTTPGet, model.TCPSocket, model.GRPC} {
		if string(h) != m.pod.Handler && !m.Get(m.probe, string(h)).IsNull() {
			handlers = append(handlers, string(h))
		}
	}
	return handlers
}

// checkPresetProbe reports a probe that has two handlers after the merge.
func checkPresetProbe(p *pass, m mainProbe) {
	all, some, delay := m.pod.Preset(m.probe, p.leadsWorkers(m.pod), p.KServe.LLMVersions(p.Object))
	handlers := m.foreign()
	if !some || len(handlers) == 0 {
		return
	}
	at := m.Path.With(m.probe, handlers[0])
	f := transform.Report{At: at, Message: fmt.Sprintf("the API server refuses the %s, because KServe adds "+
		"this %s to its preset's %s, and a probe has one handler", p.refused(m.pod), handlers[0], m.pod.Handler)}
	var edits []yamldoc.Edit
	request, exact := m.equivalent(handlers)
	elsewhere := ""
	if m.pod.Handler == string(model.HTTPGet) {
		elsewhere = otherPort(m.Container, m.pod)
	}
	switch {
	case exact:
		f.Message += fmt.Sprintf(": use httpGet %s on port %d, which makes the same request", request.Path, request.Port)
		edits = append(edits, yamldoc.Rename(at, m.pod.Handler), yamldoc.Set(at, llmRequest(request)))
		edits = append(edits, m.timings()...)
		const initialDelay = "initialDelaySeconds"
		own, _ := m.Get(m.probe, initialDelay).Int()
		if delay > 0 && own <= 0 && !m.MergedElsewhere(m.probe, initialDelay) {
			f.Message += fmt.Sprintf("; the preset's %s of %d remains on 0.16", initialDelay, delay)
		}
	case elsewhere != "":
		f.Message += ": write httpGet with a path and the port of the server"
	default:
		f.Message += fmt.Sprintf(": remove it, and the preset's %s checks, with the preset's timings where this probe "+
			"sets none", m.pod.Handler)
		edits = m.withoutHandlers(handlers)
	}
	switch {
	case p.Options.Probes == ProbesNever:
		f.Unrepaired = "the setting probes is never"
	case !exact && elsewhere != "":
		f.Unrepaired = fmt.Sprintf("the preset's httpGet asks port %d, and %s", m.pod.Ports[0], elsewhere)
	case !all && !exact: // without a preset's handler, the probe would have none
		f.Needs = kserveVersion
	default:
		f.Edits = p.Object.Edits(edits...)
		f.Restarts = p.llmRestarted()
		f.PodsStay = !exact && !p.leadsWorkers(m.pod) // their Deployment never got the handlers
	}
	p.Report(f)
}

// withoutHandlers returns edits that take the handlers out of the probe, or the probe if it has nothing else.
func (m mainProbe) withoutHandlers(handlers []string) (edits []yamldoc.Edit) {
	own := slices.ContainsFunc(m.Get(m.probe).Entries, func(e yamldoc.Entry) bool {
		return !slices.Contains(handlers, e.Key.Value)
	})
	if !own {
		return []yamldoc.Edit{yamldoc.Delete(m.Path.With(m.probe))}
	}
	for _, h := range handlers {
		edits = append(edits, yamldoc.Delete(m.Path.With(m.probe, h)))
	}
	return edits
}

// equivalent returns the request that the probe's command makes, if an httpGet probe makes exactly the same.
func (m mainProbe) equivalent(handlers []string) (request execprobe.Request, exact bool) {
	if m.pod.Handler != string(model.HTTPGet) || !slices.Equal(handlers, []string{string(model.Exec)}) ||
		!m.Get(m.probe, m.pod.Handler).IsNull() {
		return execprobe.Request{}, false
	}
	request, err := execprobe.Interpret(m.Get(m.probe, string(model.Exec), "command").Strings())
	served := slices.Contains(m.pod.Ports, request.Port) || slices.Contains(m.DeclaredPorts(), request.Port) ||
		m.serves(request.Port)
	return request, err == nil && served && sameRequest(m.Container, m.probe, request)
}

// serves reports whether an argument or a variable names the port, and none names a port of the preset's.
func (m mainProbe) serves(port int) bool {
	named, _ := m.ServesElsewhere(port)
	return otherPort(m.Container, m.pod) != "" && named == ""
}

// llmRequest returns an httpGet that leaves nothing to the preset. From 0.20 on, the preset's scheme may be HTTPS.
func llmRequest(request execprobe.Request) yamldoc.Map {
	return yamldoc.Map{
		{Key: "path", Value: request.Path}, {Key: "port", Value: request.Port},
		{Key: "scheme", Value: strings.ToUpper(request.Scheme)},
	}
}

// timings returns edits that write Kubernetes' defaults for the timings that the probe does not set, because the
// preset's would take their place. Those that another layer sets stay.
func (m mainProbe) timings() (edits []yamldoc.Edit) {
	for _, t := range []struct {
		field   string
		seconds int
	}{{"periodSeconds", 10}, {"timeoutSeconds", 1}, {"failureThreshold", 3}} {
		if n, _ := m.Get(m.probe, t.field).Int(); n <= 0 && !m.MergedElsewhere(m.probe, t.field) {
			edits = append(edits, yamldoc.Set(m.Path.With(m.probe, t.field), t.seconds))
		}
	}
	return edits
}
