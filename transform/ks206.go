package transform

import (
	"fmt"
	"strconv"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const (
	targetKey  = "serving.kserve.io/targetUtilizationPercentage"
	metricsKey = "serving.kserve.io/metrics"
)

var autoscalerIgnored = &Rule{
	ID:    "KS206",
	Name:  "autoscaler-ignored",
	Title: "Scaling annotations that KServe no longer reads",
	Doc: `From 0.15.0 on KServe does not read ` + "`" + targetKey + "`" + ` any more: its own HorizontalPodAutoscaler
silently falls back to 80 % of CPU. The same wish is written as ` + "`scaleTarget` and `scaleMetric`" + ` of each component.

The annotation becomes those fields. Beside ` + "`" + metricsKey + ": memory`" + ` it is reported only: no release ever scaled by
that annotation, and scaling a model server by its memory is a decision. Under another class than ` + "`hpa`" + ` neither annotation
means anything, and both are left alone. KServe 0.16.0 refuses ` + "`scaleMetric: cpu`" + ` in a service that still says RawDeployment; there the
mode has to be respelt first (KS501).`,
	Window:   kserve.ScalingAnnotationsIgnored,
	Issues:   []string{"https://github.com/kserve/kserve/pull/4349"},
	Kinds:    []string{"InferenceService"},
	Example:  "0.20.0/target",
	Severity: Warning,
	Restarts: true,
	Run:      checkIgnored,
}

func checkIgnored(p *Pass) {
	s := p.Service(p.Object)
	if !s.mayBeStandard() || !p.Versions.Any(kserve.ScalingAnnotationsIgnored) {
		return
	}
	for _, component := range s.Components() {
		class, _ := s.Class(component)
		spec := s.Get("spec", component)
		target, at := s.inherited(component, targetKey)
		if target != "" && (class == "" || class == "hpa") && len(p.autoscalersOf(s)[component]) == 0 &&
			!spec.Has("scaleTarget") && !spec.Has("autoScaling") {
			checkTargetPercentage(p, s, component, target, at)
		}
	}
}

// checkTargetPercentage finds the annotation on a component that KServe scales.
func checkTargetPercentage(p *Pass, s *Service, component, target string, at yamldoc.Path) {
	f := Finding{At: at, Message: fmt.Sprintf("KServe 0.15.0 and later do not read %s for the %s", targetKey, component)}
	metric, metricAt := s.inherited(component, metricsKey)
	percent, err := strconv.Atoi(target)
	mode := s.Annotation(kserve.DeploymentModeAnnotation)
	switch {
	case !p.Versions.All(kserve.ScalingAnnotationsIgnored):
		f.Needs = "kserve-version"
	case s.Mode == "":
		f.Needs = "default-deployment-mode"
	case err != nil || percent < 1 || percent > 100:
		f.Message += fmt.Sprintf("; %q is no percentage: write scaleTarget and scaleMetric", target)
	case metric != "" && metric != "cpu":
		f.Message += fmt.Sprintf("; no release scaled by the annotation for %s: write scaleTarget and scaleMetric as you mean it", metric)
	case mode == kserve.Standard.Spelling(kserve.Release{}) && p.Versions.Any(kserve.LegacyModeKnative) && p.Options.DeploymentModeRewrite != "always":
		f.Message += "; 0.16.0 refuses scaleMetric cpu beside the mode " + mode + ": set deployment-mode-rewrite to always, or upgrade"
	default:
		f.Message += ": write scaleTarget and scaleMetric"
		f.Edits = append(s.withoutAnnotations(at, metricAt), Edit{s.Object, yamldoc.Set(yamldoc.Path{"spec", component, "scaleTarget"}, percent)})
		if !s.Get("spec", component).Has("scaleMetric") {
			f.Edits = append(f.Edits, Edit{s.Object, yamldoc.Set(yamldoc.Path{"spec", component, "scaleMetric"}, "cpu")})
		}
	}
	p.Report(f)
}

// withoutAnnotations deletes those of the annotations that are there, and a component's map that holds nothing else: its
// webhook drops an empty one. That of the service is left to the other rules that write to it.
func (s *Service) withoutAnnotations(paths ...yamldoc.Path) []Edit {
	var edits []Edit
	gone := map[string]int{}
	for _, at := range paths {
		if s.Get(at...) != nil {
			edits = append(edits, Edit{s.Object, yamldoc.Delete(at)})
			gone[at[:len(at)-1].String()]++
		}
	}
	for _, at := range paths {
		parent := at[:len(at)-1]
		if parent[0] == "spec" && gone[parent.String()] == len(s.Get(parent...).Entries) {
			edits = append(edits, Edit{s.Object, yamldoc.Delete(parent)})
		}
	}
	return edits
}
