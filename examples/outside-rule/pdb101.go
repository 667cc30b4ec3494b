package main

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed pdb101.md
var pdb101Doc string

// The Kubernetes releases that serve policy/v1, and those that no longer serve policy/v1beta1:
// https://kubernetes.io/docs/reference/using-api/deprecation-guide/#poddisruptionbudget-v125
var (
	hasV1    = transform.Window{From: transform.Release{1, 21, 0}}
	lacksOld = transform.Window{From: transform.Release{1, 25, 0}}
)

var disruptionBudgetVersion = &transform.Rule{
	ID:       "PDB101",
	Name:     "disruption-budget-version",
	Title:    "A PodDisruptionBudget has the API version policy/v1beta1",
	Doc:      pdb101Doc,
	Issues:   []string{"https://github.com/kubernetes/kubernetes/pull/99290"},
	Windows:  []transform.Window{hasV1},
	Kinds:    []transform.GroupKind{{Group: "policy", Kind: "PodDisruptionBudget"}},
	Example:  "1.25.0/budget",
	Severity: transform.Warning,
	Run:      checkDisruptionBudgetVersion,
}

func checkDisruptionBudgetVersion(p *transform.Pass) {
	if p.Object.APIVersion != "policy/v1beta1" {
		return
	}
	f := transform.Report{At: yamldoc.Path{"apiVersion"}, Message: "policy/v1 replaces policy/v1beta1"}
	if lacksOld.ContainsAll(p.Releases) {
		f.Severity = transform.Error
		f.Message = "this release does not serve policy/v1beta1: use policy/v1"
	}
	switch {
	case empty(p.Object.Get("spec", "selector")):
		f.Unrepaired = "the empty selector selects no pods in v1beta1, and all pods of the namespace in v1"
	case !hasV1.ContainsAll(p.Releases):
		f.Needs = "release"
	default:
		f.Edits = p.Object.Edits(yamldoc.Set(f.At, "policy/v1"))
	}
	p.Report(f)
}

// empty reports whether the label selector is there and has no requirements.
func empty(selector *yamldoc.Node) bool {
	if selector == nil || selector.Kind != yamldoc.Mapping {
		return false
	}
	labels, expressions := selector.Get("matchLabels"), selector.Get("matchExpressions")
	return (labels == nil || len(labels.Entries) == 0) && (expressions == nil || len(expressions.Items) == 0)
}
