package rules

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// runtimeShared is why a runtime stays under the default of the setting shared-runtimes.
const runtimeShared = "other apps may use the runtime: change it by hand, or set shared-runtimes to edit"

// mayEdit reports whether the pass's object may be edited: a runtime only if the setting shared-runtimes is edit.
func (p *pass) mayEdit() bool {
	return p.KServe.Service(p.Object) != nil || p.Options.SharedRuntimes == SharedRuntimesEdit
}

// restarted returns the services of the render whose pods start anew when the pass's object, a runtime, is edited. For
// a service it is nil.
func (p *pass) restarted() (services []*transform.Object) {
	if p.KServe.Service(p.Object) != nil {
		return nil
	}
	for _, s := range p.KServe.RuntimeUsers(p.Object) {
		if !p.Versions.All(kserve.RuntimesWatched) || s.Annotation(kserve.DisableAutoUpdate) != "true" {
			services = append(services, s.Object)
		}
	}
	return services
}
