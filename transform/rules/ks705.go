package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks705.md
var ks705Doc string

var otherModeScaling = &transform.Rule{
	ID:       "KS705",
	Name:     "other-mode-scaling",
	Title:    "A component has scaling settings that its deployment mode ignores",
	Doc:      ks705Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/6001"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/standard",
	Severity: transform.Warning,
	Run:      run(checkOtherMode),
}

// checkOtherMode looks at what only the other mode reads. Knative's settings are read by ksvc_reconciler.go, those of
// Standard mode by hpa_reconciler.go and keda_reconciler.go (v0.11.2 to v0.20.0).
func checkOtherMode(p *pass) {
	s := p.KServe.Service(p.Object)
	ignored := map[kserve.Mode]otherMode{kserve.Standard: {p, s, kserve.Knative}, kserve.Knative: {p, s, kserve.Standard}}
	o, known := ignored[s.Mode]
	if !known {
		return
	}
	// KS501 says that a service without the annotation has another mode than its settings show.
	byKS501 := s.Annotation(kserve.DeploymentModeAnnotation) == "" && p.KServe.DefaultMode != ""
	if !byKS501 {
		o.checkAnnotations(yamldoc.Path{"metadata", "annotations"})
	}
	components(s, func(name string, spec *yamldoc.Node) {
		at := yamldoc.Path{"spec", name}
		if !byKS501 {
			o.checkAnnotations(at.With("annotations"))
			if s.Mode == kserve.Standard && !spec.Get("containerConcurrency").IsNull() {
				o.report(at.With("containerConcurrency"), "containerConcurrency")
			}
		}
		if s.Mode == kserve.Standard {
			checkStandardScaling(p, s, name, spec, at)
		} else if !spec.Get("autoScaling").IsNull() {
			o.report(at.With("autoScaling"), "autoScaling")
		}
	})
}

// otherMode is the search for settings of the mode that the service does not have.
type otherMode struct {
	*pass
	*model.Service
	other kserve.Mode
}

func (o otherMode) report(at yamldoc.Path, setting string) {
	o.Report(transform.Report{At: at, Message: fmt.Sprintf(
		"%s has no effect, because KServe reads it only in the mode %s, and the mode is %s (%s): remove it, or choose the "+
			"other mode",
		setting, o.other, o.Mode, o.ModeEvidence)})
}

// checkAnnotations reports the first annotation that belongs to the other mode.
func (o otherMode) checkAnnotations(at yamldoc.Path) {
	standard := []string{kserve.AutoscalerClassAnnotation, targetKey, metricsKey}
	for step := range o.Get(at...).Children() {
		key := fmt.Sprint(step)
		knative := strings.HasPrefix(key, "autoscaling.knative.dev/")
		if o.other == kserve.Knative && knative || o.other == kserve.Standard && slices.Contains(standard, key) {
			o.report(at.With(key), "the annotation "+key)
			return
		}
	}
}

// checkStandardScaling reports what KServe's own HPA reads in another way than it is meant. KS801 reports a metric that
// is refused.
func checkStandardScaling(p *pass, s *model.Service, name string, spec *yamldoc.Node, at yamldoc.Path) {
	class := s.Class(name)
	if class != "" && class != "hpa" || len(p.KServe.Autoscalers(s)[name]) > 0 {
		return
	}
	metric := spec.Get("scaleMetric").Str()
	byClass := s.Annotation(kserve.AutoscalerClassAnnotation) != "hpa" && p.Versions.All(scalingByClass)
	if slices.Contains(knativeMetrics, metric) && byClass && spec.Get("autoScaling").IsNull() {
		p.Report(transform.Report{At: at.With("scaleMetric"), Message: fmt.Sprintf("cpu 80%% scales the service, because "+
			"KServe's HPA can't scale by %s: use cpu or memory, or choose the mode Knative", metric)})
	}
	if n, given := spec.Get("minReplicas").Int(); given && n == 0 {
		p.Report(transform.Report{At: at.With("minReplicas"), Severity: transform.Advice,
			Message: "the last pod stays, because KServe's HPA makes 1 of minReplicas 0: " +
				"write 1, or use the class keda to scale to zero"})
	}
}
