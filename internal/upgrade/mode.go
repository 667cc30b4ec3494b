package upgrade

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// CompareModes returns which services the new release no longer reconciles, or refuses to change, because of the mode
// that the old one has written into their status. It takes all of them for deployed.
func CompareModes(from, to kserve.Versions, services []*model.Service) []Change {
	legacy, back := from.Any(kserve.LegacyModeInStatus), from.Any(kserve.ModeInStatus) && to.Any(kserve.LegacyModeInStatus)
	var changes []Change
	for _, s := range services {
		message := ""
		switch annotated := s.Annotation(kserve.DeploymentModeAnnotation) != ""; {
		case s.Mode == kserve.Standard && back:
			message = "KServe 0.15.1 and 0.15.2 take the mode Standard in its status for Knative mode: they make a Knative Service, " +
				"and no longer look after its Deployment; go back to 0.15.0, or delete the service and make it anew"
		case s.Mode == kserve.Standard && legacy && to.Any(kserve.LegacyModeMisread):
			message = "KServe 0.16 to 0.18 take the mode RawDeployment in its status for Knative mode, so they do not " +
				"reconcile it, and 0.17 and 0.18 refuse to change it: go to 0.19 or later in one step"
		case s.Mode == kserve.Knative && annotated && legacy && to.Any(kserve.LegacyModeRefused):
			message = "KServe 0.17 and 0.18 refuse to change it, because its status says Serverless and they write Knative " +
				"into its annotation: go to 0.19 or later in one step"
		default:
			continue
		}
		changes = append(changes, ofObject(s.Object, Breaks, transform.Error, message))
	}
	return changes
}
