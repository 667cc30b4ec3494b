package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks203.md
var ks203Doc string

var autoscalerFinalizer = &transform.Rule{
	ID:       "KS203",
	Name:     "autoscaler-finalizer",
	Title:    "The finalizer kserve.io/protect blocks deletion or is dropped",
	Doc:      ks203Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/4312", "https://github.com/kserve/kserve/pull/4363"},
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "unknown/only",
	Severity: transform.Error,
	Run:      run(checkFinalizer),
}

// protectFinalizer is the finalizer that some guides recommend to keep KServe from deleting an HPA.
const protectFinalizer = "kserve.io/protect"

func checkFinalizer(p *pass) {
	list := yamldoc.Path{"metadata", "finalizers"}
	finalizers := p.Object.Get(list...).Strings()
	at := slices.Index(finalizers, protectFinalizer)
	lost := (model.Autoscaler{Object: p.Object}).IsHPA() && p.Versions.Any(kserve.ForeignAutoscalersLost) &&
		p.KServe.NameOwner(p.Object, p.Object.Name) != nil
	keep := lost && p.Options.Autoscaler == AutoscalerFinalizer
	switch {
	case keep && at < 0:
		p.repairName(transform.Report{At: list,
			Message: fmt.Sprintf("the HPA is lost, because KServe %s delete any with this name: add the finalizer %s",
				kserve.ForeignAutoscalersProtectable, protectFinalizer)},
			p.Object.Edits(yamldoc.Set(list, withFinalizer(finalizers)))...)
	case !keep && at >= 0:
		f := transform.Report{At: list.With(at),
			Message: fmt.Sprintf("the autoscaler hangs in deletion, because nothing takes the finalizer %s off: remove it",
				protectFinalizer)}
		if lost {
			f.Message += fmt.Sprintf(", and run this so that prune removes the old object: "+
				`%s patch hpa %s --type=merge -p '{"metadata":{"finalizers":null}}'`,
				kubectl(p.Object.Namespace), shell.Quote(p.Object.Name))
		}
		p.repairName(f, p.Object.Edits(withoutFinalizer(list, finalizers)...)...)
	}
}

func withFinalizer(finalizers []string) []any {
	var list []any
	for _, f := range finalizers {
		list = append(list, f)
	}
	return append(list, protectFinalizer)
}

// withoutFinalizer removes the finalizer from the list, or the list when it holds nothing else.
func withoutFinalizer(list yamldoc.Path, finalizers []string) []yamldoc.Edit {
	var edits []yamldoc.Edit
	for i, f := range finalizers {
		if f == protectFinalizer {
			edits = append(edits, yamldoc.Delete(list.With(i)))
		}
	}
	if len(edits) == len(finalizers) {
		return []yamldoc.Edit{yamldoc.Delete(list)}
	}
	return edits
}
