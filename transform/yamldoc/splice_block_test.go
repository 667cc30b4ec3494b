package yamldoc

import (
	"errors"
	"testing"
)

func TestAddToBlock(t *testing.T) {
	runApply(t, []applyCase{
		{
			name: "annotations where there are none",
			before: `kind: InferenceService
metadata:
  name: iris # the model

  # what it does
spec:
  predictor: {}
`,
			edits: []Edit{
				set("metadata.annotations.a", "1"), set("metadata.annotations.b", "two words"),
				set("metadata.annotations.c", true),
			},
			after: `kind: InferenceService
metadata:
  name: iris # the model
  annotations:
    a: "1"
    b: two words
    c: true

  # what it does
spec:
  predictor: {}
`,
		},
		{
			name: "parents without a value",
			before: `a:
  b:
  c: null # see docs
  d: ~
  e: {} # none
  f: {  }
  g: []
`,
			edits: []Edit{
				set("a.b.x", 1), set("a.c.x", 1), set("a.d.x", 1), set("a.e.x", 1), set("a.f.x.z", 1), set("a.g[0]", 1),
			},
			after: `a:
  b:
    x: 1
  c: # see docs
    x: 1
  d:
    x: 1
  e: # none
    x: 1
  f:
    x:
      z: 1
  g:
    - 1
`,
		},
		{
			name:   "the document's own step and lists as deep as their key",
			before: "m:\n    a:\n        b: c\nl:\n-   x: 1\n",
			edits: []Edit{
				set("m.d", Map{{"e", Map{{"f", []any{"g", Map{{"h", 1}, {"i", 2}}, []any{"j"}}}}}}),
				set("l[1]", Map{{"x", 2}, {"z", []any{1}}}),
			},
			after: `m:
    a:
        b: c
    d:
        e:
            f:
            - g
            - h: 1
              i: 2
            - - j
l:
-   x: 1
-   x: 2
    z:
    - 1
`,
		},
		{
			name:   "lists deeper than their key",
			before: "l:\n  - x: 1\n",
			edits:  []Edit{set("l[0].m", []any{"a"}), set("n.o", []any{"b"})},
			after:  "l:\n  - x: 1\n    m:\n      - a\n\"n\":\n  o:\n    - b\n",
		},
		{
			name:   "a mapping that starts behind a dash",
			before: "- name: x\n-   name: y # last\n  # about the list\n",
			edits:  []Edit{set("[0].a", 1), set("[1].a.b", 2), set("[2]", "z")},
			after:  "- name: x\n  a: 1\n-   name: y # last\n    a:\n      b: 2\n-   z\n  # about the list\n",
		},
		{
			name:   "items without a value",
			before: "- a: {}\n- {} # c\n-\n- # d\n",
			edits:  []Edit{set("[0].a.b", 1), set("[1].c", 2), set("[2].d", Map{{"e", 1}}), set("[3]", []any{1, 2})},
			after:  "- a:\n    b: 1\n- c: 2 # c\n- d:\n    e: 1\n- - 1\n  - 2 # d\n",
		},
		{
			name:   "after a block scalar with its blank lines",
			before: "a:\n  b: |+\n    text\n\nc: 1\n",
			edits:  []Edit{set("a.d", 2)},
			after:  "a:\n  b: |+\n    text\n\n  d: 2\nc: 1\n",
		},
		{
			name:   "no line end at the end",
			before: "a:\n  b: 1 # c",
			edits:  []Edit{set("a.c", 2), set("d", 3)},
			after:  "a:\n  b: 1 # c\n  c: 2\nd: 3",
		},
		{
			name:   "a block scalar without a line end at the end: a line end would be part of it",
			before: "a:\n  - b: |\n      x",
			edits:  []Edit{set("a[0].c", 2), set("a[0].d", 3), set("e", 4)},
			after:  "e: 4\na:\n  - c: 2\n    d: 3\n    b: |\n      x",
		},
		{
			name:   "in the quotes of the neighbours",
			before: "a:\n  'x': 'y'\n  'z': 'w'\nb:\n  c: \"1\"\n  d: e\n",
			edits:  []Edit{set("a.q", "it's"), set("a.r", "two\nlines"), set("b.f", "g")},
			after: "a:\n  'x': 'y'\n  'z': 'w'\n  'q': 'it''s'\n  'r': \"two\\nlines\"\nb:\n  c: \"1\"\n  d: e\n" +
				"  f: g\n",
		},
		{
			name:   "line ends of the neighbours",
			before: "a:\r\n  b: 1\r\nc:\n  d: 1\ne: 1\r\n",
			edits:  []Edit{set("a.x", 1), set("c.x.z", 1)},
			after:  "a:\r\n  b: 1\r\n  x: 1\r\nc:\n  d: 1\n  x:\n    z: 1\ne: 1\r\n",
		},
		{
			name:   "CR alone",
			before: "a:\r  b: 1\r",
			edits:  []Edit{set("a.c.d", 1)},
			after:  "a:\r  b: 1\r  c:\r    d: 1\r",
		},
		{
			name:   "behind LS and PS, which end lines in YAML",
			before: "a: b # \u2028c: \"d\u2029e\"\n",
			edits:  []Edit{set("c", "f"), set("g", 1)},
			after:  "a: b # \u2028c: \"f\"\ng: 1\n",
		},
	})
}

