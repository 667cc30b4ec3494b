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
	Doc: `From 0.15.0 on KServe does not read ` + "`" + targetKey + "` and `" + metricsKey + "`" + ` any more: its own autoscaler silently falls
back to 80 % of CPU. The same wish is written as ` + "`scaleTarget` and `scaleMetric`" + ` of each component.

The annotations become those fields. Under another class than ` + "`hpa`" + ` they never meant anything and are left alone.`,
	Window:   kserve.ScalingAnnotationsIgnored,
	Issues:   []string{"https://github.com/kserve/kserve/pull/4349"},
	Kinds:    []string{"InferenceService"},
	Severity: Warning,
	Restarts: true,
	Run:      checkIgnored,
}

func checkIgnored(p *Pass) {
	s := p.Service(p.Object)
	target, metric := s.Annotation(targetKey), s.Annotation(metricsKey)
	if target == "" && metric == "" || s.Mode == kserve.Knative || s.Mode == kserve.ModelMesh || !p.Versions.Any(kserve.ScalingAnnotationsIgnored) {
		return
	}
	var hpa []string
	for _, component := range s.Components() {
		if class, _ := s.Class(component); (class == "" || class == "hpa") && len(p.autoscalersOf(s)[component]) == 0 {
			hpa = append(hpa, component)
		}
	}
	if len(hpa) == 0 {
		return
	}
	key := targetKey
	if target == "" {
		key = metricsKey
	}
	f := Finding{At: yamldoc.Path{"metadata", "annotations", key}}
	percent, err := strconv.Atoi(target)
	switch {
	case !p.Versions.All(kserve.ScalingAnnotationsIgnored):
		f.Needs = p.needsVersion()
		f.Message = fmt.Sprintf("KServe 0.15.0 and later do not read annotation %s: they want scaleTarget and scaleMetric", key)
	case s.Mode == "":
		f.Needs = "default-deployment-mode"
		f.Message = fmt.Sprintf("KServe 0.15.0 and later do not read annotation %s in Standard mode", key)
	case target != "" && err != nil:
		f.Message = fmt.Sprintf("KServe does not read annotation %s, and %q is no percentage: write scaleTarget and scaleMetric", key, target)
	default:
		f.Message = fmt.Sprintf("KServe 0.15.0 and later do not read annotation %s: scaleTarget and scaleMetric say the same", key)
		f.Edits = s.scaleFields(hpa, percent, metric)
	}
	p.Report(f)
}

// scaleFields moves the wish of the annotations into the components, where they do not say anything yet.
func (s *Service) scaleFields(components []string, percent int, metric string) []Edit {
	var edits []Edit
	for _, key := range []string{targetKey, metricsKey} {
		if s.Get("metadata", "annotations").Has(key) {
			edits = append(edits, Edit{s.Object, yamldoc.Delete(yamldoc.Path{"metadata", "annotations", key})})
		}
	}
	if metric == "" {
		metric = "cpu"
	}
	for _, component := range components {
		at := yamldoc.Path{"spec", component}
		if !s.Get(at...).Has("scaleTarget") && percent > 0 {
			edits = append(edits, Edit{s.Object, yamldoc.Set(at.With("scaleTarget"), percent)})
		}
		if !s.Get(at...).Has("scaleMetric") {
			edits = append(edits, Edit{s.Object, yamldoc.Set(at.With("scaleMetric"), metric)})
		}
	}
	return edits
}
