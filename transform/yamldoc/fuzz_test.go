package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// seeds adds the documents of testdata and some short ones.
func seeds(f *testing.F, add func(data []byte)) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		add(data)
	}
	for _, s := range []string{
		"", "\n", "\ufeff", "a: 1", "---\n", "a: 1\n---\nb: 2\n", "a: 1\r\n--- # c\r\nb: 2\r\n", "a: 1\n...\n---\nb\n",
		"%YAML 1.1\n---\na: 1\n", `{"a": 1}{"b": "}{"}`, "# c\n{\"a\": 1}\n", "a: |+\n  x\n\nb: 1\n\nc: 1\n",
		"a: |\n  x\nb: 1\n  # c\nc: 1\n",
		"a:\n- b: 1\n  c: {d: e, f: [g, h]}\n-   i: j\n", "- - a\n  - b\n- |\n x", "a: {b: c,\n  d: e, # f\n}\n",
		"{\n  \"a\": [\n    1\n  ]\n}\n",
		"a: &x {b: 1}\nc: *x\n", "a:\n  b:\n  # c\nd: ~\ne: {}\n", "? a\n: b\n", "a: 'x'\nb: \"y\"\n",
		"a: b\u2028c: d\n", "a: &a\n- !!str b\n",
	} {
		add([]byte(s))
	}
}

func whole(docs []Document) []byte {
	var all []byte
	for _, doc := range docs {
		all = append(append(all, doc.Head...), doc.Body...)
	}
	return all
}

func FuzzSplit(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := Split(data)
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Col < 1 || fault.Line > countLines(data)+1 {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(whole(docs), data) {
			t.Fatalf("%q split gives %q", data, whole(docs))
		}
		line := 1
		for i, doc := range docs {
			if line += countLines(doc.Head); doc.Line != line {
				t.Fatalf("document %d of %q is on line %d, not %d", i, data, line, doc.Line)
			}
			line += countLines(doc.Body)
		}
	})
}

func FuzzJoin(f *testing.F) {
	var files [][]byte
	seeds(f, func(data []byte) { files = append(files, data) })
	for i := range files {
		f.Add(files[i], files[(i+1)%len(files)])
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		first, err1 := Split(a)
		second, err2 := Split(b)
		if err1 != nil || err2 != nil {
			return
		}
		out, err := Join([][]Document{first, second})
		if err != nil {
			var fault *JoinError
			if !errors.As(err, &fault) || fault.File > 1 {
				t.Fatal(err)
			}
			return
		}
		stream := bytes.Join(out, nil)
		if len(stream) > 0 && stream[len(stream)-1] != '\n' {
			t.Fatalf("%q ends without line end", stream)
		}
		docs, err := Split(stream)
		if err != nil {
			t.Fatalf("%q and %q joined are refused: %v", a, b, err)
		}
		again, err := Join([][]Document{docs})
		if err != nil || !bytes.Equal(bytes.Join(again, nil), stream) {
			t.Fatalf("%q joined again is %q %v", stream, again, err)
		}
		if got, want := bodies(docs), append(bodies(first), bodies(second)...); !slices.Equal(got, want) {
			t.Fatalf("%q and %q joined have documents %q, not %q", a, b, got, want)
		}
	})
}

// bodies returns the documents with more than white space. JSON loses the escapes that only JSON has.
func bodies(docs []Document) (list []string) {
	for _, doc := range docs {
		if body := bytes.TrimSpace(doc.Body); len(body) > 0 {
			if startsJSON(body) {
				body = asYAML(body)
			}
			list = append(list, string(body))
		}
	}
	return list
}

func FuzzSplice(f *testing.F) {
	seeds(f, func(data []byte) {
		for seed := range uint64(3) {
			f.Add(data, seed)
		}
	})
	for seed := range uint64(20) { // some of which remove what has a comment
		f.Add([]byte("a: # 1\n- b # 2\n# 3\n- c: d # 4\n  e: [f, # 5\n    g] # 6\nh: i # 7\n"), seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		docs, err := Split(data)
		if err != nil || len(docs) != 1 {
			return
		}
		tree, err := Parse(docs[0].Body)
		if err != nil || tree.Root == nil {
			return
		}
		edits := randomEdits(tree.Root, rand.New(rand.NewPCG(seed, 0)))
		out, err := tree.Apply(edits)
		var unsafe *UnsafeError
		var conflict *ConflictError
		switch {
		case errors.As(err, &unsafe), errors.As(err, &conflict):
			return
		case err != nil:
			t.Fatalf("%q\n%v\n%v", docs[0].Body, edits, err)
		}
		checkLost(t, tree, out, edits)
		if slices.ContainsFunc(edits, func(e Edit) bool { return e.Op != OpSet }) {
			return
		}
		again, err := out.Apply(edits)
		if err != nil {
			t.Fatalf("%q\n%v\nset again\n%v", out.Bytes(), edits, err)
		}
		if !bytes.Equal(again.Bytes(), out.Bytes()) {
			t.Fatalf("%q\n%v\nset again\n%q", out.Bytes(), edits, again.Bytes())
		}
	})
}

// checkLost shows that every comment of a document is in the edited one or is lost by one of the edits. New values have
// none.
func checkLost(t *testing.T, before, after *Tree, edits []Edit) {
	t.Helper()
	was, is, lost := len(before.comments()), len(after.comments()), len(after.Lost())
	if before != after && was != is+lost {
		t.Errorf("%d comments became %d, %d are lost\n%q\n%q", was, is, lost, before.Bytes(), after.Bytes())
	}
	for _, c := range after.Lost() {
		if !slices.ContainsFunc(edits, func(e Edit) bool { return slices.Equal(e.Path, c.Path) }) {
			t.Errorf("%s is lost by an edit of %s, which is not among %v", c.Text, c.Path, edits)
		}
	}
}

