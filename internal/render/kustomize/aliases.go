package kustomize

import (
	"bytes"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxAliased is the number of nodes that the aliases of a build may expand to.
// kustomize copies each of these nodes.
const maxAliased = 100_000

// aliases counts what the aliases in the files of a build expand to.
type aliases struct {
	maxBytes int64 // 0 means no limit
	expanded extent
}

// extent is the size of a YAML tree. The bytes are those of its scalars: a large
// scalar is as bad as many nodes.
type extent struct{ nodes, bytes int64 }

func (e extent) plus(other extent) extent {
	return extent{e.nodes + other.nodes, e.bytes + other.bytes}
}

// add counts the aliases in a file. It refuses a YAML bomb, also in a text that
// a file contains, such as an inline patch. It accepts data that isn't YAML,
// which may be the content of a ConfigMap.
func (a *aliases) add(name string, data []byte) error {
	if n := a.first(data, func(text *yaml.Node) bool {
		return a.first([]byte(text.Value), func(*yaml.Node) bool { return false }) != nil
	}); n != nil {
		return fmt.Errorf("%s:%d:%d: the aliases of the build expand to more than %s", name, n.Line, n.Column, a.limit())
	}
	return nil
}

func mayAlias(data []byte) bool {
	return bytes.ContainsRune(data, '&') && bytes.ContainsRune(data, '*')
}

func (a *aliases) limit() string {
	if a.expanded.nodes > maxAliased {
		return fmt.Sprintf("%d nodes", maxAliased)
	}
	return limited(a.maxBytes)
}

// first returns the first node of the YAML documents that goes over the limit, or
// nil. It asks within about each scalar.
func (a *aliases) first(data []byte, within func(*yaml.Node) bool) *yaml.Node {
	if !mayAlias(data) {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		if decoder.Decode(&document) != nil {
			return nil
		}
		if n := a.expand(&document, within); n != nil {
			return n
		}
	}
}

// expand counts the aliases of a document, and returns the first node that goes
// over the limit, or nil.
func (a *aliases) expand(document *yaml.Node, within func(*yaml.Node) bool) *yaml.Node {
	sizes := map[*yaml.Node]extent{} // of the nodes that have an anchor
	var over *yaml.Node
	var size func(*yaml.Node) extent
	size = func(n *yaml.Node) extent {
		if over != nil {
			return extent{}
		}
		if n.Kind == yaml.AliasNode {
			a.expanded = a.expanded.plus(sizes[n.Alias])
			if a.expanded.nodes > maxAliased || a.maxBytes > 0 && a.expanded.bytes > a.maxBytes {
				over = n
			}
			return sizes[n.Alias]
		}
		total := extent{1, int64(len(n.Value))}
		for _, child := range n.Content {
			total = total.plus(size(child))
		}
		if n.Kind == yaml.ScalarNode && within(n) {
			over = n
		}
		if n.Anchor != "" {
			sizes[n] = total
		}
		return total
	}
	size(document)
	return over
}
