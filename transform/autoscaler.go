package transform

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

// autoscalerKinds are the kinds by which a user scales a Deployment.
var autoscalerKinds = []string{"HorizontalPodAutoscaler", "ScaledObject"}

// Annotations that mark an autoscaler as the user's, outside KServe's reach.
const (
	ownerKey       = "argocd-kserve-plugin/owner"
	ownerClassKey  = "argocd-kserve-plugin/autoscaler-class"
	renamedFromKey = "argocd-kserve-plugin/renamed-from"
)

// protectFinalizer is the finalizer that some advice puts on an HPA against KServe's deletion.
const protectFinalizer = "kserve.io/protect"

// autoscaler is a HorizontalPodAutoscaler or ScaledObject.
type autoscaler struct{ *Object }

func (r *Render) autoscalers() []autoscaler {
	var all []autoscaler
	for _, o := range r.Objects(autoscalerKinds...) {
		if o.Group() == "autoscaling" || o.Group() == "keda.sh" {
			all = append(all, autoscaler{o})
		}
	}
	return all
}

// target is the name of the Deployment that the autoscaler scales, empty when it scales something else. A
// ScaledObject scales a Deployment unless it says otherwise.
func (a autoscaler) target() string {
	ref := a.Get("spec", "scaleTargetRef")
	kind := ref.Get("kind").Str()
	if kind == "Deployment" || kind == "" && a.Kind == "ScaledObject" {
		return ref.Get("name").Str()
	}
	return ""
}

// scaled is what an autoscaler scales: a component of a service.
type scaled struct {
	service    *Service
	component  string
	deployment string // the name the target must have
	how        string // exact, legacy or affix
}

// Ways in which a target leads to a component.
const (
	exact  = "exact"  // it names the component's Deployment
	legacy = "legacy" // it has the suffix -default that Deployments had before KServe 0.11
	affix  = "affix"  // it lacks the prefix or suffix that kustomize gave to the service and the autoscaler
)

// scales returns the components that the autoscaler can mean: the one whose Deployment it names, or else, when no
// Deployment of the render has that name, those that it would name but for an old or an unprefixed name.
func (r *Render) scales(a autoscaler) []scaled {
	target := a.target()
	if target == "" {
		return nil
	}
	var near []scaled
	for _, o := range r.Objects("InferenceService") {
		s := r.Service(o)
		if s.Namespace != a.Namespace {
			continue
		}
		if component := s.componentOf(r, target); component != "" {
			return []scaled{{s, component, target, exact}}
		}
		for _, component := range s.Components() {
			deployment := kserve.ComponentName(s.Name, component)
			switch {
			case target == deployment+"-default":
				near = append(near, scaled{s, component, deployment, legacy})
			case affixed(target, component, s.Name, a.Name):
				near = append(near, scaled{s, component, deployment, affix})
			}
		}
	}
	for _, o := range r.Objects("Deployment") {
		if o.Name == target && o.Namespace == a.Namespace {
			return nil
		}
	}
	return near
}

// affixed reports whether the target is the component's Deployment of a service before kustomize gave the service,
// and the autoscaler with it, a name prefix or suffix: kustomize does not know that scaleTargetRef names something
// that KServe derives from the service's name.
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
		if strings.HasPrefix(autoscaler, prefix) && strings.HasSuffix(autoscaler, suffix) {
			return true
		}
	}
}

// means returns the one component that the autoscaler scales once its target is repaired, nil when that is not certain.
func (r *Render) means(a autoscaler) *scaled {
	candidates := r.scales(a)
	if len(candidates) != 1 || candidates[0].how == legacy && !r.Versions.All(kserve.LegacyNamesGone) {
		return nil
	}
	return &candidates[0]
}

// scaledBy is means for a service that may run in Standard mode.
func (r *Render) scaledBy(a autoscaler) *scaled {
	c := r.means(a)
	if c == nil || c.service.Mode == kserve.Knative || c.service.Mode == kserve.ModelMesh || c.service.Contradiction != "" {
		return nil
	}
	return c
}

// autoscalersOf returns the user's autoscalers of the service, by component.
func (r *Render) autoscalersOf(s *Service) map[string][]autoscaler {
	of := map[string][]autoscaler{}
	for _, a := range r.autoscalers() {
		if c := r.scaledBy(a); c != nil && c.service == s {
			of[c.component] = append(of[c.component], a)
		}
	}
	return of
}

// reservedBy returns the service, not known to run in another mode than Standard, whose autoscaler has the object's name.
func (r *Render) reservedBy(o *Object) *Service {
	for _, candidate := range r.Objects("InferenceService") {
		s := r.Service(candidate)
		if s.Namespace == o.Namespace && s.Mode != kserve.Knative && s.Mode != kserve.ModelMesh && s.reserves(r, o.Name) != "" {
			return s
		}
	}
	return nil
}

// across returns a service that the name belongs to but for the namespace, which only one of the two says.
func (r *Render) across(o *Object, name string) *Service {
	for _, candidate := range r.Objects("InferenceService") {
		s := r.Service(candidate)
		if s.Namespace != o.Namespace && (s.Namespace == "" || o.Namespace == "") && s.reserves(r, name) != "" {
			return s
		}
	}
	return nil
}
