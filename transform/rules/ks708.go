package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
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
			left, _ := p.Before.ChildNames(was, component)
			own := ownScaledObject(p.KServe.Autoscalers(s)[component])
			if own == left[0] {
				continue // which Argo CD writes over KServe's
			}
			if own != "" {
				f.Message = fmt.Sprintf("the sync fails, because KServe leaves the ScaledObject %s that it made for the %s, and "+
					"KEDA refuses %s beside it: set the class external first, sync, delete %s, and then add %s", left[0],
					component, own, left[0], own)
				break
			}
			f.Severity = transform.Warning
			f.Message = fmt.Sprintf("KEDA goes on scaling the %s, because KServe leaves the ScaledObject that it made for it: "+
				"delete that once, after the sync", component)
		default:
			continue
		}
		p.Report(f)
	}
}

// ownScaledObject returns the name of the ScaledObject among the autoscalers of a component, "" if there is none. KEDA's
// webhook takes one with the name of the other for the same one, and refuses any other for the same Deployment
// (verifyScaledObjects in apis/keda/v1alpha1/scaledobject_webhook.go of kedacore/keda@v2.18.0).
func ownScaledObject(all []model.Autoscaler) string {
	for _, a := range all {
		if a.GroupKind() == kserve.ScaledObject {
			return a.Name
		}
	}
	return ""
}
