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
// (pkg/controller/podautoscaler/horizontal.go of kubernetes@v1.34.5, AmbiguousSelector).
func checkKeptAutoscaler(p *pass) {
	a := model.Autoscaler{Object: p.Object}
	t := p.Before.StandardTarget(a)
	finalizers := a.Get("metadata", "finalizers").Strings()
	if t == nil || !notPruned(p.Object) && !slices.Contains(finalizers, protectFinalizer) {
		return
	}
	object := strings.ToLower(a.Kind) + " " + shellQuote(a.Name)
	why, free := "it has Prune=false", fmt.Sprintf("%s delete %s", kubectl(a.Namespace), object)
	if !notPruned(p.Object) {
		why = "nobody takes the finalizer " + protectFinalizer + " off"
		free = fmt.Sprintf(`%s patch %s --type=merge -p '{"metadata":{"finalizers":null}}'`, kubectl(a.Namespace), object)
	}
	s := p.KServe.Service(p.staying(t.Service.Object))
	if s == nil {
		return
	}
	for _, other := range p.KServe.Autoscalers(s)[t.Component] {
		p.Report(transform.Report{Object: other.Object, At: yamldoc.Path{"metadata", "name"}, Category: a.Name,
			Message: fmt.Sprintf("nothing scales %s any more, because this change leaves %s in the cluster, for %s, and Kubernetes "+
				"stops autoscalers of the same Deployment: after the sync run %s", t.Deployment, p.Object, why, free)})
	}
}
