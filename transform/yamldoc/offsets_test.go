package yamldoc

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

var corpus = flag.String("corpus", kserveModules(), "directories of YAML and JSON files, a glob pattern")

func kserveModules() string {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, "go", "pkg", "mod")
	}
	return filepath.Join(cache, "github.com", "kserve", "*")
}

// eachDocument calls f for every document of the corpus and of testdata.
func eachDocument(t *testing.T, f func(name string, body []byte)) {
	dirs, err := filepath.Glob(*corpus)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, dir := range append(dirs, "testdata") {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(path)
			if err != nil || d.IsDir() || ext != ".yaml" && ext != ".yml" && ext != ".json" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) > 16<<10 || seen[string(data)] {
				return err
			}
			seen[string(data)] = true
			docs, err := Split(data)
			if err != nil {
				return nil
			}
			var all []byte
			for _, doc := range docs {
				all = append(append(all, doc.Head...), doc.Body...)
				f(path, doc.Body)
			}
			if !bytes.Equal(all, data) {
				t.Errorf("%s: split is not lossless", path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOffsets shows that the bytes of every node, on their own, decode to that node.
func TestOffsets(t *testing.T) {
	docs := 0
	eachDocument(t, func(name string, body []byte) {
		tree, err := Parse(body)
		if err != nil {
			ours := strings.Contains(err.Error(), "duplicate key") || strings.Contains(err.Error(), "content after")
			if _, yamlErr := decode(body); yamlErr == nil && !ours {
				t.Errorf("%s: %v", name, err)
			}
			return
		}
		docs++
		switch {
		case tree.json:
			checkJSON(t, name, tree, tree.Root)
		case tree.Root != nil:
			checkOffsets(t, name, tree, tree.Root, -1)
		}
	})
	t.Logf("%d documents", docs)
}

func checkJSON(t *testing.T, name string, tree *Tree, n *Node) {
	t.Helper()
	var want any
	switch err := json.Unmarshal(tree.body[n.Start:n.End], &want); {
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case n.Kind == Scalar && n.Tag() == "!!str" && n.Value != want:
		t.Errorf("%s: %q is not %q", name, n.Value, want)
	}
	for _, e := range n.Entries {
		checkJSON(t, name, tree, e.Key)
		checkJSON(t, name, tree, e.Value)
	}
	for _, item := range n.Items {
		checkJSON(t, name, tree, item)
	}
}

func checkOffsets(t *testing.T, name string, tree *Tree, n *Node, indent int) {
	t.Helper()
	fault := func(format string, args ...any) {
		t.Helper()
		line, col := tree.Position(n.Start)
		t.Errorf("%s:%d:%d: "+format, append([]any{name, line, col}, args...)...)
	}
	if n.Start > n.End || n.props() > n.Start || n.End > len(tree.body) {
		fault("%d %d %d", n.props(), n.Start, n.End)
		return
	}
	text := string(tree.body[n.Start:n.End])
	switch last := n.last(); {
	case last.Style == Literal || last.Style == Folded:
	case strings.TrimSpace(text) != text, text == "" && !(n.Kind == Scalar && n.Value == ""):
		fault("%q is not trimmed", text)
	}
	var got yaml.Node
	if len(text) > 1<<10 && n.Kind != Scalar {
		// Its children show the same. Decoding the text at every level would take too long.
	} else if err := yaml.Unmarshal([]byte(alone(tree, n, indent)), &got); err != nil {
		if !strings.Contains(err.Error(), "unknown anchor") {
			fault("%v\n%s", err, alone(tree, n, indent))
		}
	} else if text != "-" && !sameAsYAML(n, wrapped(&got, n, indent)) {
		fault("%q decodes differently", text)
	}
	if n.Style == Block {
		indent = n.indent
	}
	for _, e := range n.Entries {
		checkOffsets(t, name, tree, e.Key, indent)
		checkOffsets(t, name, tree, e.Value, indent)
	}
	for _, item := range n.Items {
		checkOffsets(t, name, tree, item, indent)
	}
}

// last returns the value that ends where n ends.
func (n *Node) last() *Node {
	switch {
	case n.Style != Block:
		return n
	case n.Kind == Mapping:
		return n.Entries[len(n.Entries)-1].Value.last()
	}
	return n.Items[len(n.Items)-1].last()
}

// alone returns the text of a node with its indentation. A block scalar keeps a parent, because an indentation
// indicator refers to it.
func alone(tree *Tree, n *Node, indent int) string {
	text := string(tree.body[n.Start:n.End])
	switch {
	case n.Kind == Alias:
		return "[&" + n.Value + " x, " + text + "]"
	case (n.Style == Literal || n.Style == Folded) && indent >= 0:
		return strings.Repeat(" ", indent) + "k: " + text
	}
	return strings.Repeat(" ", tree.column(n.Start)) + text
}

func wrapped(doc *yaml.Node, n *Node, indent int) *yaml.Node {
	switch {
	case n.Kind == Alias:
		return doc.Content[0].Content[1]
	case (n.Style == Literal || n.Style == Folded) && indent >= 0:
		return doc.Content[0].Content[1]
	case doc.Kind == 0:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	return doc.Content[0]
}

func sameAsYAML(n *Node, y *yaml.Node) bool {
	if kinds[y.Kind] != n.Kind || n.Kind == Scalar && (n.Value != y.Value || n.Value != "" && n.Style != styleOf(y)) {
		return false
	}
	children := n.Items
	for _, e := range n.Entries {
		children = append(children, e.Key, e.Value)
	}
	if len(children) != len(y.Content) {
		return false
	}
	for i, child := range children {
		if !sameAsYAML(child, y.Content[i]) {
			return false
		}
	}
	return true
}
