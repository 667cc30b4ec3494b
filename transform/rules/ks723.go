package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks723.md
var ks723Doc string

var removedComponent = &transform.Rule{
	ID:       "KS723",
	Name:     "removed-component",
	Title:    "A component is taken out of a service, and its pods go on running",
	Doc:      ks723Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/460"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/standard",
	Severity: transform.Warning,
	Changed:  changing(checkRemovedComponent),
}

// checkRemovedComponent looks for components of which KServe looks at nothing any more: it reconciles those that the spec
// has (Reconcile in pkg/controller/v1beta1/inferenceservice/controller.go, v0.11.2 to v0.20.0).
func checkRemovedComponent(p *pass) {
	s, was := p.KServe.Service(p.Object), p.Before.Service(p.was(p.Object))
	if stops(was.Object) || s.Mode != was.Mode || s.Mode != kserve.Standard && s.Mode != kserve.Knative {
		return
	}
	for _, component := range []string{kserve.Transformer, kserve.Explainer} {
		if was.Get("spec", component).IsNull() || !s.Get("spec", component).IsNull() {
			continue
		}
		kinds := []string{"services.serving.knative.dev"}
		if s.Mode == kserve.Standard {
			kinds = []string{"deployment", "service"}
			switch was.Class(component) {
			case "", "hpa":
				kinds = append(kinds, "hpa")
			case "keda":
				kinds = append(kinds, "scaledobject")
			}
		}
		p.Report(transform.Report{At: yamldoc.Path{"spec"}, Category: component, Message: fmt.Sprintf("the pods of the %s go on "+
			"running, because KServe deletes nothing of a component that the spec no longer has: after the sync run %s delete %s %s",
			component, kubectl(s.Namespace), strings.Join(kinds, ","), shell.Quote(kserve.ComponentName(s.Name, component)))})
	}
}
