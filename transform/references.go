package transform

import (
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// reference is a place in an object that names another object.
type reference struct {
	object *Object
	at     yamldoc.Path
}

// references finds what in the render refers to the autoscaler: a mapping with its kind and name (Flagger's
// autoscalerRef, ignoreDifferences of an Argo CD Application, and the like), the resourceNames of a Role, and the name
// that a ScaledObject gives to its HorizontalPodAutoscaler.
func (r *Render) references(target *Object) []reference {
	var found []reference
	for _, o := range r.all {
		if o == target {
			continue
		}
		same := o.Namespace == target.Namespace
		walk(o.Node, nil, func(node *yamldoc.Node, at yamldoc.Path) {
			switch {
			case len(at) > 0 && node.Get("kind").Str() == target.Kind && node.Get("name").Str() == target.Name:
				if namespace := node.Get("namespace").Str(); namespace == target.Namespace || namespace == "" && (same || o.Kind == "Application") {
					found = append(found, reference{o, at.With("name")})
				}
			case o.Kind == "Role" && same && slices.Contains(node.Get("resources").Strings(), strings.ToLower(target.Kind)+"s"):
				if i := slices.Index(node.Get("resourceNames").Strings(), target.Name); i >= 0 {
					found = append(found, reference{o, at.With("resourceNames", i)})
				}
			}
		})
	}
	return found
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
