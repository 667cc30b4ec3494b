package model

import (
	"bytes"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Rivals returns the Deployments of the render that have the name of one that KServe makes for the service.
func (m *Model) Rivals(s *Service) []*transform.Object { return m.rivals()[s] }

func (m *Model) findRivals() map[*Service][]*transform.Object {
	found := map[*Service][]*transform.Object{}
	m.render.Search(mayBeRival, func(o *transform.Object) {
		if o.GroupKind() != kserve.Deployment {
			return
		}
		if t := m.NameOwner(o, o.Name); t != nil && t.Match == CurrentName {
			found[t.Service] = append(found[t.Service], o)
		}
	})
	return found
}

// mayBeRival reports whether a text may hold a Deployment with the name of a component.
func mayBeRival(text []byte) bool {
	if !bytes.Contains(text, []byte(kserve.Deployment.Kind)) {
		return false
	}
	return slices.ContainsFunc(allComponents, func(component string) bool {
		return bytes.Contains(text, []byte(kserve.ComponentName("", component)))
	})
}
