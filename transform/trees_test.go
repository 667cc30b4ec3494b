package transform

import (
	"fmt"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestTrees checks that only the last small documents have a tree when others have used up the memory for trees, and
// that a document without one is read again.
func TestTrees(t *testing.T) {
	full := &trees{}
	documents := make([]*document, 3*maxRecent()/100)
	for i := range documents {
		body := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings-%d}\ndata: {text: %070d}\n", i, i)
		documents[i] = &document{file: &File{}, source: &yamldoc.Document{Body: []byte(body)}, trees: full}
		if err := documents[i].parse(""); err != nil {
			t.Fatal(err)
		}
	}
	size := 0
	for _, d := range documents {
		if d.tree.Load() != nil {
			size += len(d.source.Body)
		}
	}
	if size > maxRecent() || size < maxRecent()/2 {
		t.Errorf("documents with %d bytes have a tree, want up to %d", size, maxRecent())
	}
	first := documents[0]
	if first.tree.Load() != nil {
		t.Error("the first document still has its tree")
	}
	if name := first.objects[0].Get("metadata", "name").Str(); name != "settings-0" {
		t.Errorf("name %q after the document was read again", name)
	}
	if first.tree.Load() == nil {
		t.Error("the first document has no tree after it was read again")
	}
}

// TestShare checks that up to half of maxTexts keeps its trees, and minKept of large inputs. What concerns no rule does
// not count.
func TestShare(t *testing.T) {
	for texts, want := range map[int]int{
		maxTexts / 2:     maxTexts / 2,
		maxTexts * 5 / 8: maxTexts * 3 / 8,
		maxTexts:         minKept,
		2 * maxTexts:     minKept,
	} {
		var shared trees
		source := &yamldoc.Document{Body: make([]byte, texts)}
		shared.share([]*document{{source: source}, {source: source, content: object}})
		if shared.most != want {
			t.Errorf("of %d bytes, %d keep their trees, want %d", texts, shared.most, want)
		}
	}
}
