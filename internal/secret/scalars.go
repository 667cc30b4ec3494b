package secret

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// AddScalars adds the scalars, anchors and tags of YAML documents; keys are names. What is not YAML is added as a
// whole.
func (v *Values) AddScalars(data []byte) {
	documents, ok := Documents(data)
	if !ok {
		v.Add(string(data))
	}
	for _, document := range documents {
		v.addScalars(document)
	}
}

func (v *Values) addScalars(n *yaml.Node) {
	v.Add(n.Anchor)
	if !strings.HasPrefix(n.Tag, "!!") {
		v.Add(n.Tag)
	}
	if n.Kind == yaml.ScalarNode {
		v.Add(n.Value)
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			v.Name(child.Value)
		} else {
			v.addScalars(child)
		}
	}
}

// Documents returns the roots of YAML documents. ok is false if one of them isn't YAML.
func Documents(data []byte) (roots []*yaml.Node, ok bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			return roots, errors.Is(err, io.EOF)
		}
		roots = append(roots, document.Content...)
	}
}
