package model

import (
	"bytes"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Rival is an object of the render that has the name of one that KServe makes for a component of a service in Standard
// mode: a Deployment or Service, or an Ingress, which is the service's own. KServe makes each of them, or writes over
// what is there, whoever made it (reconcilers/deployment/deployment_reconciler.go, service/service_reconciler.go and
// ingress/kube_ingress_reconciler.go@v0.11.2 to @v0.20.0).
type Rival struct {
	*transform.Object
	Component string
}

// Rivals returns the rivals of what KServe makes for the service.
func (m *Model) Rivals(s *Service) []Rival { return m.rivals()[s] }

func (m *Model) findRivals() map[*Service][]Rival {
	found := map[*Service][]Rival{}
	graphs := len(m.render.Objects(kserve.InferenceGraph)) > 0
	m.render.Search(func(text []byte) bool { return mayBeRival(text, graphs) }, func(o *transform.Object) {
		if IsMade(o) {
			return
		}
		switch o.GroupKind() {
		case Ingress:
			s := m.services[m.render.Object(kserve.InferenceService, o.Namespace, o.Name)]
			if s != nil && !s.isInternal() {
				found[s] = append(found[s], Rival{o, kserve.Predictor})
			}
			return
		case kserve.Deployment, service:
		default:
			return
		}
		name, workers := strings.CutSuffix(o.Name, kserve.WorkerName(""))
		if workers = workers && o.GroupKind() == kserve.Deployment; workers {
			name = kserve.ComponentName(name, kserve.Predictor)
		} else {
			name = o.Name
		}
		if t := m.NameOwner(o, name); t != nil && t.Match == CurrentName && (!workers || t.Service.HasWorkers()) {
			found[t.Service] = append(found[t.Service], Rival{o, t.Component})
		}
	})
	return found
}

// Ingress is what routes requests to a service, unless KServe is set up to make HTTPRoutes, or none.
var Ingress = transform.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}

var service = transform.GroupKind{Kind: "Service"}

// isInternal reports whether a service has a label for no Ingress (isInternal in
// reconcilers/ingress/kube_ingress_reconciler.go@v0.11.2 to @v0.20.0).
func (s *Service) isInternal() bool {
	return s.Get("metadata", "labels", "networking.kserve.io/visibility").Str() == "cluster-local"
}

// mayBeRival reports whether a text may contain an Ingress, something with the name of a component, or, beside graphs,
// a Deployment or Service, because the router of a graph has its name.
func mayBeRival(text []byte, graphs bool) bool {
	if bytes.Contains(text, []byte(Ingress.Group)) ||
		graphs && (bytes.Contains(text, []byte(kserve.Deployment.Kind)) || bytes.Contains(text, []byte(service.Kind))) {
		return true
	}
	return slices.ContainsFunc(allComponents, func(component string) bool {
		return bytes.Contains(text, []byte(kserve.ComponentName("", component)))
	})
}

// Twin is a service for which KServe makes a Deployment of the same name.
type Twin struct {
	*Service
	Deployment string
	Certain    bool // whether all releases in question give both that name
}

// Twin returns the first service before s that is one of its twins, nil if there is none.
func (m *Model) Twin(s *Service) *Twin {
	for _, component := range s.Components() {
		names, certain := m.ChildNames(s, component)
		for _, name := range names {
			for _, t := range m.deployments().owners[objectName{s.Namespace, name}] {
				if t.Service == s {
					break
				}
				another := t.Service.Kind != s.Kind || t.Service.Name != s.Name
				if another && t.Match == CurrentName && t.Service.MayBeStandard() && !t.Service.Elsewhere {
					_, sure := m.ChildNames(t.Service, t.Component)
					return &Twin{t.Service, name, certain && sure}
				}
			}
		}
	}
	return nil
}

// Homonym is a service that gets an object or a host of the same name.
type Homonym struct {
	*Service
	Shared string // the name
}

// Homonym returns the first service before s that is one of its homonyms, nil if there is none. What [Model.Twin]
// finds is left out.
//
// In Knative mode each component, and the router of a graph, gets a Service of its name, and an InferenceService another
// one, for Istio's virtual host (reconcileExternalService in reconcilers/ingress/ingress_reconciler.go@v0.11.2 to
// @v0.20.0). In Standard mode a component has a host of its name, as the service itself has (createRawIngress in
// kube_ingress_reconciler.go, and httproute_reconciler.go, which writes over the HTTPRoute of another service).
func (m *Model) Homonym(s *Service) *Homonym {
	for _, name := range m.publicNames(s) {
		for _, t := range m.public()[objectName{s.Namespace, name}] {
			if t == s {
				break
			}
			another := t.Mode == s.Mode && (t.Kind != s.Kind || t.Name != s.Name)
			if another && (s.Mode == kserve.Knative || name == s.Name || name == t.Name) {
				return &Homonym{t, name}
			}
		}
	}
	return nil
}

// publicNames returns the names of a service's Services in Knative mode, or of its hosts in Standard mode.
func (m *Model) publicNames(s *Service) (names []string) {
	switch {
	case s.Name == "", s.Mode == kserve.Standard && (s.IsGraph() || s.isInternal()):
		return nil
	case !s.IsGraph():
		names = append(names, s.Name)
	}
	for _, component := range s.Components() {
		own, _ := m.ChildNames(s, component)
		names = append(names, own[0])
	}
	return names
}

func (m *Model) findPublic() map[objectName][]*Service {
	found := map[objectName][]*Service{}
	for _, s := range m.withGraphs() {
		for _, name := range m.publicNames(s) {
			at := objectName{s.Namespace, name}
			found[at] = append(found[at], s)
		}
	}
	return found
}
