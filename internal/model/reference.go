package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// referenced is a kind of autoscaler that other objects refer to.
type referenced struct {
	kind     string
	resource string // of RBAC without its plural s
	label    string // of metrics
}

var referencedKinds = []referenced{
	{kserve.HorizontalPodAutoscaler.Kind, "horizontalpodautoscaler", "horizontalpodautoscaler"},
	{kserve.ScaledObject.Kind, "scaledobject", "scaledObject"},
}

// ReferenceWords are the words with which other objects refer to HPAs and ScaledObjects.
var ReferenceWords = []string{
	kserve.HorizontalPodAutoscaler.Kind, "horizontalpodautoscaler",
	kserve.ScaledObject.Kind, "scaledobject", "scaledObject",
}

// Reference is a place in an object that names another object.
type Reference struct {
	Object *transform.Object
	At     yamldoc.Path

	order int // among all references
}

// references are the places in the render that name autoscalers, by kind, name and namespace, or everywhere.
type references struct {
	exact map[targetName][]Reference // a rename can update them
	loose map[targetName][]Reference // text, and RBAC that covers more than the kind: a person has to update them
	count int
}

// References returns the places in the render, outside the object itself, that refer to an HPA or ScaledObject in its
// namespace. Follow are the places that a rename can update: a mapping with the kind and the name (Flagger's
// autoscalerRef, ignoreDifferences of an Argo CD Application, and so on) and the resourceNames of a Role. ByHand are
// the objects that name it in another way.
func (m *Model) References(o *transform.Object, kind, name string) (follow []Reference, byHand []string) {
	all := m.references()
	shown := map[string]bool{}
	for _, ref := range reaching(all.loose, o, kind, name) {
		if text := ref.Object.String(); !shown[text] {
			shown[text] = true
			byHand = append(byHand, text)
		}
	}
	return reaching(all.exact, o, kind, name), byHand
}

// reaching returns the references outside the object that reach its namespace, in the order of the render.
func reaching(all map[targetName][]Reference, o *transform.Object, kind, name string) []Reference {
	found := slices.Concat(all[targetName{kind, objectName{o.Namespace, name}}],
		all[targetName{kind, objectName{everywhere, name}}])
	found = slices.DeleteFunc(found, func(ref Reference) bool { return ref.Object == o })
	slices.SortFunc(found, func(a, b Reference) int { return cmp.Compare(a.order, b.order) })
	return found
}

func findReferences(render *transform.Snapshot) *references {
	found := &references{exact: map[targetName][]Reference{}, loose: map[targetName][]Reference{}}
	for _, o := range render.All() {
		if IsMade(o) {
			continue
		}
		o.Node().Walk(nil, func(at *yamldoc.Trail, node *yamldoc.Node) { found.collect(o, at, node) })
	}
	return found
}

// add notes a reference to the object of the kind with the name.
func (r *references) add(
	to map[targetName][]Reference, kind, namespace, name string, o *transform.Object, at yamldoc.Path,
) {
	r.count++
	key := targetName{kind, objectName{namespace, name}}
	to[key] = append(to[key], Reference{o, at, r.count})
}

// collect adds what a node of the object refers to.
func (r *references) collect(o *transform.Object, at *yamldoc.Trail, node *yamldoc.Node) {
	kind, name := node.Get("kind").Str(), node.Get("name").Str()
	resources := node.Get("resources").Strings()
	for _, k := range referencedKinds {
		if at.Len() > 0 && name != "" && kind == k.kind {
			namespace := cmp.Or(node.Get("namespace").Str(), defaultNamespace(o))
			r.add(r.exact, k.kind, namespace, name, o, at.Path().With("name"))
		}
		if slices.ContainsFunc(resources, k.coveredBy) {
			r.collectRole(o, k, node.Get("resourceNames").Strings(), resources, at.Path().With("resourceNames"))
		}
		for _, e := range node.Entries {
			if text := e.Value.Str(); strings.Contains(text, k.label) {
				for _, name := range mentioned(text) {
					r.add(r.loose, k.kind, everywhere, name, o, at.Path().With(e.Key.Value))
				}
			}
		}
	}
}

// coveredBy reports whether a resource of RBAC stands for objects of the kind.
func (k referenced) coveredBy(resource string) bool {
	return strings.SplitN(resource, "/", 2)[0] == k.resource+"s"
}

// collectRole adds the resourceNames of a rule for the kind in a Role or ClusterRole. A rule of a ClusterRole holds in
// every namespace, and a rule for other resources too may mean one of those by the name, so a tool must not change
// either.
func (r *references) collectRole(o *transform.Object, k referenced, names, resources []string, at yamldoc.Path) {
	only := !slices.ContainsFunc(resources, func(resource string) bool { return !k.coveredBy(resource) })
	for i, name := range names {
		switch {
		case o.Kind == "Role" && only:
			r.add(r.exact, k.kind, o.Namespace, name, o, at.With(i))
		case o.Kind == "Role":
			r.add(r.loose, k.kind, o.Namespace, name, o, at.With(i))
		default:
			r.add(r.loose, k.kind, everywhere, name, o, at.With(i))
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

// mentioned returns the names in a string that mentions autoscalers: the whole string, and what is in quotes in it, as
// the value of a metric's label is.
func mentioned(text string) []string {
	quoted := strings.Split(text, `"`)
	if len(quoted) < 3 {
		return []string{text}
	}
	return append(quoted[1:len(quoted)-1], text)
}
