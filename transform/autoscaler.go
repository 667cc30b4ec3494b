package transform

import (
	"strings"
	"unicode"
	"unicode/utf8"

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

// match is the way in which a name leads to a component.
type match int

const (
	exact  match = iota // it is that of the component's Deployment
	legacy              // it has the suffix -default that Deployments had before KServe 0.11
	stale               // it was: the service has a name prefix or suffix, or its predictor a name, since
)

// scaled is what an autoscaler scales: a component of a service.
type scaled struct {
	service    *Service
	component  string
	deployment string // the name the target must have
	how        match
}

// indexNames notes the names that KServe uses for the services' components.
func (r *Render) indexNames() {
	for _, o := range r.Objects("InferenceService") {
		s := r.services[o]
		r.inNamespace[s.Namespace] = append(r.inNamespace[s.Namespace], s)
		if s.Name == "" { // generateName: what KServe makes has no name yet
			continue
		}
		for _, c := range s.Components() {
			names := s.deployments(r.Versions, c)
			for _, name := range names {
				r.names[name] = append(r.names[name], scaled{s, c, name, exact})
			}
			if !r.Versions.All(kserve.LegacyNamesGone) {
				name := kserve.ComponentName(s.Name, c) + "-default"
				r.names[name] = append(r.names[name], scaled{s, c, names[0], legacy})
			}
		}
	}
}

// indexAutoscalers notes what each autoscaler can mean, and by it the mode of the services.
func (r *Render) indexAutoscalers() {
	evidence := map[*Service]autoscaler{}
	for _, o := range r.Objects(autoscalerKinds...) {
		a := autoscaler{o}
		r.meant[o] = r.scales(a)
		if c := r.means(a); c != nil && evidence[c.service].Object == nil {
			evidence[c.service] = a
		}
	}
	for _, o := range r.Objects("InferenceService") {
		s := r.services[o]
		s.resolveMode(r.DefaultMode, evidence[s])
	}
	for _, o := range r.Objects(autoscalerKinds...) {
		a := autoscaler{o}
		if c := r.scaledBy(a); c != nil {
			if r.scaledOf[c.service] == nil {
				r.scaledOf[c.service] = map[string][]autoscaler{}
			}
			r.scaledOf[c.service][c.component] = append(r.scaledOf[c.service][c.component], a)
		}
	}
}

// scales returns the components that the autoscaler can mean: the one whose Deployment it names, or else, when no
// Deployment of the render has that name, those that it would name but for an old or an unprefixed name.
func (r *Render) scales(a autoscaler) []scaled {
	target := a.target()
	if target == "" {
		return nil
	}
	for _, c := range r.names[target] {
		if c.how == exact && c.service.Namespace == a.Namespace {
			return []scaled{c}
		}
	}
	var near []scaled
	for _, s := range r.inNamespace[a.Namespace] {
		for _, component := range s.Components() {
			deployment := s.deployments(r.Versions, component)[0]
			plain := kserve.ComponentName(s.Name, component)
			switch {
			case target == plain+"-default":
				near = append(near, scaled{s, component, deployment, legacy})
			case target == plain, affixed(target, component, s.Name, a.Name):
				near = append(near, scaled{s, component, deployment, stale})
			}
		}
	}
	if near != nil && r.makesDeployment(a.Namespace, target) {
		return nil
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
		if separated(prefix, suffix) && strings.HasPrefix(autoscaler, prefix) && strings.HasSuffix(autoscaler, suffix) {
			return true
		}
	}
}

// separated reports whether what stands between prefix and suffix is a word of its own: iris is not one in irises.
func separated(prefix, suffix string) bool {
	last, _ := utf8.DecodeLastRuneInString(prefix)
	first, _ := utf8.DecodeRuneInString(suffix)
	return (prefix == "" || !alphanumeric(last)) && (suffix == "" || !alphanumeric(first))
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// means returns the one component that the autoscaler scales once its target is repaired, nil when that is not certain.
func (r *Render) means(a autoscaler) *scaled {
	candidates := r.meant[a.Object]
	if len(candidates) != 1 || candidates[0].how == legacy && !r.Versions.All(kserve.LegacyNamesGone) {
		return nil
	}
	return &candidates[0]
}

// scaledBy is means for a service that may run in Standard mode.
func (r *Render) scaledBy(a autoscaler) *scaled {
	c := r.means(a)
	if c == nil || !c.service.mayBeStandard() || c.service.Contradiction != "" {
		return nil
	}
	return c
}

// autoscalersOf returns the user's autoscalers of the service, by component.
func (r *Render) autoscalersOf(s *Service) map[string][]autoscaler { return r.scaledOf[s] }

// uses returns the component, of a service that may run in Standard mode, for which KServe uses the name.
func (r *Render) uses(name string, fits func(*Service) bool) *scaled {
	for _, c := range r.names[name] {
		if c.service.mayBeStandard() && fits(c.service) {
			return &c
		}
	}
	return nil
}

// reservedBy returns the component for which KServe uses the name, in the object's namespace.
func (r *Render) reservedBy(o *Object, name string) *scaled {
	return r.uses(name, func(s *Service) bool { return s.Namespace == o.Namespace })
}

// across is reservedBy for a service whose namespace may be the same: only one of the two says it.
func (r *Render) across(o *Object, name string) *scaled {
	return r.uses(name, func(s *Service) bool {
		return s.Namespace != o.Namespace && (s.Namespace == "" || o.Namespace == "")
	})
}

// repair reports the finding with the edits, or alone when the setting autoscaler says so.
func (p *Pass) repair(f Finding, edits ...Edit) {
	if p.Options.Autoscaler != "report" {
		f.Edits = edits
	}
	p.Report(f)
}
