package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks911.md
var ks911Doc string

var removedPreset = &transform.Rule{
	ID:       "KS911",
	Name:     "removed-preset",
	Title:    "Argo CD deletes a preset of KServe's when Git no longer has it",
	Doc:      ks911Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceServiceConfig},
	About:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/preset",
	Severity: transform.Advice,
	Run: run(func(p *pass) {
		if !isPrunedPreset(p.Object) {
			return
		}
		others, first := p.otherPresets()
		if !first {
			return
		}
		where := ""
		if others > 0 {
			where = fmt.Sprintf(", here and on %d more presets in %s", others, p.Object.Namespace)
		}
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Message: "once Git lacks this preset of KServe's, " +
			deletedPreset(p) + ": write the annotation argocd.argoproj.io/sync-options: Prune=false" + where})
	}),
	Removed: run(func(p *pass) {
		if isPrunedPreset(p.Object) {
			p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Severity: transform.Error, Message: "with this " +
				"change, " + deletedPreset(p) + ": keep it, or sync the annotation argocd.argoproj.io/sync-options: Prune=false " +
				"first, with which Argo CD leaves it in the cluster"})
		}
	}),
}

// otherPresets returns how many other presets Argo CD deletes in the namespace of the pass's object, if that is the
// first.
func (p *pass) otherPresets() (others int, first bool) {
	for _, o := range p.Snapshot.Objects(kserve.LLMInferenceServiceConfig) {
		if o.Namespace != p.Object.Namespace || !isPrunedPreset(o) {
			continue
		}
		if o == p.Object {
			first = true
		} else if !first {
			return 0, false
		} else {
			others++
		}
	}
	return others, first
}

// isPrunedPreset reports whether a Config is a preset of KServe's, for services of all namespaces, and Argo CD deletes
// it when Git no longer has it.
func isPrunedPreset(o *transform.Object) bool {
	return kserve.IsPreset(o.Name) && isPlatformConfig(o) && !notPruned(o)
}

// deletedPreset says what people see when Argo CD deletes a preset, and why.
func deletedPreset(p *pass) string {
	refused := "the sync fails, because KServe 0.20 and later refuse the deletion of a preset"
	gone := "LLM services break at their next change, because KServe before 0.20 lets Argo CD delete the preset that they need"
	switch {
	case p.Versions.All(kserve.LLMConfigsProtected):
		return refused
	case !p.Versions.Any(kserve.LLMConfigsProtected):
		return gone
	}
	return refused + ", or " + gone
}
