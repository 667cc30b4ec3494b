package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks904.md
var ks904Doc string

var renamedService = &transform.Rule{
	ID:       "KS904",
	Name:     "renamed-service",
	Title:    "A service gets another name, so Argo CD deletes it before the new one serves",
	Doc:      ks904Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "unknown/renamed",
	Severity: transform.Warning,
	Removed:  run(checkRenamed),
}

// served is what a service and its copy under another name have in common.
type served struct {
	kind             transform.GroupKind
	namespace, model string
}

func servedBy(service *transform.Object) served {
	model := service.Get("spec", "predictor", "model", "storageUri")
	if service.GroupKind() == kserve.LLMInferenceService {
		model = service.Get("spec", "model", "uri")
	}
	return served{service.GroupKind(), service.Namespace, model.Str()}
}

// serving returns the services of a render by what they serve.
func serving(render *transform.Render) map[served][]*transform.Object {
	services := map[served][]*transform.Object{}
	for _, o := range render.Objects(renamedService.Kinds...) {
		services[servedBy(o)] = append(services[servedBy(o)], o)
	}
	return services
}

// checkRenamed looks for a new service with the spec of the deleted one. Argo CD deletes first and waits for nothing
// before it applies (pkg/sync/sync_context.go of gitops-engine@v0.7.1, runTasks).
func checkRenamed(p *pass) {
	if notPruned(p.Object) || slices.Contains(syncOptions(p.Object), "PruneLast=true") {
		return
	}
	for _, o := range p.serving()[servedBy(p.Object)] {
		isNew := p.Previous.Object(o.GroupKind(), o.Namespace, o.Name) == nil
		if isNew && o.Get("spec").Equal(p.Object.Get("spec")) {
			p.Report(transform.Finding{Object: o, At: yamldoc.Path{"metadata", "name"}, Message: fmt.Sprintf(
				"this change renames %s: Argo CD deletes it before this one serves; remove the old one in a later commit, "+
					"or set the sync option PruneLast=true of the Application", p.Object)})
			return
		}
	}
}
