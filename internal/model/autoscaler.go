package model

import (
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// AutoscalerKinds are the kinds with which users scale a Deployment.
var AutoscalerKinds = []transform.GroupKind{
	kserve.HorizontalPodAutoscaler, kserve.ScaledObject, kserve.HTTPScaledObject,
}

// Autoscaler is a user's HorizontalPodAutoscaler, or a ScaledObject or HTTPScaledObject of KEDA. KEDA's HTTP add-on
// makes a ScaledObject with the name and the target of an HTTPScaledObject
// (operator/controllers/http/scaled_object.go@v0.9.0 of kedacore/http-add-on).
type Autoscaler struct{ *transform.Object }

// IsHPA reports whether the autoscaler is a HorizontalPodAutoscaler, and not an object of KEDA's.
func (a Autoscaler) IsHPA() bool { return a.GroupKind() == kserve.HorizontalPodAutoscaler }

// The kinds of targets by which people mean a component. KServe makes Deployments in Standard mode and Knative Services
// in Knative mode. No Knative Service, InferenceService or InferenceGraph has the subresource scale, so no autoscaler
// scales it (config/crd@v0.20.0).
const (
	DeploymentTarget       = "Deployment"
	InferenceServiceTarget = "InferenceService"
	InferenceGraphTarget   = "InferenceGraph"
	KnativeServiceTarget   = "Service" // of the group serving.knative.dev
)

// Target returns the kind and the name of the object that the autoscaler scales. The kind is empty when it is none of
// the constants. KEDA's objects scale a Deployment unless they name another kind.
func (a Autoscaler) Target() (kind, name string) {
	apiVersion, kind, name := a.targetRef()
	return targetKind(apiVersion, kind), name
}

// targetRef returns what the autoscaler names as its target.
func (a Autoscaler) targetRef() (apiVersion, kind, name string) {
	ref := a.Get("spec", "scaleTargetRef")
	kind = ref.Get("kind").Str()
	if kind == "" && !a.IsHPA() {
		kind = DeploymentTarget
	}
	return ref.Get("apiVersion").Str(), kind, ref.Get("name").Str()
}

// targetKind returns the kind if it is one of the constants, else nothing.
func targetKind(apiVersion, kind string) string {
	switch kind {
	case DeploymentTarget, InferenceServiceTarget, InferenceGraphTarget:
		return kind
	case KnativeServiceTarget:
		if strings.HasPrefix(apiVersion, "serving.knative.dev/") {
			return kind
		}
	}
	return ""
}

// OwnerAnnotation on an autoscaler names the InferenceService that it scales, as InferenceService/<name>. People and
// rule KS204 write it; KServe does not read it.
const OwnerAnnotation = "argocd-kserve-plugin/owner"

// Owner returns the name of the InferenceService in the OwnerAnnotation, empty when there is none.
func (a Autoscaler) Owner() string {
	name, ok := strings.CutPrefix(a.Annotation(OwnerAnnotation), kserve.InferenceService.Kind+"/")
	if !ok {
		return ""
	}
	return name
}

// elsewhere returns the services that are named only by the OwnerAnnotation of autoscalers in their namespace. An
// autoscaler of the user's scales only a service in Standard mode. The annotation of one that fits a service of the
// render may be out of date, as after kustomize's namePrefix.
func (m *Model) elsewhere(autoscalers []*transform.Object) []*Service {
	known := map[objectName]bool{}
	note := func(s *Service) {
		known[objectName{s.Namespace, s.Name}] = true
		known[objectName{everywhere, s.Name}] = true
	}
	for _, s := range m.Services() {
		note(s)
	}
	var services []*Service
	for _, o := range autoscalers {
		name := Autoscaler{o}.Owner()
		mayBeKnown := known[objectName{o.Namespace, name}] || known[objectName{"", name}] ||
			o.Namespace == "" && known[objectName{everywhere, name}]
		if name == "" || m.candidates[o] != nil || mayBeKnown {
			continue
		}
		s := &Service{
			Object: &transform.Object{Kind: kserve.InferenceService.Kind, Name: name, Namespace: o.Namespace},
			Mode:   kserve.Standard, ModeEvidence: "annotation " + OwnerAnnotation, Elsewhere: true,
			components: allComponents, predictors: []string{""},
		}
		note(s)
		services = append(services, s)
	}
	return services
}

// usersAutoscalers returns the autoscalers of the render that neither KServe nor KEDA made: KEDA makes HPAs of
// ScaledObjects, and its HTTP add-on those of HTTPScaledObjects.
func usersAutoscalers(snapshot *transform.Snapshot) []*transform.Object {
	return slices.DeleteFunc(snapshot.Objects(AutoscalerKinds...), func(o *transform.Object) bool {
		return IsMade(o) || controller(o, kserve.ScaledObject.Group) != nil ||
			controller(o, kserve.HTTPScaledObject.Group) != nil
	})
}

// indexAutoscalers finds the candidates of each autoscaler. An autoscaler is evidence of a service's mode, and the mode
// decides which autoscalers scale which component.
func (m *Model) indexAutoscalers(all []*transform.Object) {
	evidence := map[*Service]Autoscaler{}
	for _, o := range all {
		m.candidates[o] = m.findCandidates(Autoscaler{o})
	}
	if len(all) > 0 {
		m.deployments().add(m.elsewhere(all))
	}
	for _, o := range all {
		a := Autoscaler{o}
		if m.candidates[o] == nil && a.Owner() != "" {
			m.candidates[o] = m.findCandidates(a)
		}
		t := m.Target(a)
		if t == nil {
			continue
		}
		m.meant[t.deployment()]++
		named := t.Match != OtherObject || a.Owner() == t.Service.Name
		if named && evidence[t.Service].Object == nil {
			evidence[t.Service] = a
		}
	}
	for _, s := range m.withGraphs() {
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
// those whose Deployment once had that name or that the target stands for, unless the render has the target.
func (m *Model) Candidates(a Autoscaler) []ScaleTarget { return m.candidates[a.Object] }

// Target returns the component that the autoscaler is meant for, nil when that is not certain.
func (m *Model) Target(a Autoscaler) *ScaleTarget {
	candidates := m.Candidates(a)
	if len(candidates) != 1 || candidates[0].Match == LegacyName && !m.Versions.All(kserve.LegacyNamesGone) {
		return nil
	}
	return &candidates[0]
}

// StandardTarget returns the Target if its service may run in Standard mode, where KServe makes Deployments, and if the
// autoscaler scales it or can do so with another target: no other autoscaler does, no class says that none of the
// user's should, and for an OtherObject the mode is known.
func (m *Model) StandardTarget(a Autoscaler) *ScaleTarget {
	t := m.Target(a)
	switch {
	case t == nil, !t.Service.MayBeStandard(), t.Service.Contradiction != "",
		t.Match != CurrentName && (m.HasRival(*t) || m.KeptClass(*t) != ""),
		t.Match == OtherObject && t.Service.Mode != kserve.Standard:
		return nil
	}
	return t
}

// HasRival reports whether several autoscalers are meant for the target's Deployment.
func (m *Model) HasRival(t ScaleTarget) bool { return m.meant[t.deployment()] > 1 }

// KeptClass returns the autoscaler class that somebody wrote, if it leaves the component to no autoscaler of the
// user's. It is empty for a class that no release in question knows, and for workers, which want one class.
func (m *Model) KeptClass(t ScaleTarget) string {
	class := t.Service.Class(t.Component)
	releases, known := kserve.AutoscalerClasses[class]
	if !known || class == "external" || !m.Versions.Any(releases) || t.Service.MultiNode(t.Component) {
		return ""
	}
	return class
}

// deployment returns the target as a key that is the same for all autoscalers meant for its Deployment.
func (t ScaleTarget) deployment() ScaleTarget {
	t.Match = CurrentName
	return t
}

// Autoscalers returns the user's autoscalers of the service, by component.
func (m *Model) Autoscalers(s *Service) map[string][]Autoscaler { return m.autoscalers[s] }
