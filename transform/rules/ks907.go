package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks907.md
var ks907Doc string

var keptAutoscaler = &transform.Rule{
	ID:       "KS907",
	Name:     "kept-autoscaler",
	Title:    "An autoscaler stays in the cluster beside the one that takes its place",
	Doc:      ks907Doc,
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/renamed",
	Severity: transform.Error,
	Removed:  run(checkKeptAutoscaler),
}

// checkKeptAutoscaler looks at an autoscaler that Argo CD leaves, or cannot delete, and which scales until it is gone
// (with a finalizer too, as seen on Kubernetes 1.34.4). The HPA controller stops all HPAs of the same pods
// (pkg/controller/podautoscaler/horizontal.go of kubernetes@v1.34.5, AmbiguousSelector), and KEDA's webhook refuses a
// ScaledObject beside another autoscaler (pkg/eventreason and apis/keda/v1alpha1/scaledobject_webhook.go of
// kedacore/keda@v2.18.0).
func checkKeptAutoscaler(p *pass) {
	a := model.Autoscaler{Object: p.Object}
	t := p.Before.StandardTarget(a)
	finalizers := a.Get("metadata", "finalizers").Strings()
	if t == nil || !notPruned(p.Object) && !slices.Contains(finalizers, protectFinalizer) {
		return
	}
	object := strings.ToLower(a.Kind) + " " + shell.Quote(a.Name)
	why, free := "it has Prune=false", fmt.Sprintf("%s delete %s", kubectl(a.Namespace), object)
	if !notPruned(p.Object) {
		why = "nobody takes the finalizer " + protectFinalizer + " off"
		free = fmt.Sprintf(`%s patch %s --type=merge -p '{"metadata":{"finalizers":null}}'`, kubectl(a.Namespace), object)
	}
	s := p.KServe.Service(p.staying(t.Service.Object))
	if s == nil {
		return
	}
	left := fmt.Sprintf("because this change leaves %s in the cluster, for %s", p.Object, why)
	report := func(on *transform.Object, at yamldoc.Path, isHPA bool) {
		f := transform.Report{Object: on, At: at, Category: a.Name, Message: fmt.Sprintf("nothing scales %s any more, %s, and "+
			"Kubernetes stops autoscalers of the same Deployment: after the sync run %s", t.Deployment, left, free)}
		if !isHPA {
			f.Message = fmt.Sprintf("the old autoscaler goes on scaling %s, %s, and KEDA refuses a second one: run %s, and sync "+
				"again", t.Deployment, left, free)
		}
		p.Report(f)
	}
	for _, other := range p.KServe.Autoscalers(s)[t.Component] {
		report(other.Object, yamldoc.Path{"metadata", "name"}, other.IsHPA())
	}
	if class := s.Class(t.Component); t.Service.Class(t.Component) == "external" && !s.MultiNode(t.Component) {
		switch class { // KServe makes one of its own from now on
		case "", "hpa", "keda":
			report(s.Object, s.ClassPath(t.Component), class != "keda")
		}
	}
}
