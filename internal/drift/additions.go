package drift

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// additions finds what KServe's webhook and the CRD add to the containers of an InferenceService. The lists of
// containers belong to one manager as a whole (x-kubernetes-list-type is atomic in the CRD, v0.11.0 to v0.20.0), so a
// structured comparison shows every field in them that Git lacks; a client-side one ignores such fields.
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
		custom := !slices.ContainsFunc(kserve.Frameworks[component], func(framework string) bool {
			return !p.Object.Get(at.With(framework)...).IsNull()
		})
		for _, list := range []string{"containers", "initContainers"} {
			containers := p.Object.Get(at.With(list)...).Get()
			if containers == nil {
				continue
			}
			for i, container := range containers.Items {
				serving := custom && list == "containers" && i == 0
				inContainer(p, at.With(list, i), container, serving)
			}
		}
	}
}

// protocol is a part of the key of a port.
const protocol = "protocol"

func inContainer(p *transform.Pass, at yamldoc.Path, container *yamldoc.Node, serving bool) {
	add := func(steps ...any) {
		p.Report(transform.Finding{At: at.With(steps...), AsStored: true, Message: "KServe adds this field",
			Unrepaired: "ServerSideApply compares whole containers, and only the cluster knows the value"})
	}
	resources := container.Get("resources")
	if resources.IsNull() {
		add("resources")
	} else if serving {
		for _, kind := range []string{"limits", "requests"} {
			amounts := resources.Get(kind)
			if amounts.IsNull() {
				add("resources", kind)
				continue
			}
			for _, resource := range []string{"cpu", "memory"} {
				if !amounts.Has(resource) {
					add("resources", kind, resource)
				}
			}
		}
	}
	if serving && container.Get("name").Str() == "" {
		add("name")
	}
	if ports := container.Get("ports"); ports != nil {
		for i, port := range ports.Items {
			if !port.Has(protocol) {
				add("ports", i, protocol)
			}
		}
	}
}
