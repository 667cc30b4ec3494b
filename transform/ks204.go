package transform

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var autoscalerOwner = &Rule{
	ID:    "KS204",
	Name:  "autoscaler-owner",
	Title: "A user's autoscaler does not say which service it scales",
	Doc: `An autoscaler that a team brings for an InferenceService is connected to it by nothing but a derived Deployment name.
The rule writes the connection down: ` + "`argocd-kserve-plugin/owner`" + ` and ` + "`argocd-kserve-plugin/autoscaler-class`" + `, both constant, on the
autoscaler alone, where they restart nothing.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/4312"},
	Kinds:    autoscalerKinds,
	Example:  "unknown/owner",
	Severity: Advice,
	Run:      checkOwner,
}

func checkOwner(p *Pass) {
	scaled := p.scaledBy(autoscaler{p.Object})
	if scaled == nil || !(classOf{Service: scaled.service, component: scaled.component}).external(p) {
		return
	}
	annotations := yamldoc.Path{"metadata", "annotations"}
	var edits []Edit
	for _, want := range []yamldoc.Field{{Key: ownerKey, Value: "InferenceService/" + scaled.service.Name}, {Key: ownerClassKey, Value: "external"}} {
		if p.Object.Annotation(want.Key) != want.Value {
			edits = append(edits, Edit{p.Object, yamldoc.Set(annotations.With(want.Key), want.Value)})
		}
	}
	if len(edits) > 0 {
		p.repair(Finding{At: annotations, Message: fmt.Sprintf("scales the %s of %s: add the ownership annotations", scaled.component, scaled.service)}, edits...)
	}
}
