package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks603.md
var ks603Doc string

var emptyFields = &transform.Rule{
	ID:       "KS603",
	Name:     "empty-fields",
	Title:    "KServe drops an empty value",
	Doc:      ks603Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/2232"},
	Since:    transform.Release{0, 2},
	Kinds:    append([]transform.GroupKind{kserve.InferenceService}, model.LLMKinds...),
	Example:  "0.15.2/empty",
	Severity: transform.Warning,
	Together: true,
	Run:      run(checkEmpty),
}

// checkEmpty looks at the whole object where KServe drops whatever its types leave out, else only at a framework,
// because the model that takes its place is always written from the types.
func checkEmpty(p *pass) {
	p.checkEmptyModelName()
	if at := (yamldoc.Path{"metadata", "labels"}); p.Object.Get(at...) != nil && emptiness(p.Object.Get(at...)) == "{}" {
		p.reportEmpty(at, "the API server", "{}")
	}
	from, by := yamldoc.Path{}, p.rewriter()
	if by == "" {
		return
	}
	if p.Object.GroupKind() == kserve.InferenceService && !p.Versions.All(kserve.WebhookDropsEmpty) {
		if from = p.convertedFramework(); from == nil {
			return
		}
	}
	p.types().At(from).Walk(from, p.Object.Get(from...), func(trail *yamldoc.Trail, value *yamldoc.Node, f schema.Field) {
		if !f.Kept || !f.LeftOutIfEmpty {
			return
		}
		if empty := emptiness(value.Get()); empty != "" && ofType(f, value.Get()) {
			if at := trail.Path(); at[0] != "metadata" {
				p.reportEmpty(at, by, empty)
			}
		}
	})
}

// checkEmptyModelName reports a name that the webhook replaces with that of the service, as if it were not there.
func (p *pass) checkEmptyModelName() {
	if p.Object.GroupKind() != kserve.LLMInferenceService {
		return
	}
	at := llmModel.With("name")
	if name := p.Object.Get(at...); !name.IsNull() && emptiness(name) == `""` && p.allLLM(kserve.LLMDefaulted) {
		p.reportEmpty(at, "KServe", `""`)
	}
}

func (p *pass) reportEmpty(at yamldoc.Path, by, empty string) {
	p.Report(transform.Report{At: at, AsStored: true, Edits: p.Object.Edits(yamldoc.Delete(at)), Message: fmt.Sprintf(
		"%s, because %s drops %s: %s: remove it", p.outOfSync(), by, at, empty)})
}

// ofType reports whether KServe can read the value, on every release in question.
func ofType(f schema.Field, value *yamldoc.Node) bool {
	return !slices.ContainsFunc(f.All(), func(t schema.Type) bool {
		switch t {
		case "s":
			return value.Tag() != "!!str"
		case "n":
			return value.Tag() == "!!str" || value.Tag() == "!!bool"
		case "b":
			return value.Tag() != "!!bool"
		}
		return t.Kind() != 0 && t.Kind() != value.Kind
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
		case value.Tag() == "!!str" && text == "":
			return `""`
		case value.Tag() != "!!str" && isNumber && text == "0":
			return "0"
		case value.Tag() == "!!bool" && strings.EqualFold(value.Value, "false"):
			return "false"
		}
	}
	return ""
}
