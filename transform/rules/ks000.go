package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks000.md
var ks000Doc string

// NotRepaired is the rule that faults of the catalogue and the engine are reported under. No setting selects it or
// switches it off.
var NotRepaired = &transform.Rule{
	ID:       "KS000",
	Name:     "not-repaired",
	Title:    "A repair is left out, because it could not be proved",
	Doc:      ks000Doc,
	Severity: transform.Error,
}
