package kustomize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plain"
)

// manifest returns the bytes of AsYAML. That writes an object as YAML, reads it,
// writes it as JSON, reads that and writes it as YAML again
// (api/resource/resource.go@v0.21.2). The first four steps leave plain values as
// they are, so manifest takes only the last one. AsYAML fails on some comments
// that it writes where it can't read them; manifest drops them like all others.
func manifest(object *resource.Resource) ([]byte, error) {
	if value, ok := plainMapping(object.YNode()); ok {
		return yamlv2.Marshal(value)
	}
	return object.AsYAML()
}

// plainValue returns the value of a node. ok is false if AsYAML may change it or fail.
func plainValue(n *yaml.Node) (value any, ok bool) {
	if !isBare(n) {
		return nil, false
	}
	switch n.Kind {
	case yaml.MappingNode:
		return plainMapping(n)
	case yaml.SequenceNode:
		return plainSequence(n)
	case yaml.ScalarNode:
		return plainScalar(n)
	default:
		return nil, false
	}
}

// isBare reports whether a node has no anchor and tag, and no comment that AsYAML
// may read as a string.
func isBare(n *yaml.Node) bool {
	return n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 && !strings.Contains(n.LineComment, "\n")
}

func plainMapping(n *yaml.Node) (value map[string]any, ok bool) {
	if n.Kind != yaml.MappingNode || n.Tag != "" && n.Tag != yaml.NodeTagMap {
		return nil, false
	}
	value = make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, duplicate := value[key.Value]; duplicate || !isPlainKey(key) {
			return nil, false
		}
		if value[key.Value], ok = plainValue(n.Content[i+1]); !ok {
			return nil, false
		}
	}
	return value, true
}

func plainSequence(n *yaml.Node) (value []any, ok bool) {
	if n.Tag != "" && n.Tag != yaml.NodeTagSeq {
		return nil, false
	}
	value = make([]any, len(n.Content))
	for i, item := range n.Content {
		if value[i], ok = plainValue(item); !ok {
			return nil, false
		}
	}
	return value, true
}

func plainScalar(n *yaml.Node) (value any, ok bool) {
	tag := n.ShortTag() // also of a node without one
	if value, ok = plain.Scalar(tag, n.Value, n.Style != 0); tag == yaml.NodeTagString {
		return value, ok && isPlainText(n)
	}
	return value, ok
}

// maxKey is less than the longest key that a writer puts on one line.
const maxKey = 100

func isPlainKey(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == yaml.NodeTagString && isBare(n) && len(n.Value) <= maxKey &&
		n.Value != "<<" && !strings.Contains(n.Value, "\n") && isPlainText(n)
}

// isPlainText reports whether a string stays unchanged. Control characters do not,
// nor does space at the beginning of a block, nor an empty line at its end.
func isPlainText(n *yaml.Node) bool {
	isBlock := n.Style&yaml.LiteralStyle != 0 || strings.Contains(n.Value, "\n")
	if n.Style&yaml.FoldedStyle != 0 ||
		isBlock && (strings.TrimLeft(n.Value, " \t\n") != n.Value || strings.HasSuffix(n.Value, "\n\n")) {
		return false
	}
	for _, char := range n.Value {
		if char != '\n' && char != '\t' && (char == utf8.RuneError || !unicode.IsPrint(char)) {
			return false
		}
	}
	return true
}
