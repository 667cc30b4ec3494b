package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks209.md
var ks209Doc string

// metricsPanic are the releases whose controller panics on an entry of autoScaling.metrics without resource, unless the
// class is keda (getHPAMetrics in reconcilers/hpa/hpa_reconciler.go@v0.15.2; @v0.16.0 skips the entry). It recovers,
// and reconciles nothing of the service.
var metricsPanic = transform.Window{Before: transform.Release{0, 16, 0}}

var metricWithoutKeda = &transform.Rule{
	ID:       "KS209",
	Name:     "metric-without-keda",
	Title:    "A metric for KEDA without autoscalerClass keda",
	Doc:      ks209Doc,
	Issues:   []string{"https://github.com/kserve/kserve/pull/4704"},
	Windows:  []transform.Window{kserve.AutoscalerClasses["keda"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.15.2/external",
	Severity: transform.Error,
	Run:      run(checkMetricWithoutKeda),
}

// checkMetricWithoutKeda looks for the metrics that KServe's webhook refuses only if the class hpa is an annotation of
// the service (validateAutoScalingCompExtension in inference_service_validation.go@v0.15.2 and @v0.20.0).
func checkMetricWithoutKeda(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() {
		return
	}
	scaled := p.KServe.Autoscalers(s)
	for _, component := range s.Components() {
		edits := withoutKedaMetrics(s, component)
		if len(edits) == 0 {
			continue
		}
		c := componentClass{Service: s, component: component}
		class := s.Class(component)
		switch {
		case class == "keda": // KS201 removes the metrics if it sets another class
		case len(scaled[component]) > 0 && c.becomesExternal(p):
			c.checkUnusedMetric(p, edits, "external")
		case class == "external", class == "none":
			c.checkUnusedMetric(p, edits, class)
		case class == "", class == "hpa" && s.ClassPath(component)[0] == "spec":
			c.checkUnreadMetric(p, edits[0].Path)
		}
	}
}

// withoutKedaMetrics returns the edits that delete the metrics of a component that only KEDA reads, in their order. If
// nothing else is left, they then delete the list and the map that holds nothing else as well: the edits of the metrics
// still count, because none of them can be made where two components share an anchor.
func withoutKedaMetrics(s *model.Service, component string) (edits []yamldoc.Edit) {
	autoScaling := yamldoc.Path{"spec", component, "autoScaling"}
	at := autoScaling.With("metrics")
	metrics := s.Get(at...).List()
	for i, metric := range metrics {
		if metric.Get("resource").IsNull() {
			edits = append(edits, yamldoc.Delete(at.With(i)))
		}
	}
	if len(edits) > 0 && len(edits) == len(metrics) {
		if len(s.Get(autoScaling...).Entries) == 1 {
			at = autoScaling
		}
		edits = append(edits, yamldoc.Delete(at))
	}
	return edits
}

// checkUnusedMetric reports a metric on a component that has or gets a class with which KServe does not scale it.
func (c componentClass) checkUnusedMetric(p *pass, edits []yamldoc.Edit, class string) {
	if !p.Versions.Any(metricsPanic) {
		return
	}
	f := transform.Report{At: edits[0].Path, Message: fmt.Sprintf(
		"no change of the service has an effect, because KServe 0.15 panics on this metric of the %s with autoscalerClass "+
			"%s: remove the metric, which only KEDA reads", c.component, class)}
	if p.Versions.All(metricsPanic) {
		f.Edits = p.Object.Edits(edits...)
	} else {
		f.Needs = kserveVersion
	}
	p.Report(f)
}

// checkUnreadMetric reports a metric by which KServe is meant to scale a component.
func (c componentClass) checkUnreadMetric(p *pass, at yamldoc.Path) {
	f := transform.Report{At: at, Message: fmt.Sprintf(
		"no change of the service has an effect, because KServe 0.15 panics on this metric of the %s without "+
			"autoscalerClass keda: set the class keda, or use a metric of the type Resource", c.component)}
	if !p.Versions.Any(metricsPanic) {
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("nothing scales the %s by this metric, because KServe's "+
			"HorizontalPodAutoscaler leaves it out: set the class keda and delete that HorizontalPodAutoscaler once, "+
			"or use a metric of the type Resource", c.component)
	}
	p.Report(f)
}
