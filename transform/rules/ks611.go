package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks611.md
var ks611Doc string

var storedVersion = &transform.Rule{
	ID:       "KS611",
	Name:     "stored-version",
	Title:    "KServe converts an LLM service whenever Argo CD compares it, because its API version is old",
	Doc:      ks611Doc,
	Windows:  []transform.Window{kserve.LLMConverted},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/service",
	Severity: transform.Advice,
	Run:      run(checkStoredVersion),
}

// checkStoredVersion reports what Argo CD reads in the version of the manifest: GetManagedLiveObjs in
// pkg/cache/cluster.go of gitops-engine, as Argo CD 2.14.21 has it, fails if it cannot.
func checkStoredVersion(p *pass) {
	// The releases that store the same of either version.
	same := kserve.LLMRewritten[p.Object.GroupKind()][kserve.LLMStored]
	if p.Object.APIVersion != kserve.LLMOld || !p.Versions.All(same) || p.Versions.Likened() {
		return
	}
	at := yamldoc.Path{"apiVersion"}
	f := transform.Report{At: at, Unrepaired: p.inexact(), Message: fmt.Sprintf(
		"Argo CD can't compare it while KServe's manager is down, because KServe stores %s and converts it to v1alpha1 "+
			"each time: write %[1]s", kserve.LLMStored)}
	if f.Unrepaired == "" {
		f.Edits = p.Object.Edits(yamldoc.Set(at, kserve.LLMStored))
	}
	p.Report(f)
}

// inexact says why an object of v1alpha1 would not be the same object of v1alpha2 with another apiVersion alone, and is
// empty if it would (ConvertTo in pkg/apis/serving/v1alpha1/llm_inference_service_conversion.go, v0.17.0 to v0.20.0).
func (p *pass) inexact() (reason string) {
	for _, at := range append(p.adapters(), llmModel) {
		if at = at.With("criticality"); !p.Object.Get(at...).IsNull() {
			return fmt.Sprintf("v1alpha2 has no field %s, and KServe keeps it in an annotation", at)
		}
	}
	if at := (yamldoc.Path{"spec", "router", "scheduler", "pool", "spec"}); !p.Object.Get(at...).IsNull() {
		return fmt.Sprintf("%s has other fields in v1alpha2", at)
	}
	merges := func(e yamldoc.Entry) bool { return e.Key.Tag() == "!!merge" }
	p.Object.Node().Walk(nil, func(_ *yamldoc.Trail, n *yamldoc.Node) {
		if slices.ContainsFunc(n.Entries, merges) {
			reason = "the merge key << may hide a field that only v1alpha2 has"
		}
	})
	p.types().Walk(nil, p.Object.Node(), func(at *yamldoc.Trail, _ *yamldoc.Node, f schema.Field) {
		if f.Kept {
			return
		}
		path := at.Path()
		stored := p.Schema.Types(kserve.LLMStored, p.Object.Kind).At(path)
		if stored.Kept || f.Dropped && !stored.Dropped {
			reason = fmt.Sprintf("%s would then have an effect, which it has not in v1alpha1", path)
		}
	})
	if p.KServe.LLMService(p.Object) == nil {
		return reason
	}
	checkAsStored(p, func(r refusal) {
		if p.Versions.Any(r.only) {
			reason = fmt.Sprintf("v1alpha2 refuses %s (%s): %s", r.at, r.words, r.advice)
		}
	})
	return reason
}
