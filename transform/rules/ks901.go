package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks901.md
var ks901Doc string

var pruneOrder = &transform.Rule{
	ID:    "KS901",
	Name:  "prune-order",
	Title: "A service may be deleted after the controller that has to clean up for it",
	Doc:   ks901Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/3102", "https://github.com/kserve/kserve/issues/3770",
		"https://github.com/kserve/kserve/issues/5037",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Mentions: []string{kserve.Controllers[kserve.InferenceService], kserve.Controllers[kserve.LLMInferenceService]},
	Example:  "unknown/both",
	Severity: transform.Advice,
	Run:      run(checkPruneOrder),
	Removed:  run(checkPrunedTogether),
}

func checkPruneOrder(p *pass) {
	controller := controllerBefore(p.Snapshot, p.Object)
	if controller != nil && !p.Object.IsLive() { // those of a cluster are of many apps
		p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Message: fmt.Sprintf(
			"the first sync may fail, because %[1]s does not answer yet, and the service may hang in deletion with KServe's "+
				"finalizer when the app is deleted, because %[1]s may go first: put KServe into an app of its own, or give its "+
				"objects a lower argocd.argoproj.io/sync-wave", controller)})
	}
}

func checkPrunedTogether(p *pass) {
	controller := controllerBefore(p.Previous, p.Object)
	if controller == nil || p.staying(controller) != nil || notPruned(p.Object) || notPruned(controller) {
		return
	}
	p.Report(transform.Report{At: yamldoc.Path{"metadata", "name"}, Severity: transform.Error, Message: fmt.Sprintf(
		"the service may hang in deletion with KServe's finalizer, because this change deletes %s too, which may go first: "+
			"delete the services in one commit, sync, and delete KServe in the next one", controller)})
}

// controllerBefore returns the Deployment of the service's controller in the render if Argo CD may delete it before the
// service: unless the service has a higher sync wave.
func controllerBefore(render *transform.Snapshot, service *transform.Object) *transform.Object {
	for _, namespace := range kserve.Namespaces {
		controller := render.Object(kserve.Deployment, namespace, kserve.Controllers[service.GroupKind()])
		if controller != nil && syncWave(service) <= syncWave(controller) {
			return controller
		}
	}
	return nil
}
