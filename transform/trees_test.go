package transform

import (
	"bytes"
	"fmt"
	"strings"
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

// manyLong documents with the long comment have more text than may keep its trees.
const manyLong = 3 * maxTexts / maxSmall / 2

var longComment = strings.Repeat("# a long comment\n", maxSmall/20)

// TestReleased checks that a repair is the same when the memory of trees is used again, which takes a large input.
func TestReleased(t *testing.T) {
	config := Config{
		Rules: []*Rule{wants("KS991", "owner", "us", services)},
		Facts: func(o *Object) any { return o.Annotation("team") },
	}
	text := func(i int) string {
		team := fmt.Sprintf("churn-%d\n  annotations: {team: team-%d}", i, i)
		return strings.Replace(service, "churn", team, 1) + longComment
	}
	repaired := func(files ...File) []Output {
		result, err := Run(t.Context(), files, config)
		if err != nil {
			t.Fatal(err)
		}
		return result.Files()
	}
	var files []File
	for i := range manyLong {
		files = append(files, File{Path: fmt.Sprint(i), Data: []byte(text(i))})
	}
	for i, got := range repaired(files...) {
		if want := repaired(files[i])[0]; !bytes.Equal(got.After, want.After) || bytes.Equal(got.After, got.Before) {
			t.Fatalf("file %d is\n%.200s\nand alone\n%.200s", i, got.After, want.After)
		}
	}
}

// TestSearchKeepsNothing checks that what Search finds has no facts, and takes no room from the trees of the others.
func TestSearchKeepsNothing(t *testing.T) {
	settings := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
	found := 0
	config := Config{
		Rules: []*Rule{wants("KS991", "owner", "us", services)},
		Facts: func(o *Object) any { return o.Name },
		Index: func(r *Render) any {
			known := r.All()[0].doc.trees
			before := known.kept
			r.Search(func([]byte) bool { return true }, func(o *Object) {
				if o.Kind != "ConfigMap" {
					return
				}
				found++
				if facts := o.Facts(); facts != nil {
					t.Errorf("facts %v", facts)
				}
			})
			if known.kept != before {
				t.Errorf("documents with %d bytes keep their trees, want %d", known.kept, before)
			}
			return nil
		},
	}
	if _, err := Run(t.Context(), []File{{Path: "a", Data: []byte(service + "---\n" + settings)}}, config); err != nil {
		t.Fatal(err)
	}
	if found != 2 {
		t.Errorf("%d objects found, want one in the input and one in the repaired input", found)
	}
}

// TestHolding checks which texts are searched: those of documents without a tree, as they are edited.
func TestHolding(t *testing.T) {
	var searched []string
	config := Config{
		Rules: []*Rule{wants("KS991", "owner", "us", services)},
		Index: func(r *Render) any {
			for i, o := range r.All() {
				if i > 0 {
					o.doc.drop()
				}
			}
			found := r.Holding(func(o *Object, text []byte) bool {
				searched = append(searched, fmt.Sprint(o.Name, " ", bytes.Contains(text, []byte("owner: us"))))
				return o.Name == "b"
			})
			if len(found) != 2 || found[0].Name != "a" || found[1].Name != "b" {
				t.Errorf("found %v, want a, which has a tree, and b", found)
			}
			return nil
		},
	}
	data := named("a") + "---\n" + named("b") + "---\n" + named("c")
	if _, err := Run(t.Context(), []File{{Path: "a", Data: []byte(data)}}, config); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(searched, ", "), "b false, c false, b true, c true"; got != want {
		t.Errorf("searched %s, want %s", got, want)
	}
}

// TestKept checks that a document counts once, however often it is dropped and read again.
func TestKept(t *testing.T) {
	full := &trees{}
	d := &document{file: &File{}, source: &yamldoc.Document{Body: []byte(service)}, trees: full}
	if err := d.parse(""); err != nil {
		t.Fatal(err)
	}
	full.most = 2 * len(service)
	d.drop()
	d.adopt(d.read())
	full.size += maxRecent()
	full.remember(&document{source: &yamldoc.Document{}})
	if d.tree.Load() == nil || !full.admit(d) || full.kept != len(service) {
		t.Errorf("%d bytes are kept, want %d", full.kept, len(service))
	}
	if d.drop(); full.kept != 0 {
		t.Errorf("%d bytes are kept after a drop", full.kept)
	}
}

// TestDrop checks that a document which is edited anew, with fewer edits, keeps one tree.
func TestDrop(t *testing.T) {
	both := rule("KS992", func(p *Pass) {
		if p.Object.Name != "churn" || p.Object.Annotation("team") != "" {
			return
		}
		team := yamldoc.Set(yamldoc.Path{"metadata", "annotations", "team"}, "a")
		p.Report(Finding{Message: "no team", Edits: append(p.Object.Edits(team), p.Render.All()[1].Edits(team)...)})
	}, services)
	conflict := rule("KS993", func(p *Pass) {
		if at := (yamldoc.Path{"metadata", "annotations", "team"}); p.Object.Name == "fraud" {
			p.Report(Finding{Message: "another team", Edits: p.Object.Edits(yamldoc.Set(at, "b"))})
		}
	}, services)
	files := []File{
		{Path: "a", Data: []byte(service)},
		{Path: "b", Data: []byte(strings.Replace(service, "churn", "fraud", 1))},
	}
	config := Config{Rules: []*Rule{wants("KS991", "owner", "us", services), both, conflict}}
	e, err := newEngine(config)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := read(t.Context(), files, newScreen(config.Rules, files), &config)
	if err != nil {
		t.Fatal(err)
	}
	findings, failed, err := e.find(t.Context(), stream.selected, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := newRepair(e, stream, findings, failed)
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !stream.selected[0].edited || stream.selected[1].edited {
		t.Fatal("the first document is not repaired, or the second one is")
	}
	if kept, want := stream.selected[0].trees.kept, 2*len(service); kept != want {
		t.Errorf("documents with %d bytes keep their trees, want %d", kept, want)
	}
}
