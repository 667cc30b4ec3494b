package upgrade

import (
	"cmp"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// CompareModes returns which services the new release no longer reconciles, or refuses to change, because of the mode
// that the old one has written into their status. It takes all of them for deployed.
func CompareModes(from, to kserve.Versions, services []*model.Service) []Change {
	if !from.Any(kserve.LegacyModeInStatus) {
		return nil
	}
	var changes []Change
	for _, s := range services {
		message := ""
		switch annotated := s.Annotation(kserve.DeploymentModeAnnotation) != ""; {
		case s.Mode == kserve.Standard && to.Any(kserve.LegacyModeMisread):
			message = "KServe 0.16 to 0.18 take the mode RawDeployment in its status for Knative mode, so they do not " +
				"reconcile it, and 0.17 and 0.18 refuse to change it: go to 0.19 or later in one step"
		case s.Mode == kserve.Knative && annotated && to.Any(kserve.LegacyModeRefused):
			message = "KServe 0.17 and 0.18 refuse to change it, because its status says Serverless and they write Knative " +
				"into its annotation: go to 0.19 or later in one step"
		default:
			continue
		}
		changes = append(changes, Change{
			Effect: Breaks, Severity: transform.Error, Object: s.String(), File: cmp.Or(s.File.Origin(), s.File.Path),
			Message: message,
		})
	}
	return changes
}