func TestReplaceInBlock(t *testing.T) {
	runApply(t, []applyCase{
		{
			name:   "scalars",
			before: "a: \"x\" # c\nb: 'y'\nc: z\nd: yes\ne:\nf: # c\ng: one\n  two\n",
			edits: []Edit{
				set("a", "z"), set("b", "it's"), set("c", "no"), set("d", "yes"), set("e", 1), set("f", true),
				set("g", "x"),
			},
			after: "a: \"z\" # c\nb: 'it''s'\nc: \"no\"\nd: \"yes\"\ne: 1\nf: true # c\ng: x\n",
		},
		{
			name:   "block scalars",
			before: "a: |- # c\n  text\n  # text\nb: >\n  x\n\nl:\n- |\n  y\n- 1\n",
			edits:  []Edit{set("a", "new"), set("b", Map{{"k", "v"}}), set("l[0]", "z")},
			after:  "a: new # c\nb:\n  k: v\n\nl:\n- z\n- 1\n",
		},
		{
			name:   "a scalar by a mapping or list",
			before: "a: 1 # c\nb: \"x\n  y\" # d\nc:\n  z # e\nl:\n  - 1\n",
			edits:  []Edit{set("a", Map{{"k", "v"}}), set("b", []any{1}), set("c", Map{{"k", "v"}})},
			after:  "a: # c\n  k: v\nb: # d\n  - 1\nc:\n  k: v\nl:\n  - 1\n",
		},
		{
			name: "a mapping by a mapping: comment lines are kept above",
			before: `probe: # readiness
  # how
  exec:
    # which
    command: # argv
      - |
        # no comment
  # after
next: 1
`,
			edits: []Edit{set("probe", Map{{"httpGet", Map{{"path", "/"}, {"port", 8080}}}})},
			after: `probe: # readiness
  # how
  # which
  httpGet:
    path: /
    port: 8080
  # after
next: 1
`,
		},
		{
			name:   "a mapping by a scalar",
			before: "a:\n  # c\n  b: 1\n  # d\n  c: 2\nl:\n- a: 1\n  # e\n  b: 2\n- 1\n",
			edits:  []Edit{set("a", "x"), set("l[0]", "z")},
			after:  "a: x\n  # c\n  # d\nl:\n- z\n  # e\n- 1\n",
		},
		{
			name:   "items",
			before: "- a # x\n- b: 1\n  c: 2\n-\n  d: 1\n- - e\n",
			edits: []Edit{
				set("[0]", Map{{"k", 1}}), set("[1]", Map{{"k", 1}, {"l", 2}}), set("[2]", Map{{"k", 1}, {"l", 2}}),
				set("[3]", []any{"f", "g"}),
			},
			after: "- k: 1 # x\n- k: 1\n  l: 2\n-\n  k: 1\n  l: 2\n- - f\n  - g\n",
		},
		{
			name:   "flow stays flow",
			before: "a: {b: c} # d\ne: [1, 2]\n",
			edits:  []Edit{set("a", Map{{"x", Map{{"z", []any{}}}}}), set("e", []any{"a", "b, c"})},
			after:  "a: {x: {z: []}} # d\ne: [a, \"b, c\"]\n",
		},
		{
			name:   "anchors that nothing uses and tags of YAML go",
			before: "a: &x\n  b: 1\nc: !!str 5\nd: &y # c\n  - 1\n",
			edits:  []Edit{set("a", Map{{"z", 1}}), set("c", 7), set("d", "e")},
			after:  "a:\n  z: 1\nc: 7\nd: e # c\n",
		},
		{
			name:   "no line end at the end",
			before: "a: b",
			edits:  []Edit{set("a", Map{{"k", "v"}, {"l", Map{}}})},
			after:  "a:\n  k: v\n  l: {}",
		},
	})
}