// randomEdits makes up to three edits at paths of the document or just below.
func randomEdits(root *Node, r *rand.Rand) (edits []Edit) {
	paths := pathsOf(root, nil)
	values := []any{
		"x", "yes", "a: b, [c]", "line\nend\n", "", "0777", true, 42, Map{}, []any{},
		Map{{"k", "v"}, {"l", []any{1, Map{{"m", "n"}}}}}, []any{"a", []any{"b"}},
	}
	for range 1 + r.IntN(3) {
		p := paths[r.IntN(len(paths))]
		value := values[r.IntN(len(values))]
		switch r.IntN(6) {
		case 0:
			edits = append(edits, Delete(p))
		case 1:
			edits = append(edits, Rename(p, "renamed"))
		case 2:
			edits = append(edits, Set(p.With("new", "deep"), value))
		case 3:
			edits = append(edits, Set(p.With("new"), value), Set(p.With("other"), value))
		case 4:
			edits = append(edits, Set(p.With(len(root.Get(p...).list())), value))
		default:
			edits = append(edits, Set(p, value))
		}
	}
	return edits
}

func (n *Node) list() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

func pathsOf(n *Node, p Path) []Path {
	paths := []Path{p}
	for _, e := range n.Entries {
		if e.Key.Kind == Scalar {
			paths = append(paths, pathsOf(e.Value, p.With(e.Key.Value))...)
		}
	}
	for i, item := range n.Items {
		paths = append(paths, pathsOf(item, p.With(i))...)
	}
	return paths
}

// FuzzPlain compares what plainParser reads with what yaml.v3 reads.
func FuzzPlain(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	for _, s := range []string{
		"a: b # c\n\n# d\ne:\n  f: 1.5\n  g:\n  - h\n  - i: j\n    k: {l: [m, 'n o', \"p\"], q: ~}\n  r:\ns: 2001-01-01\n",
		"a: |\n  b\n   c\n\n  d\n\n\ne: |-\n    f\n g: h\n", "- a\n- - b\n  - c\n-  d: e\n   f: g\n",
		"a:\n  # b\n  c: d\n# e\n f: g\n", "a: b\n  c\n", "a: b: c\n", "a: 'b' c\n", "a: {b}\n",
		"a: [b: c]\n", "a: [b, ]\n", "a:b: c\n", "a: b:c#d e: \n", "a: -\n", "a: - b\n", "a: <<\n",
		"<<: a\n", "a: 1\na: 2\n", "\"a\": 1\n'b': 0x1F\n1: +1\ntrue: 0b1\n",
		"a: \u00e9 # \u2014\n\u00e9: b\n", "a: b\n---\n", "a: [a.b/c:80, -1, --d=e, ~]\n", "a: |\n\n  b\n",
		"a: |\n  b", "a: |\n  b\n \n    \n", "a: |2\n   b\n", "a: >-\n  b\n", "- |\n b\n- |-\n  c\n",
		"- 'a': b\n- 'c'\n- [d]\n- {e: f}\n-\n", "- a: b\n  - c\n", "a:\n- b\n c: d\n",
		"a:\n   b: c\n  d: e\n", "a: [b]c\n", "a: b  \nc:  \n",
		"- 1_000\n- 0X1F\n- 0o17\n- 0b+1\n- +.inf\n- .NaN\n- 12:30:45\n- 1e3\n- .5\n- nUll\n- y\n- =\n- 0777\n- 1.\n- _1\n",
		"- 2001-1-1\n- 2001-01-01 12:30:45.5\n- 2001-01-01 12:30:45,5\n- 2001-01-01T12:30:45,5+02:00\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		docs, err := Split(data)
		if err != nil {
			return
		}
		for _, d := range docs {
			comparePlain(t, d.Body)
		}
	})
}

// comparePlain compares what plainParser reads with what yaml.v3 reads. It reports
// whether plainParser reads the document.
func comparePlain(t *testing.T, body []byte) bool {
	t.Helper()
	plain := &Tree{text: text{body: body, yaml: true}}
	if plain.Root = plain.parsePlain(); plain.Root == nil {
		return false
	}
	full := &Tree{text: text{body: body, yaml: true}}
	doc, err := decode(body)
	if err == nil {
		err = full.convert(&doc)
	}
	if err != nil {
		t.Fatalf("%q is read, but is no YAML: %v", body, err)
	}
	if got, want := sketch(plain.Root), sketch(full.Root); got != want {
		t.Fatalf("%q is read as\n%s, not as\n%s", body, got, want)
	}
	return true
}

// sketch shows everything about a node.
func sketch(n *Node) string {
	text := fmt.Sprintf("%d %d %d-%d %d-%d %s %q", n.Kind, n.Style, n.props(), n.Start, n.End, n.indent, n.Tag(), n.Value)
	text += fmt.Sprint(" ", n.Anchor(), n.barrier, n.extras != nil)
	for _, e := range n.Entries {
		text += fmt.Sprintf(" (%s:%d %s)", sketch(e.Key), e.colon, sketch(e.Value))
	}
	for _, item := range n.Items {
		text += " [" + sketch(item) + "]"
	}
	return text
}
