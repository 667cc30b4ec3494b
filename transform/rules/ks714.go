package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks714.md
var ks714Doc string

var brokenTemplate = &transform.Rule{
	ID:       "KS714",
	Name:     "broken-template",
	Title:    "KServe reads a string of an LLMInferenceService as a broken template",
	Doc:      ks714Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "unknown/chat-template",
	Severity: transform.Error,
	Run:      run(checkTemplates),
}

func checkTemplates(p *pass) {
	spec := yamldoc.Path{"spec"}
	p.types().At(spec).Walk(spec, p.Object.Get(spec...), func(at *yamldoc.Trail, value *yamldoc.Node, f schema.Field) {
		if err := templateFault(value.Str()); f.Kept && err != nil {
			p.Report(transform.Report{At: at.Path(),
				Message: "the service never gets ready (" + err.Error() + "), because " + templateAdvice})
		}
	})
}