func TestDeleteFromBlock(t *testing.T) {
	runApply(t, []applyCase{
		{
			name:   "entries, with what they hold",
			before: "a: 1\n# about b\nb: # b\n  - |\n    x\nc:\n  d: 1\n  e: {f: 1,\n    g: 2} # e\n  h: 3\n",
			edits:  []Edit{del("b"), del("c.e")},
			after:  "a: 1\n# about b\nc:\n  d: 1\n  h: 3\n",
		},
		{
			name:   "items",
			before: "l:\n  - a\n  # about b\n  - b: 1\n    c: 2\n  -\n    d\n  - - e\n    - f\n",
			edits:  []Edit{del("l[0]"), del("l[1]"), del("l[2]"), del("l[3][0]")},
			after:  "l:\n  # about b\n  - - f\n",
		},
		{
			name:   "the first key behind a dash",
			before: "- a: 1 # a\n  # about b\n  b: 2\n-   a: 1\n\n    b: 2\n    c: 3\n- a:\n    - 1\n  b: 2\n  c: 3\n",
			edits:  []Edit{del("[0].a"), del("[1].a"), del("[1].b"), del("[2].a"), del("[2].c")},
			after:  "- # about b\n  b: 2\n-   c: 3\n- b: 2\n",
		},
		{
			name:   "everything",
			before: "a:\n  b: # b\n    # c\n    x: 1\n  l:\n  - 1\n  - 2\nc:\n- d: 1\n- - 1\n",
			edits:  []Edit{del("a.b.x"), del("a.l[0]"), del("a.l[1]"), del("c[0].d"), del("c[1][0]")},
			after:  "a:\n  b: {} # b\n    # c\n  l: []\nc:\n- {}\n- []\n",
		},
		{
			name:   "everything in the document",
			before: "# c\na: 1\n# d\nb: 2\n",
			edits:  []Edit{del("a"), del("b")},
			after:  "# c\n# d\n{}\n",
		},
		{
			name:   "everything, for something new",
			before: "c:\n- d: 1\n  e: 2\n",
			edits:  []Edit{del("c[0].d"), set("c[0].x", 1), del("c[0].e")},
			after:  "c:\n- x: 1\n",
		},
		{
			name:   "blank lines and comments do not fall to a block scalar before them",
			before: "a: |+\n  x\nb: 1\n\n  # c\nd: 1\nl:\n  - |\n    y\n  - 1\n    # e\n  - 2\n",
			edits:  []Edit{del("b"), del("l[1]")},
			after:  "a: |+\n  x\n# c\nd: 1\nl:\n  - |\n    y\n  # e\n  - 2\n",
		},
		{
			name:   "the last one without a line end",
			before: "a: 1\nb: 2",
			edits:  []Edit{del("b")},
			after:  "a: 1\n",
		},
	})
}

func TestRename(t *testing.T) {
	runApply(t, []applyCase{
		{
			name:   "keys in their quotes",
			before: "a : 1\n'b': 2\n\"c\": 3\nd: {e: 1, \"f\":2}\n",
			edits: []Edit{
				rename("a", "x"), rename("b", "it's"), rename("c", "no"), rename("d.e", "a b"), rename("d.f", "no"),
			},
			after: "x : 1\n'it''s': 2\n\"no\": 3\nd: {a b: 1, \"no\":2}\n",
		},
		{
			name: "an entry with its place, comments and a new value",
			before: `readinessProbe:
  # how
  exec: # curl
    command: ["curl", "-f", "http://localhost:8080/ready"]
  periodSeconds: 5
`,
			edits: []Edit{
				rename("readinessProbe.exec", "httpGet"),
				set("readinessProbe.exec", Map{{"path", "/ready"}, {"port", 8080}}),
			},
			after: `readinessProbe:
  # how
  httpGet: # curl
    path: /ready
    port: 8080
  periodSeconds: 5
`,
		},
		{
			name:   "a key that is a number",
			before: "1: a\n2: b\n",
			edits:  []Edit{rename("1", "3"), rename("2", "x")},
			after:  "\"3\": a\nx: b\n",
		},
	})
}

// TestTab has white space that yaml.v3 takes after a plain scalar only.
func TestTab(t *testing.T) {
	runApply(t, []applyCase{
		{"another plain value", "a: 1\n \t# b\nc: 2\n \t\nd: 3\n", []Edit{set("a", 4), set("c", "x")},
			"a: 4\n \t# b\nc: x\n \t\nd: 3\n"},
	})
	tree := parse(t, "a: 1\n \t# b\n")
	_, err := tree.Apply([]Edit{set("a", "1")})
	var unsafe *UnsafeError
	if !errors.As(err, &unsafe) || err.Error() != "2:2: a tab stands in the way of the edit: use spaces" {
		t.Error(err)
	}
}
