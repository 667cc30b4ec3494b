package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks708.md
var ks708Doc string

var scalerLeft = &transform.Rule{
	ID:       "KS708",
	Name:     "autoscaler-left",
	Title:    "The autoscaler class changes, and KServe leaves the autoscaler of the old one",
	Doc:      ks708Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/5196"},
	Windows:  []transform.Window{kserve.AutoscalerClasses["keda"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/keda",
	Severity: transform.Error,
	Changed:  changing(checkScalerLeft),
}

// checkScalerLeft looks at changes to and from class keda. createAutoscaler chooses one reconciler by the class, and
// neither looks for what the other one made (reconcilers/autoscaler/autoscaler_reconciler.go@v0.15.0 to @v0.20.0).
func checkScalerLeft(p *pass) {
	s, was := p.KServe.Service(p.Object), p.Before.Service(p.was(p.Object))
	if s.Mode != kserve.Standard || was.Mode != kserve.Standard || stops(was.Object) || stops(s.Object) {
		return
	}
	for _, component := range s.Components() {
		if !was.Get("spec").Has(component) || s.MultiNode(component) || was.MultiNode(component) {
			continue
		}
		from, to := was.Class(component), s.Class(component)
		f := transform.Report{At: s.ClassPath(component), Category: component}
		switch {
		case from == to:
			continue
		case to == "keda" && (from == "" || from == "hpa"):
			f.Message = fmt.Sprintf("the service never becomes what this says, because KServe leaves the "+
				"HorizontalPodAutoscaler that it made for the %s, and KEDA refuses a ScaledObject for a Deployment that another "+
				"one scales: set the class external first, sync, and then set keda", component)
		case from == "keda":
			f.Severity = transform.Warning
			f.Message = fmt.Sprintf("KEDA goes on scaling the %s, because KServe leaves the ScaledObject that it made for it: "+
				"delete that once, after the sync", component)
		default:
			continue
		}
		p.Report(f)
	}
}
