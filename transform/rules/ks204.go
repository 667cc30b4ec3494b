package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks204.md
var ks204Doc string

var autoscalerOwner = &transform.Rule{
	ID:       "KS204",
	Name:     "autoscaler-owner",
	Title:    "A user's autoscaler does not name the service that it scales",
	Doc:      ks204Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/4312"},
	Windows:  []transform.Window{kserve.AutoscalerClasses["external"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.AutoscalerKinds,
	About:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/owner",
	Severity: transform.Advice,
	Enriches: true,
	Run:      run(checkOwner),
}

// ownerClassKey is one more annotation of a user's autoscaler: KServe does not read it.
const ownerClassKey = "argocd-kserve-plugin/autoscaler-class"

func checkOwner(p *pass) {
	target := p.KServe.StandardTarget(model.Autoscaler{Object: p.Object})
	if target == nil || target.Service.Elsewhere || target.Service.IsGraph() {
		return
	}
	if !(componentClass{Service: target.Service, component: target.Component}).becomesExternal(p) {
		return
	}
	annotations := yamldoc.Path{"metadata", "annotations"}
	var missing []string
	var edits []yamldoc.Edit
	for _, want := range []yamldoc.Field{
		{Key: model.OwnerAnnotation, Value: "InferenceService/" + target.Service.Name},
		{Key: ownerClassKey, Value: "external"},
	} {
		if p.Object.Annotation(want.Key) != want.Value {
			missing = append(missing, want.Key)
			edits = append(edits, yamldoc.Set(annotations.With(want.Key), want.Value))
		}
	}
	if len(edits) > 0 {
		p.Report(transform.Report{At: annotations, Edits: p.Object.Edits(edits...),
			Message: fmt.Sprintf("only the name of a Deployment shows that this scales the %s of %s: set %s",
				target.Component, target.Service, joined(missing, "and"))})
	}
}
