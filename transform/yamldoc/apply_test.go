package yamldoc

import (
	"errors"
	"strings"
	"testing"
)

// path reads a path as Path.String writes it, without keys that have dots.
func path(s string) Path {
	var p Path
	for _, part := range strings.Split(s, ".") {
		key, rest, _ := strings.Cut(part, "[")
		if key != "" {
			p = append(p, key)
		}
		for rest != "" {
			digits, more, _ := strings.Cut(rest, "]")
			i := 0
			for _, d := range digits {
				i = 10*i + int(d-'0')
			}
			p = append(p, i)
			rest = strings.TrimPrefix(more, "[")
		}
	}
	return p
}

func set(p string, v any) Edit        { return Set(path(p), v) }
func del(p string) Edit               { return Delete(path(p)) }
func rename(p string, to string) Edit { return Rename(path(p), to) }

type applyCase struct {
	name   string
	before string
	edits  []Edit
	after  string
}

func runApply(t *testing.T, cases []applyCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			checkApply(t, c.before, c.edits, c.after)
			crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
			if !strings.Contains(c.before, "\r") {
				checkApply(t, crlf(c.before), c.edits, crlf(c.after))
			}
		})
	}
}

func checkApply(t *testing.T, before string, edits []Edit, after string) {
	t.Helper()
	tree, err := Parse([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.Apply(edits)
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if string(got) != after {
		t.Fatalf("got:\n%s\nwant:\n%s\n(%q)", got, after, got)
	}
}

func TestApplyBlock(t *testing.T) {
	runApply(t, []applyCase{
		{
			name: "annotations where there are none",
			before: `kind: InferenceService
metadata:
  name: a # the name
spec:
  predictor: {}
`,
			edits: []Edit{set("metadata.annotations.x", "1"), set("metadata.annotations.u", "true story"), set("metadata.annotations.z", true)},
			after: `kind: InferenceService
metadata:
  name: a # the name
  annotations:
    x: "1"
    u: true story
    z: true
spec:
  predictor: {}
`,
		},
		{
			name:   "rename and set",
			before: "a:\n- exec:\n    command: [\"x\"]\n  n: 1\nb: 2\n",
			edits:  []Edit{rename("a[0].exec", "httpGet"), set("a[0].exec", Map{{"path", "/x"}, {"port", 8080}})},
			after:  "a:\n- httpGet:\n    path: /x\n    port: 8080\n  n: 1\nb: 2\n",
		},
		{
			name:   "delete the first key of an item",
			before: "a:\n  - x: 1 # c\n    # about y\n    y: 2\n  -   x: 1\n      y: 2\n",
			edits:  []Edit{del("a[0].x"), del("a[1].x")},
			after:  "a:\n  - # about y\n    y: 2\n  -   y: 2\n",
		},
		{
			name:   "no final line end",
			before: "a:\n  b: 1",
			edits:  []Edit{set("a.c", 2)},
			after:  "a:\n  b: 1\n  c: 2",
		},
		{
			name:   "open block scalar at the end",
			before: "a:\n  b: |\n    x",
			edits:  []Edit{set("a.c", 2)},
			after:  "a:\n  c: 2\n  b: |\n    x",
		},
		{
			name:   "null parents",
			before: "a:\n  b:\n  c: null # c\n  d: ~\n  e: {} # e\n  f:\n    g: 1\n",
			edits:  []Edit{set("a.b.x", 1), set("a.c.x", 1), set("a.d.x", 1), set("a.e.x", 1)},
			after:  "a:\n  b:\n    x: 1\n  c: # c\n    x: 1\n  d:\n    x: 1\n  e: # e\n    x: 1\n  f:\n    g: 1\n",
		},
		{
			name:   "delete all",
			before: "a:\n  b: # b\n    # c\n    x: 1\n  l:\n  - 1\n  - 2\nc:\n- d: 1\n",
			edits:  []Edit{del("a.b.x"), del("a.l[0]"), del("a.l[1]"), del("c[0].d")},
			after:  "a:\n  b: {} # b\n    # c\n  l: []\nc:\n- {}\n",
		},
		{
			name:   "delete all and add",
			before: "c:\n- d: 1\n  e: 2\nf: {a: b}\n",
			edits:  []Edit{del("c[0].d"), set("c[0].m", 1), del("c[0].e"), del("f.a"), set("f.c", "d")},
			after:  "c:\n- m: 1\nf: {c: d}\n",
		},
	})
}

func TestApplyFlow(t *testing.T) {
	runApply(t, []applyCase{
		{name: "one line", before: "a: {b: c}\n", edits: []Edit{set("a.d", "e"), set("a.f", "g:h")}, after: "a: {b: c, d: e, f: \"g:h\"}\n"},
		{name: "trailing comma", before: "a: { b: c, }\n", edits: []Edit{set("a.d", "e")}, after: "a: { b: c, d: e, }\n"},
		{name: "lines", before: "a: {\n  b: c, # b\n  d: e # d\n  # end\n}\n", edits: []Edit{set("a.f", "g")}, after: "a: {\n  b: c, # b\n  d: e, # d\n  f: g\n  # end\n}\n"},
		{name: "delete middle", before: "a: [1, 2, 3]\n", edits: []Edit{del("a[1]")}, after: "a: [1, 3]\n"},
		{name: "delete last", before: "a: [1, 2, 3]\n", edits: []Edit{del("a[1]"), del("a[2]")}, after: "a: [1]\n"},
		{name: "json compact", before: `{"a":{"b":1},"c":[]}`, edits: []Edit{set("a.d", "e"), set("c", []any{1, "x"}), set("f.g.h", true)}, after: `{"a":{"b":1,"d":"e"},"c":[1,"x"],"f":{"g":{"h":true}}}`},
		{name: "json lines", before: "{\n\t\"a\": {\n\t\t\"b\": 1\n\t},\n\t\"c\": {}\n}\n", edits: []Edit{set("a.d.e", "f"), set("c.x", 1)}, after: "{\n\t\"a\": {\n\t\t\"b\": 1,\n\t\t\"d\": {\n\t\t\t\"e\": \"f\"\n\t\t}\n\t},\n\t\"c\": {\n\t\t\"x\": 1\n\t}\n}\n"},
		{name: "json delete", before: "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", edits: []Edit{del("a"), del("c")}, after: "{\n  \"b\": 2\n}\n"},
	})
}

func TestUnsafe(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		edit      Edit
		want      string
	}{
		{"alias", "a: &x {b: 1}\nc: *x\n", set("c.b", 2), "2:4: c: this is the alias *x: write the value out here"},
		{"anchor", "a: &x {b: 1}\nc: *x\n", set("a.b", 2), "1:4: a: the anchor &x is used elsewhere as *x: write the value out there"},
		{"merge", "a: &x {b: 1}\nc:\n  <<: *x\n", set("c.d", 2), "3:3: c: this mapping has a merge key (<<): write the merged keys out here"},
		{"complex", "? [a]\n: 1\nb: 1\n", set("b", 2), "1:1: : this mapping has a complex key: write keys as plain or quoted text on one line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, err := Parse([]byte(c.doc))
			if err != nil {
				t.Fatal(err)
			}
			err = tree.Check(c.edit)
			var unsafe *UnsafeError
			if !errors.As(err, &unsafe) || err.Error() != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
		})
	}
}
