package model

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// AutoscalerKinds are the kinds with which users scale a Deployment.
var AutoscalerKinds = []transform.GroupKind{kserve.HorizontalPodAutoscaler, kserve.ScaledObject}

// Autoscaler is a user's HorizontalPodAutoscaler or ScaledObject.
type Autoscaler struct{ *transform.Object }

// TargetName returns the name of the Deployment that the autoscaler scales, empty when it scales something else. A
// ScaledObject scales a Deployment unless it names another kind.
func (a Autoscaler) TargetName() string {
	ref := a.Get("spec", "scaleTargetRef")
	kind := ref.Get("kind").Str()
	if kind == "Deployment" || kind == "" && a.Kind == kserve.ScaledObject.Kind {
		return ref.Get("name").Str()
	}
	return ""
}

// indexAutoscalers finds the candidates of each autoscaler. An autoscaler is evidence of a service's mode, and only
// then is it known which autoscalers scale which component.
func (m *Model) indexAutoscalers() {
	evidence := map[*Service]Autoscaler{}
	all := m.render.Objects(AutoscalerKinds...)
	for _, o := range all {
		a := Autoscaler{o}
		m.candidates[o] = m.findCandidates(a)
		if t := m.Target(a); t != nil && evidence[t.Service].Object == nil {
			evidence[t.Service] = a
		}
	}
	for _, s := range m.Services() {
		s.resolveMode(m.DefaultMode, evidence[s])
	}
	for _, o := range all {
		a := Autoscaler{o}
		if t := m.StandardTarget(a); t != nil {
			if m.autoscalers[t.Service] == nil {
				m.autoscalers[t.Service] = map[string][]Autoscaler{}
			}
			m.autoscalers[t.Service][t.Component] = append(m.autoscalers[t.Service][t.Component], a)
		}
	}
}

// Candidates returns the components that the autoscaler may be meant for: the component whose Deployment it targets, or
// those whose Deployment once had that name, unless the render has a Deployment with it.
func (m *Model) Candidates(a Autoscaler) []ScaleTarget { return m.candidates[a.Object] }

// Target returns the component that the autoscaler is meant for, nil when that is not certain.
func (m *Model) Target(a Autoscaler) *ScaleTarget {
	candidates := m.Candidates(a)
	if len(candidates) != 1 || candidates[0].Match == LegacyName && !m.Versions.All(kserve.LegacyNamesGone) {
		return nil
	}
	return &candidates[0]
}

// StandardTarget returns the Target if its service may run in Standard mode, where KServe makes Deployments.
func (m *Model) StandardTarget(a Autoscaler) *ScaleTarget {
	t := m.Target(a)
	if t == nil || !t.Service.MayBeStandard() || t.Service.Contradiction != "" {
		return nil
	}
	return t
}

// Autoscalers returns the user's autoscalers of the service, by component.
func (m *Model) Autoscalers(s *Service) map[string][]Autoscaler { return m.autoscalers[s] }
