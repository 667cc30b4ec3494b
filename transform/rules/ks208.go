package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks208.md
var ks208Doc string

// utilizationLost are the releases that write a memory address instead of averageUtilization into the trigger of a
// ScaledObject (getKedaMetrics in reconcilers/keda/keda_reconciler.go@v0.15.0,
// https://github.com/kserve/kserve/pull/4373).
var utilizationLost = transform.Window{Before: transform.Release{0, 15, 1}}

var kedaMetrics = &transform.Rule{
	ID:       "KS208",
	Name:     "keda-metrics",
	Title:    "autoscalerClass keda without a metric that KEDA can use",
	Doc:      ks208Doc,
	Issues:   []string{"https://github.com/kserve/kserve/pull/4373"},
	Windows:  []transform.Window{kserve.AutoscalerClasses["keda"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/none",
	Severity: transform.Error,
	Run:      run(checkKedaMetrics),
}

// checkKedaMetrics looks for a ScaledObject whose list of triggers KServe leaves null, because only autoScaling.metrics
// fills it (getKedaMetrics in reconcilers/keda/keda_reconciler.go@v0.15.0 to @v0.20.0). KEDA's definition requires the
// list (config/crd/bases/keda.sh_scaledobjects.yaml of github.com/kedacore/keda/v2@v2.16.1 and @v2.18.0).
func checkKedaMetrics(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() {
		return
	}
	scaled := p.KServe.Autoscalers(s)
	for _, component := range s.Components() {
		if s.Class(component) != "keda" || s.MultiNode(component) || len(scaled[component]) > 0 {
			continue
		}
		at := yamldoc.Path{"spec", component, "autoScaling", "metrics"}
		if metrics := s.Get(at...).List(); len(metrics) > 0 {
			checkUtilization(p, at, metrics)
			continue
		}
		f := transform.Report{At: s.ClassPath(component), Message: fmt.Sprintf(
			"the service never gets ready, because KServe makes a ScaledObject without triggers for the %s, which the API "+
				"server refuses: list the metrics in spec.%[1]s.autoScaling.metrics, or set the class hpa", component)}
		if stops(p.Object) && !p.Versions.Any(stopsNoStandard) {
			fineWhileStopped(&f)
		}
		p.Report(f)
	}
}

// checkUtilization reports the metrics whose target KServe loses.
func checkUtilization(p *pass, at yamldoc.Path, metrics []*yamldoc.Node) {
	if !p.Versions.Known() || !p.Versions.Any(utilizationLost) {
		return
	}
	for i, metric := range metrics {
		if metric.Get("resource", "target", "type").Str() == "Utilization" {
			p.Report(transform.Report{At: at.With(i, "resource", "target"), Message: "KEDA never adds a replica, because " +
				"KServe 0.15.0 gives it a memory address instead of averageUtilization: upgrade to 0.15.1, or set the class hpa"})
		}
	}
}
