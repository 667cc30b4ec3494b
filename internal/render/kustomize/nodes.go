package kustomize

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// items returns the objects in a List.
func items(n *yaml.Node) []*yaml.Node {
	if list := field(n, "items"); list != nil && list.Kind == yaml.SequenceNode {
		return slices.Clone(list.Content)
	}
	return nil
}

// entry returns the key and the value in a mapping, the last of several, or nil without one.
func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	each(n, func(k, v *yaml.Node) {
		if k.Value == name {
			key, value = k, v
		}
	})
	return key, value
}

// field returns the value at a path of keys, or nil.
func field(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		_, n = entry(n, name)
	}
	return n
}

// text returns the value of a scalar.
func text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

// each calls do for the entries of a mapping.
func each(n *yaml.Node, do func(key, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		do(n.Content[i], n.Content[i+1])
	}
}
