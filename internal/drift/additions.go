package drift

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// additions finds what KServe's webhook and the CRD add to the containers of an InferenceService. A structured
// comparison shows it, because the CRD treats the list of containers as one value; a client-side one ignores added
// fields. What the webhook adds outside lists, and an empty resources, no comparison shows.
var additions = &transform.Rule{
	ID:       "DRIFT1",
	Name:     "additions",
	Title:    "KServe adds fields to containers",
	Doc:      "KServe adds fields to containers.",
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "none",
	Severity: transform.Advice,
	Run:      findAdditions,
}

func findAdditions(p *transform.Pass) {
	for _, component := range []string{kserve.Predictor, kserve.Transformer, kserve.Explainer} {
		at := yamldoc.Path{"spec", component}
		containers := p.Object.Get(at.With("containers")...).Get()
		if containers == nil {
			continue
		}
		for i, container := range containers.Items {
			inPorts(p, at.With("containers", i, "ports"), container.Get("ports"))
		}
		framework := func(field string) bool { return !p.Object.Get(at.With(field)...).IsNull() }
		if len(containers.Items) > 0 && !slices.ContainsFunc(kserve.Frameworks[component], framework) {
			inResources(p, at.With("containers", 0, "resources"), containers.Items[0].Get("resources"))
		}
	}
}

// inResources reports the amounts that the defaulter takes from KServe's ConfigMap for the container that serves
// (setResourceRequirementDefaults in pkg/apis/serving/v1beta1/inference_service_defaults.go, v0.14.0 to v0.20.0, and
// with constants up to v0.13.1).
func inResources(p *transform.Pass, at yamldoc.Path, resources *yamldoc.Node) {
	if resources.IsNull() {
		report(p, at)
		return
	}
	for _, kind := range []string{"limits", "requests"} {
		amounts := resources.Get(kind)
		if amounts.IsNull() {
			report(p, at.With(kind))
			continue
		}
		for _, resource := range []string{"cpu", "memory"} {
			if !amounts.Has(resource) {
				report(p, at.With(kind, resource))
			}
		}
	}
}

// protocol is the part of a port's key that the CRD fills in.
const protocol = "protocol"

func inPorts(p *transform.Pass, at yamldoc.Path, ports *yamldoc.Node) {
	if ports.Get() == nil {
		return
	}
	for i, port := range ports.Get().Items {
		if !port.Has(protocol) {
			report(p, at.With(i, protocol))
		}
	}
}

func report(p *transform.Pass, at yamldoc.Path) {
	p.Report(transform.Report{At: at, AsStored: true, Message: "KServe adds this field",
		Unrepaired: "ServerSideApply=true makes Argo CD compare it, and only the cluster knows the value: add " +
			"ServerSideDiff=true"})
}
