package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// ReferenceWords are the words with which other objects refer to autoscalers: the kinds, the resources of RBAC and the
// labels of metrics.
var ReferenceWords = []string{"HorizontalPodAutoscaler", "horizontalpodautoscaler", "ScaledObject", "scaledobject"}

// Reference is a place in an object that names another object.
type Reference struct {
	Object *transform.Object
	At     yamldoc.Path

	namespace string // of the named object, or everywhere
}

// everywhere is the namespace of a reference that reaches every namespace.
const everywhere = "*"

// references are the places in the render that name autoscalers.
type references struct {
	exact map[string][]Reference // by refKey: a rename can update them
	loose []Reference            // text, and RBAC that covers more than the autoscaler: a person has to update them
}

// refKey is the key of an autoscaler in references.exact.
func refKey(kind, name string) string { return kind + " " + name }

// References returns the places in the render, outside the object itself, that refer to an autoscaler in its namespace.
// Follow are the places that a rename can update: a mapping with the autoscaler's kind and name (Flagger's
// autoscalerRef, ignoreDifferences of an Argo CD Application, and so on) and the resourceNames of a Role. ByHand are
// the objects that name it in another way.
func (m *Model) References(o *transform.Object, kind, name string) (follow []Reference, byHand []string) {
	all := m.references()
	for _, ref := range all.exact[refKey(kind, name)] {
		if ref.Object != o && ref.reaches(o.Namespace) {
			follow = append(follow, ref)
		}
	}
	for _, ref := range all.loose {
		shown := ref.Object.String()
		if ref.Object != o && ref.mentions(o.Namespace, kind, name) && !slices.Contains(byHand, shown) {
			byHand = append(byHand, shown)
		}
	}
	return follow, byHand
}

func findReferences(objects []*transform.Object) *references {
	found := &references{exact: map[string][]Reference{}}
	for _, o := range objects {
		o.Node.Walk(func(at yamldoc.Path, node *yamldoc.Node) { found.collect(o, at, node) })
	}
	return found
}

// collect adds what a node of the object refers to.
func (r *references) collect(o *transform.Object, at yamldoc.Path, node *yamldoc.Node) {
	kind, name := node.Get("kind").Str(), node.Get("name").Str()
	if len(at) > 0 && name != "" && isAutoscaler(kind) {
		namespace := cmp.Or(node.Get("namespace").Str(), defaultNamespace(o))
		r.addExact(kind, name, Reference{o, at.With("name"), namespace})
	}
	if resources := node.Get("resources").Strings(); len(resources) > 0 {
		r.collectRole(o, node.Get("resourceNames").Strings(), resources, at.With("resourceNames"))
	}
	for _, e := range node.Entries {
		text := e.Value.Str()
		if strings.Contains(text, "horizontalpodautoscaler") || strings.Contains(text, "scaledobject") {
			r.loose = append(r.loose, Reference{o, at.With(e.Key.Value), everywhere})
		}
	}
}

func (r *references) addExact(kind, name string, ref Reference) {
	key := refKey(kind, name)
	r.exact[key] = append(r.exact[key], ref)
}

func isAutoscaler(kind string) bool {
	return slices.ContainsFunc(AutoscalerKinds, func(k transform.GroupKind) bool { return k.Kind == kind })
}

// collectRole adds the resourceNames of a rule in a Role or ClusterRole. A rule of a ClusterRole holds in every
// namespace, and a rule for other resources too may mean one of those by the name, so a tool must not change either.
func (r *references) collectRole(o *transform.Object, names, resources []string, at yamldoc.Path) {
	for _, k := range AutoscalerKinds {
		covers := func(resource string) bool { return rbacResource(k.Kind) == strings.SplitN(resource, "/", 2)[0] }
		if !slices.ContainsFunc(resources, covers) {
			continue
		}
		only := !slices.ContainsFunc(resources, func(resource string) bool { return !covers(resource) })
		for i, name := range names {
			switch {
			case o.Kind == "Role" && only:
				r.addExact(k.Kind, name, Reference{o, at.With(i), o.Namespace})
			case o.Kind == "Role":
				r.loose = append(r.loose, Reference{o, at.With(i), o.Namespace})
			default:
				r.loose = append(r.loose, Reference{o, at.With(i), everywhere})
			}
		}
	}
}

// rbacResource returns the resource that RBAC uses for the kind.
func rbacResource(kind string) string { return strings.ToLower(kind) + "s" }

// defaultNamespace returns the namespace of a reference in the object that names none: the object's own, or the one to
// which an Argo CD Application deploys.
func defaultNamespace(o *transform.Object) string {
	switch o.Kind {
	case "Application":
		return cmp.Or(o.Get("spec", "destination", "namespace").Str(), everywhere)
	case "ApplicationSet":
		return everywhere
	}
	return o.Namespace
}

// reaches reports whether the reference can name an object in the namespace.
func (ref Reference) reaches(namespace string) bool {
	return ref.namespace == namespace || ref.namespace == everywhere
}

// mentions reports whether the reference holds the name, or text with the name as the value of a metric's label.
func (ref Reference) mentions(namespace, kind, name string) bool {
	value := ref.Object.Get(ref.At...).Str()
	return ref.reaches(namespace) &&
		(value == name || strings.Contains(value, strings.ToLower(kind)) && strings.Contains(value, `"`+name+`"`))
}
