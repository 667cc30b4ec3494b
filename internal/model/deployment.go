package model

import (
	"slices"
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
	OtherObject                  // it never had the name: the target is the service, or a Knative Service
)

// ScaleTarget is a component of a service, as the target of an autoscaler.
type ScaleTarget struct {
	Service    *Service
	Component  string
	Deployment string // the present name of its Deployment
	Match      NameMatch
}

// indexDeployments records the names of the Deployments that KServe makes for the services.
func (m *Model) indexDeployments(services []*Service) {
	for _, s := range services {
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
	kind, name := a.Target()
	if kind == "" || name == "" {
		return nil
	}
	for _, t := range m.owners[name] {
		if kind == DeploymentTarget && t.Match == CurrentName && t.Service.Namespace == a.Namespace {
			return []ScaleTarget{t}
		}
	}
	var meant []ScaleTarget
	for _, s := range m.byNamespace[a.Namespace] {
		for _, component := range s.Components() {
			if match, ok := matchTarget(a, s, component); ok {
				meant = append(meant, ScaleTarget{s, component, s.deployments(m.Versions, component)[0], match})
			}
		}
	}
	if meant != nil && kind != InferenceServiceTarget && m.renders(a.Namespace, kind, name) {
		return nil
	}
	isOwner := func(t ScaleTarget) bool { return a.Owner() != "" && t.Service.Name == a.Owner() }
	if i := slices.IndexFunc(meant, isOwner); i >= 0 {
		return meant[i : i+1]
	}
	return meant
}

// matchTarget returns how the target of an autoscaler, which is no Deployment that KServe makes, is meant for a
// component, if it is. What stands for a service as a whole stands for its predictor.
func matchTarget(a Autoscaler, s *Service, component string) (match NameMatch, ok bool) {
	kind, name := a.Target()
	plain := kserve.ComponentName(s.Name, component)
	predictor := component == kserve.Predictor
	switch {
	case kind == DeploymentTarget && name == plain+"-default":
		return LegacyName, true
	case kind == DeploymentTarget && (name == plain || affixed(name, "-"+component, s.Name, a.Name)):
		return StaleName, true
	case predictor && name == s.Name,
		kind == KnativeServiceTarget && (name == plain || name == plain+"-default"),
		kind == InferenceServiceTarget && predictor && (name == plain || affixed(name, "", s.Name, a.Name)):
		return OtherObject, true
	}
	return 0, false
}

// renders reports whether the render has an object of the kind of a target.
func (m *Model) renders(namespace, kind, name string) bool {
	return m.render.Find(func(o *transform.Object) bool {
		return targetKind(o.APIVersion, o.Kind) == kind && o.Namespace == namespace && o.Name == name
	}, kind, name)
}

// affixed reports whether the target was the service's name with the ending before kustomize gave the service, and the
// autoscaler with it, a name prefix or suffix. Kustomize does not know that KServe derives the name in scaleTargetRef
// from the service's name.
func affixed(target, ending, service, autoscaler string) bool {
	original, ok := strings.CutSuffix(target, ending)
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
