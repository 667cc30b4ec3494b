package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks211.md
var ks211Doc string

var llmTarget = &transform.Rule{
	ID:       "KS211",
	Name:     "llm-target",
	Title:    "An autoscaler does not target what KServe makes for an LLMInferenceService",
	Doc:      ks211Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "unknown/service",
	Severity: transform.Error,
	Run:      run(checkLLMTarget),
}

func checkLLMTarget(p *pass) {
	a := model.Autoscaler{Object: p.Object}
	kind, name := a.LLMTarget()
	ref := yamldoc.Path{"spec", "scaleTargetRef"}
	f := transform.Report{At: ref.With("name"), Message: fmt.Sprintf(
		"nothing is scaled, because neither KServe nor these manifests make the %s %s: set the ", kind, name)}
	if kind == model.LLMTarget {
		f.Message = "nothing is scaled, because an LLMInferenceService has no subresource scale: set the "
	}
	var names []string
	candidates := p.KServe.LLMCandidates(a)
	for _, t := range candidates {
		if t.Current {
			return
		}
		names = append(names, t.Kind+" "+t.Name)
	}
	switch {
	case len(candidates) == 0 && kind != model.LLMTarget:
		return
	case len(candidates) == 0:
		names = []string{model.DeploymentTarget + " " + kserve.ChildName(name, kserve.LLMDeployment)}
		f.Unrepaired = "these manifests have no such LLMInferenceService in its namespace"
	case len(candidates) > 1:
		f.Unrepaired = "several services fit"
	case len(candidates[0].Service.Missing) > 0:
		f.Unrepaired = fmt.Sprintf("these manifests do not have the Config %s, which may add workers",
			candidates[0].Service.Missing[0])
	case p.KServe.HasLLMRival(candidates[0]):
		f.Unrepaired = "another autoscaler is meant for it too, and Kubernetes stops both if they scale the same one"
	default:
		t := candidates[0]
		edits := []yamldoc.Edit{yamldoc.Set(f.At, t.Name)}
		if kind != t.Kind {
			edits = append(edits, yamldoc.Set(ref.With("apiVersion"), t.APIVersion()), yamldoc.Set(ref.With("kind"), t.Kind))
		}
		f.Edits = p.Object.Edits(edits...)
	}
	f.Message += joined(names, "or")
	p.Report(f)
}
