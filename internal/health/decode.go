package health

import (
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// decode reads a YAML document as kubectl does. What means the same to every reader, as what kubectl prints does, takes
// a third of the time.
func decode(document string) (value any, err error) {
	if value, ok := quickly(document); ok {
		return value, nil
	}
	err = yaml.Unmarshal([]byte(document), &value)
	return value, err
}

func quickly(document string) (value any, ok bool) {
	if strings.Contains(document, "!") { // it may be a tag
		return nil, false
	}
	tree, err := yamldoc.Parse([]byte(document))
	if err != nil || tree.Root == nil {
		return nil, false
	}
	return plainValue(tree.Root)
}

// plainValue returns the value of a node. ok is false if readers may differ about it, or if it needs more than the
// node.
func plainValue(n *yamldoc.Node) (value any, ok bool) {
	switch n.Kind {
	case yamldoc.Mapping:
		mapping := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			key, ok := plainValue(e.Key)
			name, isText := key.(string)
			if !ok || !isText {
				return nil, false
			}
			if mapping[name], ok = plainValue(e.Value); !ok {
				return nil, false
			}
		}
		return mapping, true
	case yamldoc.Sequence:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			if items[i], ok = plainValue(item); !ok {
				return nil, false
			}
		}
		return items, true
	case yamldoc.Scalar:
		return plainScalar(n)
	}
	return nil, false
}

func plainScalar(n *yamldoc.Node) (value any, ok bool) {
	value, ok = plain.Scalar(n.Tag(), n.Value, n.Style != yamldoc.Plain)
	switch v := value.(type) {
	case string:
		return strings.Clone(v), ok // the value itself keeps the document in memory
	case int:
		return float64(v), ok // as in JSON
	}
	return value, ok
}
