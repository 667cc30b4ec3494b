package health

import (
	"slices"
	"strings"
)

// Target is what a Wait waits for: all objects with this kind, namespace and name, each of which may be empty.
type Target struct{ Kind, Namespace, Name string }

// Named is the target [NAMESPACE/]NAME of any kind.
func Named(name string) Target {
	if namespace, name, ok := strings.Cut(name, "/"); ok {
		return Target{Namespace: namespace, Name: name}
	}
	return Target{Name: name}
}

// targetsOf returns all targets that match an object.
func targetsOf(id key) (targets []Target) {
	for _, kind := range slices.Compact([]string{"", id.kind}) {
		for _, namespace := range slices.Compact([]string{"", id.namespace}) {
			for _, name := range slices.Compact([]string{"", id.name}) {
				targets = append(targets, Target{kind, namespace, name})
			}
		}
	}
	return targets
}

func (t Target) String() string {
	return strings.TrimSpace(Result{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}.Ref())
}
