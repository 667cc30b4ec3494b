package model

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// ComponentLabel is the label of what KServe makes for a service, beside [kserve.ServiceLabel].
const ComponentLabel = "component"

// Claimed returns the Deployments and Services of the render with the labels of what KServe makes for the service's
// predictor.
func (m *Model) Claimed(s *Service) []*transform.Object {
	return m.claimed()[objectName{s.Namespace, s.Name}]
}

func findClaimed(render *transform.Snapshot) map[objectName][]*transform.Object {
	found := map[objectName][]*transform.Object{}
	for _, o := range render.Objects(kserve.Deployment, service) {
		labels := o.Get("metadata", "labels")
		if labels.Get(ComponentLabel).Str() == kserve.Predictor && !IsMade(o) {
			at := objectName{o.Namespace, labels.Get(kserve.ServiceLabel).Str()}
			found[at] = append(found[at], o)
		}
	}
	return found
}
