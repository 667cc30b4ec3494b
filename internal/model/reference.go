package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// hpaResource is the resource of RBAC for HPAs without its plural s, and a label of metrics.
const hpaResource = "horizontalpodautoscaler"

// ReferenceWords are the words with which other objects refer to HPAs.
var ReferenceWords = []string{kserve.HorizontalPodAutoscaler.Kind, hpaResource}

// Reference is a place in an object that names another object.
type Reference struct {
	Object *transform.Object
	At     yamldoc.Path

	namespace string // of the named object, or everywhere
}

// references are the places in the render that name HPAs.
type references struct {
	exact map[string][]Reference // by the HPA's name: a rename can update them
	loose []Reference            // text, and RBAC that covers more than the HPA: a person has to update them
}

// References returns the places in the render, outside the object itself, that refer to an HPA in its namespace. Follow
// are the places that a rename can update: a mapping with the HPA's kind and name (Flagger's autoscalerRef,
// ignoreDifferences of an Argo CD Application, and so on) and the resourceNames of a Role. ByHand are the objects that
// name it in another way.
func (m *Model) References(o *transform.Object, name string) (follow []Reference, byHand []string) {
	all := m.references()
	for _, ref := range all.exact[name] {
		if ref.Object != o && ref.reaches(o.Namespace) {
			follow = append(follow, ref)
		}
	}
	for _, ref := range all.loose {
		shown := ref.Object.String()
		if ref.Object != o && ref.mentions(o.Namespace, name) && !slices.Contains(byHand, shown) {
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
	if len(at) > 0 && name != "" && kind == kserve.HorizontalPodAutoscaler.Kind {
		namespace := cmp.Or(node.Get("namespace").Str(), defaultNamespace(o))
		r.exact[name] = append(r.exact[name], Reference{o, at.With("name"), namespace})
	}
	if resources := node.Get("resources").Strings(); slices.ContainsFunc(resources, coversHPAs) {
		r.collectRole(o, node.Get("resourceNames").Strings(), resources, at.With("resourceNames"))
	}
	for _, e := range node.Entries {
		if strings.Contains(e.Value.Str(), hpaResource) {
			r.loose = append(r.loose, Reference{o, at.With(e.Key.Value), everywhere})
		}
	}
}

// coversHPAs reports whether a resource of RBAC stands for HPAs.
func coversHPAs(resource string) bool { return strings.SplitN(resource, "/", 2)[0] == hpaResource+"s" }

// collectRole adds the resourceNames of a rule for HPAs in a Role or ClusterRole. A rule of a ClusterRole holds in
// every namespace, and a rule for other resources too may mean one of those by the name, so a tool must not change
// either.
func (r *references) collectRole(o *transform.Object, names, resources []string, at yamldoc.Path) {
	only := !slices.ContainsFunc(resources, func(resource string) bool { return !coversHPAs(resource) })
	for i, name := range names {
		switch {
		case o.Kind == "Role" && only:
			r.exact[name] = append(r.exact[name], Reference{o, at.With(i), o.Namespace})
		case o.Kind == "Role":
			r.loose = append(r.loose, Reference{o, at.With(i), o.Namespace})
		default:
			r.loose = append(r.loose, Reference{o, at.With(i), everywhere})
		}
	}
}

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
func (ref Reference) mentions(namespace, name string) bool {
	value := ref.Object.Get(ref.At...).Str()
	return ref.reaches(namespace) &&
		(value == name || strings.Contains(value, hpaResource) && strings.Contains(value, `"`+name+`"`))
}
