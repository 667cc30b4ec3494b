package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks704.md
var ks704Doc string

var canaryIgnored = &transform.Rule{
	ID:       "KS704",
	Name:     "canary-ignored",
	Title:    "In Standard mode canaryTrafficPercent holds no traffic back",
	Doc:      ks704Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/canary",
	Severity: transform.Warning,
	Run:      run(checkCanaryIgnored),
}

// checkCanaryIgnored reports the field, which only ksvc_reconciler.go reads (v0.11.2 to v0.20.0). 100 means the same in
// both modes.
func checkCanaryIgnored(p *pass) {
	s := p.KServe.Service(p.Object)
	if s.Mode != kserve.Standard {
		return
	}
	components(s, func(name string, spec *yamldoc.Node) {
		percent := spec.Get("canaryTrafficPercent")
		if percent.IsNull() || percent.Str() == "100" || isPlaceholder(percent.Str()) {
			return
		}
		advice := "remove it, or choose the mode Knative"
		if name == kserve.Predictor && p.Versions.All(kserve.NamedPredictor) {
			advice = "use spec.canary"
		}
		p.Report(transform.Report{At: yamldoc.Path{"spec", name, "canaryTrafficPercent"}, Message: fmt.Sprintf(
			"a new version gets all traffic at once, because KServe ignores canaryTrafficPercent in Standard mode (%s): %s",
			s.ModeEvidence, advice)})
	})
}
