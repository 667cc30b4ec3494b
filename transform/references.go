package transform

import (
	"cmp"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// reference is a place in an object that names another object.
type reference struct {
	object    *Object
	at        yamldoc.Path
	namespace string // of the other object, or everywhere
}

// everywhere is the namespace of a reference that holds in each.
const everywhere = "*"

// mentions is what in the render names autoscalers.
type mentions struct {
	byKind map[string][]reference // what follows a rename, by the kind and name of the autoscaler, with a blank between
	loose  []reference            // text, and RBAC that covers more than the autoscaler: to be changed by hand
}

// references returns what in the render, beside the object itself, refers to an autoscaler of its namespace and can
// follow it to another name: a mapping with its kind and name (Flagger's autoscalerRef, ignoreDifferences of an Argo CD
// Application, and the like), the resourceNames of a Role. Objects that name it in another way are for people to look at.
func (r *Render) references(o *Object, kind, name string) (follow []reference, byHand []string) {
	if r.mentions == nil {
		r.mentions = &mentions{byKind: map[string][]reference{}}
		for _, o := range r.all {
			r.mentions.collect(o)
		}
	}
	for _, ref := range r.mentions.byKind[kind+" "+name] {
		if ref.object != o && ref.reaches(o.Namespace) {
			follow = append(follow, ref)
		}
	}
	for _, ref := range r.mentions.loose {
		if shown := ref.object.String(); ref.object != o && ref.names(o.Namespace, kind, name) && !slices.Contains(byHand, shown) {
			byHand = append(byHand, shown)
		}
	}
	return follow, byHand
}

// collect adds what the object mentions.
func (m *mentions) collect(o *Object) {
	walk(o.Node, nil, func(node *yamldoc.Node, at yamldoc.Path) {
		kind, name := node.Get("kind").Str(), node.Get("name").Str()
		if len(at) > 0 && name != "" && slices.Contains(autoscalerKinds, kind) {
			namespace := node.Get("namespace").Str()
			if namespace == "" {
				namespace = o.reach()
			}
			m.byKind[kind+" "+name] = append(m.byKind[kind+" "+name], reference{o, at.With("name"), namespace})
		}
		if resources := node.Get("resources").Strings(); len(resources) > 0 {
			m.collectRole(o, node.Get("resourceNames").Strings(), resources, at.With("resourceNames"))
		}
		for _, e := range node.Entries {
			if text := e.Value.Str(); strings.Contains(text, "horizontalpodautoscaler") || strings.Contains(text, "scaledobject") {
				m.loose = append(m.loose, reference{o, at.With(e.Key.Value), everywhere})
			}
		}
	})
}

// collectRole adds the names in a rule of a Role. Those of a ClusterRole hold in every namespace, and those in a rule
// for other resources too may mean one of these: they are not for a tool to change.
func (m *mentions) collectRole(o *Object, names, resources []string, at yamldoc.Path) {
	for _, kind := range autoscalerKinds {
		of := func(resource string) bool { return plural(kind) == strings.SplitN(resource, "/", 2)[0] }
		if !slices.ContainsFunc(resources, of) {
			continue
		}
		alone := !slices.ContainsFunc(resources, func(resource string) bool { return !of(resource) })
		for i, name := range names {
			switch {
			case o.Kind == "Role" && alone:
				m.byKind[kind+" "+name] = append(m.byKind[kind+" "+name], reference{o, at.With(i), o.Namespace})
			case o.Kind == "Role":
				m.loose = append(m.loose, reference{o, at.With(i), o.Namespace})
			default:
				m.loose = append(m.loose, reference{o, at.With(i), everywhere})
			}
		}
	}
}

// plural is the resource by which RBAC knows the kind.
func plural(kind string) string { return strings.ToLower(kind) + "s" }

// reach is the namespace of what the object refers to without naming one: its own, or that to which an Argo CD
// Application deploys.
func (o *Object) reach() string {
	switch o.Kind {
	case "Application":
		return cmp.Or(o.Get("spec", "destination", "namespace").Str(), everywhere)
	case "ApplicationSet":
		return everywhere
	}
	return o.Namespace
}

// reaches reports whether the reference can be to an object of the namespace.
func (ref reference) reaches(namespace string) bool {
	return ref.namespace == namespace || ref.namespace == everywhere
}

// names reports whether the reference is the name, or text that has the name as the value of a metric's label.
func (ref reference) names(namespace, kind, name string) bool {
	value := ref.object.Get(ref.at...).Str()
	return ref.reaches(namespace) &&
		(value == name || strings.Contains(value, strings.ToLower(kind)) && strings.Contains(value, `"`+name+`"`))
}

// walk visits every mapping of the tree, aliases left out: what they stand for is visited where it is written.
func walk(node *yamldoc.Node, at yamldoc.Path, visit func(*yamldoc.Node, yamldoc.Path)) {
	switch node.Kind {
	case yamldoc.Mapping:
		visit(node, at)
		for _, e := range node.Entries {
			walk(e.Value, at.With(e.Key.Value), visit)
		}
	case yamldoc.Sequence:
		for i, item := range node.Items {
			walk(item, at.With(i), visit)
		}
	}
}
