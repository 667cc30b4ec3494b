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

	order int // among all references
}

// references are the places in the render that name HPAs, by the name and namespace of the HPA, or everywhere.
type references struct {
	exact map[objectName][]Reference // a rename can update them
	loose map[objectName][]Reference // text, and RBAC that covers more than the HPA: a person has to update them
	count int
}

// References returns the places in the render, outside the object itself, that refer to an HPA in its namespace. Follow
// are the places that a rename can update: a mapping with the HPA's kind and name (Flagger's autoscalerRef,
// ignoreDifferences of an Argo CD Application, and so on) and the resourceNames of a Role. ByHand are the objects that
// name it in another way.
func (m *Model) References(o *transform.Object, name string) (follow []Reference, byHand []string) {
	all := m.references()
	shown := map[string]bool{}
	for _, ref := range reaching(all.loose, o, name) {
		if text := ref.Object.String(); !shown[text] {
			shown[text] = true
			byHand = append(byHand, text)
		}
	}
	return reaching(all.exact, o, name), byHand
}

// reaching returns the references outside the object that reach its namespace, in the order of the render.
func reaching(all map[objectName][]Reference, o *transform.Object, name string) []Reference {
	found := slices.Concat(all[objectName{o.Namespace, name}], all[objectName{everywhere, name}])
	found = slices.DeleteFunc(found, func(ref Reference) bool { return ref.Object == o })
	slices.SortFunc(found, func(a, b Reference) int { return cmp.Compare(a.order, b.order) })
	return found
}

func findReferences(objects []*transform.Object) *references {
	found := &references{exact: map[objectName][]Reference{}, loose: map[objectName][]Reference{}}
	for _, o := range objects {
		o.Node.Walk(func(at yamldoc.Path, node *yamldoc.Node) { found.collect(o, at, node) })
	}
	return found
}

// add notes a reference to the HPA with the name.
func (r *references) add(to map[objectName][]Reference, namespace, name string, o *transform.Object, at yamldoc.Path) {
	r.count++
	key := objectName{namespace, name}
	to[key] = append(to[key], Reference{o, at, r.count})
}

// collect adds what a node of the object refers to.
func (r *references) collect(o *transform.Object, at yamldoc.Path, node *yamldoc.Node) {
	kind, name := node.Get("kind").Str(), node.Get("name").Str()
	if len(at) > 0 && name != "" && kind == kserve.HorizontalPodAutoscaler.Kind {
		namespace := cmp.Or(node.Get("namespace").Str(), defaultNamespace(o))
		r.add(r.exact, namespace, name, o, at.With("name"))
	}
	if resources := node.Get("resources").Strings(); slices.ContainsFunc(resources, coversHPAs) {
		r.collectRole(o, node.Get("resourceNames").Strings(), resources, at.With("resourceNames"))
	}
	for _, e := range node.Entries {
		if text := e.Value.Str(); strings.Contains(text, hpaResource) {
			for _, name := range mentioned(text) {
				r.add(r.loose, everywhere, name, o, at.With(e.Key.Value))
			}
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
			r.add(r.exact, o.Namespace, name, o, at.With(i))
		case o.Kind == "Role":
			r.add(r.loose, o.Namespace, name, o, at.With(i))
		default:
			r.add(r.loose, everywhere, name, o, at.With(i))
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

// mentioned returns the names in a text that mentions HPAs: the whole text, and what is in quotes in it, as the value
// of a metric's label is.
func mentioned(text string) []string {
	quoted := strings.Split(text, `"`)
	if len(quoted) < 3 {
		return []string{text}
	}
	return append(quoted[1:len(quoted)-1], text)
}
