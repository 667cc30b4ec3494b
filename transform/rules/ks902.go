package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks902.md
var ks902Doc string

var removedAutoscaler = &transform.Rule{
	ID:       "KS902",
	Name:     "removed-autoscaler",
	Title:    "An autoscaler is deleted, and nothing else scales its service",
	Doc:      ks902Doc,
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "unknown/external",
	Severity: transform.Warning,
	Removed:  run(checkRemovedAutoscaler),
}

func checkRemovedAutoscaler(p *pass) {
	if notPruned(p.Object) {
		return
	}
	a := model.Autoscaler{Object: p.Object}
	if t := p.Before.StandardTarget(a); t != nil {
		checkUnscaled(p, *t)
	}
	for _, t := range p.Before.LLMCandidates(a) {
		if t.Current {
			checkUnscaledLLM(p, t)
		}
	}
}

// checkUnscaled looks at an InferenceService. With the class external, KServe leaves the replicas to others; with any
// other one it makes an autoscaler or sets the replicas (internal/kserve/autoscaler.go).
func checkUnscaled(p *pass, was model.ScaleTarget) {
	s := p.KServe.Service(p.staying(was.Service.Object))
	if s == nil || len(p.KServe.Autoscalers(s)[was.Component]) > 0 {
		return
	}
	if s.Class(was.Component) != "external" {
		return
	}
	p.Report(transform.Report{Object: s.Object, At: s.ClassPath(was.Component), Message: fmt.Sprintf(
		"nothing scales the %s any more, because this change deletes %s and the class external keeps KServe from it: "+
			"remove the annotation too, so that KServe scales it, or add another autoscaler", was.Component, p.Object)})
}

func checkUnscaledLLM(p *pass, was model.LLMScaleTarget) {
	s := p.KServe.LLMService(p.staying(was.Service.Object))
	if s == nil || s.Has(was.Spec.With("replicas")...) || s.Has(was.Spec.With("scaling")...) {
		return
	}
	for _, w := range p.KServe.LLMWorkloads(s) {
		if len(w.Spec) == len(was.Spec) && len(p.KServe.LLMAutoscalers(w)) > 0 {
			return
		}
	}
	p.Report(transform.Report{Object: s.Object, At: was.Spec, Message: fmt.Sprintf(
		"nothing scales the pods any more, because this change deletes %s: write %s, without which KServe 0.17 and later "+
			"leave the replicas as they are, and 0.16 sets 1", p.Object, was.Spec.With("replicas"))})
}
