package rules

import (
	_ "embed"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
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
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/version",
	Severity: transform.Warning,
	Run:      run(checkSelectorLabels),
}

// changingLabel matches the labels that have another value with every release of an app.
var changingLabel = lazyregexp.New(`(?i)(^|[/.-])(version|chart|revision|commit|build|tag)$`)

const (
	kueueLabels = "kueue.x-k8s.io/"
	inSelector  = " into the Deployment's selector, which can't change: "
)

// checkSelectorLabels leaves parts with workers alone: a LeaderWorkerSet selects its pods by labels of its own, and
// takes changed labels for a new revision (constructLeaderStatefulSetApplyConfiguration in
// pkg/controllers/leaderworkerset_controller.go of kubernetes-sigs/lws@v0.8.0).
func checkSelectorLabels(p *pass) {
	versions := p.KServe.LLMVersions(p.Object)
	if len(versions.Releases()) == 0 {
		return
	}
	for _, part := range llmParts {
		if p.KServe.Anywhere(p.Object, part.With(kserve.LLMWorkers)...) {
			continue
		}
		if len(part) == 1 && p.KServe.LLMService(p.Object) != nil {
			p.checkLabels(yamldoc.Path{"metadata", "labels"}, kueueLabels)
		}
		if versions.Any(kserve.LLM["v1alpha2"]) {
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
	var fixed []string
	for _, e := range labels.Entries {
		switch key := e.Key.Value; {
		case !strings.HasPrefix(key, prefix):
		case changingLabel().MatchString(key):
			p.Report(transform.Report{At: at.With(key), Message: "the next value of " + key + " blocks the service, " +
				"because KServe copies it" + inSelector + "remove it, and delete a Deployment that has it"})
		case !isPlaceholder(e.Value.Str()):
			fixed = append(fixed, key)
		}
	}
	if len(fixed) > 0 {
		p.Report(transform.Report{At: at.With(fixed[0]), Severity: transform.Advice,
			Message: "a change of " + strings.Join(fixed, ", ") + " blocks the service, because KServe copies it" + inSelector +
				"delete the Deployment when you change it"})
	}
}
