package model

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// NameMatch is how a name fits the Deployment of a component.
type NameMatch uint8

// The matches, the best first.
const (
	CurrentName NameMatch = iota // the Deployment has the name
	LegacyName                   // it had the name, with the suffix -default, before KServe 0.11
	StaleName                    // it had the name before the service got a prefix or suffix, or its predictor a name
)

// ScaleTarget is a component of a service, as the target of an autoscaler.
type ScaleTarget struct {
	Service    *Service
	Component  string
	Deployment string // the present name of its Deployment
	Match      NameMatch
}

// indexDeployments records the names of the Deployments that KServe makes for the services.
func (m *Model) indexDeployments() {
	for _, s := range m.Services() {
		m.byNamespace[s.Namespace] = append(m.byNamespace[s.Namespace], s)
		if s.Name == "" { // generateName: the Deployments have no names yet
			continue
		}
		for _, component := range s.Components() {
			names := s.deployments(m.Versions, component)
			for _, name := range names {
				m.owners[name] = append(m.owners[name], ScaleTarget{s, component, name, CurrentName})
			}
			if !m.Versions.All(kserve.LegacyNamesGone) {
				name := kserve.ComponentName(s.Name, component) + "-default"
				m.owners[name] = append(m.owners[name], ScaleTarget{s, component, names[0], LegacyName})
			}
		}
	}
}

// deployments returns the names that the component's Deployments can have, the most likely first. From KServe 0.20 on,
// a predictor's name is part of the Deployment's name, and each canary has its own Deployment.
func (s *Service) deployments(v kserve.Versions, component string) []string {
	plain := kserve.ComponentName(s.Name, component)
	if component != kserve.Predictor || !v.Any(kserve.NamedPredictor) {
		return []string{plain}
	}
	named := func(predictor string) string { return kserve.ComponentName(s.Name+"-"+predictor, component) }
	var names []string
	name := s.Get("spec", component, "name").Str()
	if name == "" || !v.All(kserve.NamedPredictor) {
		names = append(names, plain)
	}
	if name != "" {
		names = append(names, named(name))
	}
	if canaries := s.Get("spec", "canary"); canaries != nil {
		for _, canary := range canaries.Items {
			if name := canary.Get(component, "name").Str(); name != "" {
				names = append(names, named(name))
			}
		}
	}
	return names
}

// NameOwner returns the component for which KServe uses the name in the object's namespace, nil when there is none. Its
// service may run in Standard mode.
func (m *Model) NameOwner(o *transform.Object, name string) *ScaleTarget {
	return m.owner(name, func(s *Service) bool { return s.Namespace == o.Namespace })
}

// PossibleNameOwner is NameOwner for a service that may share the object's namespace: only one of the two names its
// own.
func (m *Model) PossibleNameOwner(o *transform.Object, name string) *ScaleTarget {
	return m.owner(name, func(s *Service) bool {
		return s.Namespace != o.Namespace && (s.Namespace == "" || o.Namespace == "")
	})
}

func (m *Model) owner(name string, matches func(*Service) bool) *ScaleTarget {
	for _, t := range m.owners[name] {
		if t.Service.MayBeStandard() && matches(t.Service) {
			return &t
		}
	}
	return nil
}

// findCandidates works out the candidates of an autoscaler.
func (m *Model) findCandidates(a Autoscaler) []ScaleTarget {
	target := a.TargetName()
	if target == "" {
		return nil
	}
	for _, t := range m.owners[target] {
		if t.Match == CurrentName && t.Service.Namespace == a.Namespace {
			return []ScaleTarget{t}
		}
	}
	var former []ScaleTarget
	for _, s := range m.byNamespace[a.Namespace] {
		for _, component := range s.Components() {
			deployment := s.deployments(m.Versions, component)[0]
			plain := kserve.ComponentName(s.Name, component)
			switch {
			case target == plain+"-default":
				former = append(former, ScaleTarget{s, component, deployment, LegacyName})
			case target == plain, affixed(target, component, s.Name, a.Name):
				former = append(former, ScaleTarget{s, component, deployment, StaleName})
			}
		}
	}
	if former != nil && m.rendersDeployment(a.Namespace, target) {
		return nil
	}
	return former
}

// rendersDeployment reports whether the render has the Deployment.
func (m *Model) rendersDeployment(namespace, name string) bool {
	return m.render.Find(func(o *transform.Object) bool {
		return o.Kind == "Deployment" && o.Namespace == namespace && o.Name == name
	}, "Deployment", name)
}

// affixed reports whether the target was the name of the component's Deployment before kustomize gave the service, and
// the autoscaler with it, a name prefix or suffix. Kustomize does not know that KServe derives the name in
// scaleTargetRef from the service's name.
func affixed(target, component, service, autoscaler string) bool {
	original, ok := strings.CutSuffix(target, "-"+component)
	if !ok || original == "" || original == service {
		return false
	}
	for at := 0; ; at++ {
		i := strings.Index(service[at:], original)
		if i < 0 {
			return false
		}
		at += i
		prefix, suffix := service[:at], service[at+len(original):]
		if separated(prefix, suffix) && strings.HasPrefix(autoscaler, prefix) && strings.HasSuffix(autoscaler, suffix) {
			return true
		}
	}
}

// separated reports whether the text between prefix and suffix is a whole word: iris is not one in irises.
func separated(prefix, suffix string) bool {
	last, _ := utf8.DecodeLastRuneInString(prefix)
	first, _ := utf8.DecodeRuneInString(suffix)
	return (prefix == "" || !alphanumeric(last)) && (suffix == "" || !alphanumeric(first))
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
