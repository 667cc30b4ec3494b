package model

import (
	"bytes"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Rival is a Deployment of the render that has the name of one that KServe makes for a component of a service.
type Rival struct {
	*transform.Object
	Component string
}

// Rivals returns the rivals of the Deployments of the service.
func (m *Model) Rivals(s *Service) []Rival { return m.rivals()[s] }

func (m *Model) findRivals() map[*Service][]Rival {
	found := map[*Service][]Rival{}
	m.render.Search(mayBeRival, func(o *transform.Object) {
		if o.GroupKind() != kserve.Deployment || Maker(o) != "" {
			return
		}
		if t := m.NameOwner(o, o.Name); t != nil && t.Match == CurrentName {
			found[t.Service] = append(found[t.Service], Rival{o, t.Component})
		}
	})
	return found
}

// mayBeRival reports whether a text may contain a Deployment with the name of a component.
func mayBeRival(text []byte) bool {
	if !bytes.Contains(text, []byte(kserve.Deployment.Kind)) {
		return false
	}
	return slices.ContainsFunc(allComponents, func(component string) bool {
		return bytes.Contains(text, []byte(kserve.ComponentName("", component)))
	})
}
