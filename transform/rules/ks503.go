package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks503.md
var ks503Doc string

var rivalDeployment = &transform.Rule{
	ID:       "KS503",
	Name:     "rival-deployment",
	Title:    "An object has the name of one that KServe makes for a service",
	Doc:      ks503Doc,
	Since:    transform.Release{0, 2},
	Kinds:    scaledKinds,
	Example:  "unknown/selector",
	Severity: transform.Error,
	Run:      run(checkRivals),
}

// checkRivals looks for objects that KServe updates although it did not make them. Of a Deployment,
// checkDeploymentExist asks for the owner only to stop a service, compares nothing but the specs, and its dry run
// already fails where the selector differs (reconcilers/deployment/deployment_reconciler.go@v0.11.0 to @v0.20.0).
func checkRivals(p *pass) {
	s := p.KServe.Service(p.Object)
	if s == nil {
		return
	}
	checkHomonym(p, s)
	if !s.MayBeStandard() {
		return
	}
	if twin := p.KServe.Twin(s); twin != nil {
		f := transform.Report{At: yamldoc.Path{"metadata", "name"}, Category: "twin", Message: fmt.Sprintf("KServe never finishes, "+
			"because it makes one Deployment, %s, for this and for %s: give one of the two another name", twin.Deployment, twin)}
		if !twin.Certain || s.Mode == "" || twin.Mode == "" {
			f.Severity = transform.Warning
		}
		p.Report(f)
	}
	for _, rival := range p.KServe.Rivals(s) {
		spec, isDeployment := rival.Get("spec"), rival.GroupKind() == kserve.Deployment
		if isDeployment && !spec.Has("selector") && !spec.Has("template") || spec.IsNull() {
			continue
		}
		makes, severity := "makes", transform.Error
		if _, certain := p.KServe.ChildNames(s, rival.Component); !certain || s.Mode == "" {
			makes, severity = "may make", transform.Warning
		}
		category := rival.Name
		harm, repair := "the later of the two is refused", ", with another selector, which no update can change: "+
			"give it another name, or remove it"
		switch {
		case !isDeployment:
			category = rival.Kind + " " + rival.Name
			harm, repair = overwrite, ": remove it, or give it another name"
		case selectsComponent(rival.Object):
			harm, repair = overwrite, ", with the same selector: remove it, or give it another name and its pods other labels"
		}
		if rival.Kind == model.Ingress.Kind { // KServe may make HTTPRoutes instead, or neither
			makes, severity = "may make", transform.Warning
		}
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Category: category, Severity: severity,
			Message: fmt.Sprintf("%s, because KServe %s the %s too%s", harm, makes, rival, repair)})
	}
}

// checkHomonym looks for another service that gets a Service or a host of the same name. Knative's route is not ready
// if the Service is not its own (MarkServiceNotOwned in pkg/reconciler/route/reconcile_resources.go of
// knative/serving@knative-v1.19.9), and KServe writes over it.
func checkHomonym(p *pass, s *model.Service) {
	other := p.KServe.Homonym(s)
	if other == nil {
		return
	}
	f := transform.Report{At: yamldoc.Path{"metadata", "name"}, Category: "homonym"}
	switch {
	case s.Mode == kserve.Standard:
		f.Severity = transform.Warning
		f.Message = fmt.Sprintf("requests for the one may reach the other, because this and %s each get the host of %s: give "+
			"one of the two another name; fine if they have no Ingress or HTTPRoute", other, other.Shared)
	case s.Mode == kserve.Knative:
		f.Message = fmt.Sprintf("one of the two never gets ready, because this and %s each get a Service %s: give one of the "+
			"two another name", other, other.Shared)
		if !s.IsGraph() && other.Shared == s.Name || other.Shared == other.Name { // an InferenceService, as before graphs
			f.Severity = transform.Warning
			f.Message += "; fine if disableIstioVirtualHost is set in KServe's configuration"
		}
	default:
		return
	}
	p.Report(f)
}

const overwrite = "KServe and Argo CD overwrite each other's changes"

// selectsComponent reports whether a Deployment has the selector of KServe's of the same name
// (createRawDefaultDeployment in deployment_reconciler.go, and GetRawServiceLabel in pkg/constants/constants.go), or
// none, so that KServe's stays.
func selectsComponent(o *transform.Object) bool {
	selector := o.Get("spec", "selector")
	labels := selector.Get("matchLabels")
	return selector.IsNull() || !labels.IsNull() && len(selector.Entries) == 1 && len(labels.Entries) == 1 &&
		labels.Get("app").Str() == "isvc."+o.Name
}
