package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks603.md
var ks603Doc string

var emptyFields = &transform.Rule{
	ID:       "KS603",
	Name:     "empty-fields",
	Title:    "KServe's webhook drops an empty value",
	Doc:      ks603Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/2232"},
	Windows:  []transform.Window{kserve.WebhookDropsEmpty},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "0.15.2/empty",
	Severity: transform.Warning,
	Run:      run(checkEmpty),
}

func checkEmpty(p *pass) {
	if !p.defaulted() || !p.Versions.All(kserve.WebhookDropsEmpty) {
		return
	}
	p.types().Walk(p.Object.Node, func(path yamldoc.Path, value *yamldoc.Node, f schema.Field) {
		empty := emptiness(value.Get())
		if path[0] == "metadata" || !f.Kept || !f.LeftOutIfEmpty || empty == "" {
			return
		}
		at := slices.Clone(path)
		p.Report(transform.Finding{At: at, AsStored: true, Edits: p.Object.Edits(yamldoc.Delete(at)),
			Message: fmt.Sprintf("KServe's webhook drops %s: %s, so Argo CD shows OutOfSync permanently: remove it", at, empty)})
	})
}

// emptiness returns the value as JSON writes it if it is empty, but not null, else "".
func emptiness(value *yamldoc.Node) string {
	switch value.Kind {
	case yamldoc.Mapping:
		if len(value.Entries) == 0 {
			return "{}"
		}
	case yamldoc.Sequence:
		if len(value.Items) == 0 {
			return "[]"
		}
	default:
		text, isNumber := numberText(value)
		switch {
		case value.Tag == "!!str" && text == "":
			return `""`
		case value.Tag != "!!str" && isNumber && text == "0":
			return "0"
		case value.Tag == "!!bool" && strings.EqualFold(value.Value, "false"):
			return "false"
		}
	}
	return ""
}
