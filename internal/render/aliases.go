package render

import (
	"bytes"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxAliased is the number of nodes that the aliases of a document may stand
// for when kustomize reads it: it copies them all, one by one.
const maxAliased = 100_000

// checkAliases refuses a YAML bomb. What isn't YAML at all may still be the
// content of a ConfigMap and is left to kustomize.
func checkAliases(name string, data []byte) error {
	if !bytes.ContainsRune(data, '&') || !bytes.ContainsRune(data, '*') {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		if decoder.Decode(&document) != nil {
			return nil
		}
		a := aliases{sizes: map[*yaml.Node]int{}}
		if a.size(&document); a.total > maxAliased {
			return fmt.Errorf("%s:%d:%d: aliases stand for more than %d nodes", name, a.last.Line, a.last.Column, maxAliased)
		}
	}
}

// aliases counts the nodes that aliases stand for.
type aliases struct {
	sizes map[*yaml.Node]int // of the nodes that have an anchor
	total int
	last  *yaml.Node // the alias that went over the limit
}

func (a *aliases) size(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		size := a.sizes[n.Alias]
		if a.total <= maxAliased {
			a.total, a.last = a.total+size, n
		}
		return size
	}
	size := 1
	for _, child := range n.Content {
		size = min(size+a.size(child), maxAliased+1)
	}
	if n.Anchor != "" {
		a.sizes[n] = size
	}
	return size
}
