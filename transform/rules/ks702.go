package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// The releases that do not stop some kind of object because of kserve.StopAnnotation.
var (
	stopUnknown      = transform.Window{Before: stopsKnativeOnly.From}
	stopsKnativeOnly = transform.Window{From: transform.Release{0, 15, 1}, Before: transform.Release{0, 16, 0}}
	stopsNoStandard  = transform.Window{Before: stopsKnativeOnly.Before}
	stopsNoLLM       = transform.Window{Before: transform.Release{0, 17, 0}}
)

//go:embed ks702.md
var ks702Doc string

var stopIgnored = &transform.Rule{
	ID:    "KS702",
	Name:  "stop-ignored",
	Title: "KServe does not stop the service",
	Doc:   ks702Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/pull/4337", "https://github.com/kserve/kserve/pull/4455",
	},
	Windows:  []transform.Window{stopsNoLLM},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.InferenceGraph, kserve.LLMInferenceService},
	Example:  "0.15.2/standard",
	Severity: transform.Warning,
	Run:      run(checkStop),
}

func checkStop(p *pass) {
	what, first := p.unstoppable(p.Object)
	if what == "" || !stops(p.Object) {
		return
	}
	p.Report(transform.Report{At: yamldoc.Path{"metadata", "annotations", kserve.StopAnnotation}, Message: fmt.Sprintf(
		"the pods keep running, because this KServe can't stop %s: %s, or remove the object", what, p.upgrade(first))})
}

// stops reports whether the object asks KServe to stop it.
func stops(o *transform.Object) bool {
	return strings.EqualFold(o.Annotation(kserve.StopAnnotation), "true")
}

// stopped reports whether KServe stops the object, or may do so.
func (p *pass) stopped(o *transform.Object) bool {
	what, _ := p.unstoppable(o)
	return stops(o) && what == ""
}

// fineWhileStopped makes a report about an object that KServe has stopped a warning.
func fineWhileStopped(f *transform.Report) {
	f.Severity = transform.Warning
	f.Message += "; fine while the service is stopped"
}

// unstoppable names the objects like the given one that no release in question stops, and the first release that does.
func (p *pass) unstoppable(o *transform.Object) (what string, first transform.Release) {
	switch {
	case o.GroupKind() == kserve.LLMInferenceService:
		if p.allLLM(stopsNoLLM) {
			return "LLM services", stopsNoLLM.Before
		}
	case !p.Versions.All(stopsNoStandard):
	case o.GroupKind() == kserve.InferenceGraph:
		return "graphs", stopsNoStandard.Before
	case p.Versions.All(stopUnknown):
		return "services", stopsNoStandard.Before
	case p.KServe.Service(o).Mode == kserve.Standard:
		return "services in Standard mode", stopsNoStandard.Before
	}
	return "", transform.Release{}
}
