package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks001.md
var ks001Doc string

// unusedIgnore is the rule that comments and annotations which accept nothing are reported under. No setting selects it
// or switches it off.
var unusedIgnore = &transform.Rule{
	ID:       "KS001",
	Name:     "unused-ignore",
	Title:    "A comment or annotation accepts a finding that is not there",
	Doc:      ks001Doc,
	Severity: transform.Warning,
}
