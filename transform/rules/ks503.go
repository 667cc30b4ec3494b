package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks503.md
var ks503Doc string

var rivalDeployment = &transform.Rule{
	ID:       "KS503",
	Name:     "rival-deployment",
	Title:    "A Deployment has the name of one that KServe makes",
	Doc:      ks503Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/selector",
	Severity: transform.Error,
	Run:      run(checkRivals),
}

// checkRivals looks for Deployments that KServe updates although it did not make them
// (reconcilers/deployment/deployment_reconciler.go@v0.11.0 to @v0.20.0: checkDeploymentExist asks for the owner only to
// stop a service, compares nothing but the specs, and its dry run already fails where the selector differs).
func checkRivals(p *pass) {
	s := p.KServe.Service(p.Object)
	if !s.MayBeStandard() {
		return
	}
	for _, rival := range p.KServe.Rivals(s) {
		spec := rival.Get("spec")
		if !spec.Has("selector") && !spec.Has("template") {
			continue
		}
		makes, severity := "makes", transform.Error
		if _, certain := p.KServe.ChildNames(s, rival.Component); !certain || s.Mode == "" {
			makes, severity = "may make", transform.Warning
		}
		harm, repair := "the later of the two is refused", "with another selector, which no update can change: "+
			"give it another name, or remove it"
		if selectsComponent(rival.Object) {
			harm, repair = "KServe and Argo CD overwrite each other's changes", "with the same selector: "+
				"remove it, or give it another name and its pods other labels"
		}
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Category: rival.Name, Severity: severity,
			Message: fmt.Sprintf("%s, because KServe %s the %s too, %s", harm, makes, rival, repair)})
	}
}

// selectsComponent reports whether a Deployment has the selector of KServe's of the same name
// (createRawDefaultDeployment in deployment_reconciler.go, and GetRawServiceLabel in pkg/constants/constants.go), or
// none, so that KServe's stays.
func selectsComponent(o *transform.Object) bool {
	selector := o.Get("spec", "selector")
	labels := selector.Get("matchLabels")
	return selector.IsNull() || !labels.IsNull() && len(selector.Entries) == 1 && len(labels.Entries) == 1 &&
		labels.Get("app").Str() == "isvc."+o.Name
}
