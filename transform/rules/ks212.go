package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks212.md
var ks212Doc string

var secondAutoscaler = &transform.Rule{
	ID:       "KS212",
	Name:     "second-autoscaler",
	Title:    "An autoscaler scales what KServe scales already for an LLMInferenceService",
	Doc:      ks212Doc,
	Windows:  []transform.Window{kserve.LLMScaling},
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/hpa",
	Severity: transform.Error,
	Run:      run(checkSecondAutoscaler),
}

func checkSecondAutoscaler(p *pass) {
	candidates := p.KServe.LLMCandidates(model.Autoscaler{Object: p.Object})
	if len(candidates) != 1 {
		return // KS211 reports several
	}
	w := candidates[0]
	scaling := w.Spec.With("scaling")
	if !w.Service.Has(scaling...) || !p.KServe.LLMVersions(w.Service.Object).Any(kserve.LLMScaling) {
		return
	}
	p.Report(transform.Report{At: yamldoc.Path{"spec", "scaleTargetRef"}, Message: fmt.Sprintf(
		"nothing scales the %s %s, because KServe %s make a second autoscaler for %s from %s, and Kubernetes stops both: "+
			"remove this one or that field", w.Kind, w.Name, kserve.LLMScaling, w.Service, from(w.Service, scaling))})
}
