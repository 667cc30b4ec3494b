package rules

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks712.md
var ks712Doc string

var selectorLabels = &transform.Rule{
	ID:       "KS712",
	Name:     "selector-labels",
	Title:    "A label of an LLMInferenceService becomes part of a selector that nobody can change",
	Doc:      ks712Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/version",
	Severity: transform.Warning,
	Run:      run(checkSelectorLabels),
}

// changingLabel matches the labels that have another value with every release of an app.
var changingLabel = regexp.MustCompile(`(?i)(^|[/.-])(version|chart|revision|commit|build|tag)$`)

const kueueLabels = "kueue.x-k8s.io/"

func checkSelectorLabels(p *pass) {
	versions := p.LLMVersions(p.Object)
	if len(versions.Releases()) == 0 {
		return
	}
	if p.LLMService(p.Object) != nil {
		p.checkLabels(yamldoc.Path{"metadata", "labels"}, kueueLabels)
	}
	for _, part := range llmParts {
		if versions.Any(kserve.LLM["v1alpha2"]) && !p.Anywhere(p.Object, part.With("worker")...) {
			p.checkLabels(part.With("labels"), "")
		}
	}
}

// checkLabels reports the labels at a path whose keys start with a prefix.
func (p *pass) checkLabels(at yamldoc.Path, prefix string) {
	labels := p.Object.Get(at...)
	if labels == nil {
		return
	}
	for _, e := range labels.Entries {
		if !strings.HasPrefix(e.Key.Value, prefix) {
			continue
		}
		f := transform.Finding{At: at.With(e.Key.Value), Message: fmt.Sprintf(
			"KServe puts the label %s into the Deployment's selector, which can't change: ", e.Key.Value)}
		if changingLabel.MatchString(e.Key.Value) {
			f.Message += "remove it, because its next value blocks the service, and delete a Deployment that has it"
		} else {
			f.Severity = transform.Advice
			f.Message += "to add, change or remove it later, delete the Deployment"
		}
		p.Report(f)
	}
}
