package kustomize

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
)

// equalsAsYAML reports whether manifest avoided AsYAML. It accepts that AsYAML
// fails, as it does on some comments.
func equalsAsYAML(t *testing.T, object *resource.Resource) bool {
	t.Helper()
	if _, ok := plainMapping(object.YNode()); !ok {
		return false
	}
	got, err := manifest(object)
	if err != nil {
		t.Error(err)
	}
	if want, err := object.AsYAML(); err == nil && string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	return true
}

// TestManifestOfFiles writes the objects that the examples consist of.
func TestManifestOfFiles(t *testing.T) {
	all, direct := 0, 0
	err := filepath.WalkDir(filepath.Join("..", "..", "..", "examples"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		objects, _ := references.Parse(data)
		for _, object := range objects {
			all++
			if equalsAsYAML(t, object) {
				direct++
			}
		}
		return nil
	})
	if err != nil || direct < all*9/10 {
		t.Errorf("%v; %d of %d objects without AsYAML", err, direct, all)
	}
}

// TestManifestOfNodes writes random trees, also those that a transformer but no
// file makes.
func TestManifestOfNodes(t *testing.T) {
	random, direct := trees{rand.New(rand.NewPCG(1, 2))}, 0
	for range 20_000 {
		root := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
		root.Content = append(root.Content, random.key(), random.node(3))
		if equalsAsYAML(t, &resource.Resource{RNode: *yaml.NewRNode(root)}) {
			direct++
		}
	}
	if direct < 1_000 {
		t.Errorf("%d trees without AsYAML", direct)
	}
}

// trees makes YAML nodes.
type trees struct{ *rand.Rand }

func oneOf[T any](t trees, list ...T) T { return list[t.IntN(len(list))] }

func (t trees) text() string {
	var text strings.Builder
	for range t.IntN(4) {
		text.WriteString(oneOf(t, "a", "b c", "iris", "1", "0", "-", "-1", "0x1f", "0o7", "1_000", "12:30:45", "1.5", "1e3",
			".5", ".inf", "NaN", "null", "~", "true", "False", "yes", "NO", "on", "y", "2026-01-31", "2026-01-31T10:00:00Z",
			"<<", "=", ":", ": ", " #", "#", "&a", "*a", "!t", "!!str", "|", ">", "%", "@", "`", "'", "''", `"`, `\`, `\n`,
			"{", "}", "[", "]", ",", "?", "? ", "- ", "---", "...", "\n", "\n\n", "\n  ", " ", "  ", "\t", "\r", "\r\n", "é",
			"日本", "\u00a0", "\u2028", "\ufeff", "\ufffd", "\x00", "\x07", "\x7f", "\u0085", "😀", "<b>", "&amp;", "$(A)",
			"{{ .Name }}", "gs://bucket/a?b=c", strings.Repeat("many words ", 20)))
	}
	return text.String()
}

func (t trees) comment() string {
	return oneOf(t, "", "", "", "", "", "", "", "# a", "# a: b", "# a\n# b")
}

func (t trees) commented(n yaml.Node) *yaml.Node {
	n.HeadComment, n.LineComment, n.FootComment = t.comment(), t.comment(), t.comment()
	return &n
}

func (t trees) key() *yaml.Node {
	return t.commented(yaml.Node{Kind: yaml.ScalarNode, Tag: oneOf(t, "", yaml.NodeTagString, yaml.NodeTagString), Value: t.text()})
}

func (t trees) scalar() *yaml.Node {
	n := yaml.Node{Kind: yaml.ScalarNode, Tag: oneOf(t, "", "!!float", "!!timestamp", "!!binary", yaml.NodeTagString,
		yaml.NodeTagString, yaml.NodeTagString, yaml.NodeTagInt, yaml.NodeTagBool, yaml.NodeTagNull), Value: t.text()}
	n.Style = oneOf(t, 0, 0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle)
	switch n.Tag {
	case yaml.NodeTagInt:
		n.Value = oneOf(t, "1", "-1", "0", "-0", "1000000000000000", "99999999999999999999", "0x1", "010", "+1", "1_0")
	case yaml.NodeTagBool:
		n.Value = oneOf(t, "true", "false", "True", "yes")
	case yaml.NodeTagNull:
		n.Value = oneOf(t, "null", "~", "", "Null")
	}
	return t.commented(n)
}

func (t trees) node(depth int) *yaml.Node {
	kind := oneOf(t, yaml.ScalarNode, yaml.ScalarNode, yaml.SequenceNode, yaml.MappingNode)
	if depth == 0 || kind == yaml.ScalarNode {
		return t.scalar()
	}
	n := t.commented(yaml.Node{Kind: kind, Style: oneOf(t, 0, 0, 0, yaml.FlowStyle)})
	for range t.IntN(4) {
		if kind == yaml.MappingNode {
			n.Content = append(n.Content, t.key())
		}
		n.Content = append(n.Content, t.node(depth-1))
	}
	return n
}
