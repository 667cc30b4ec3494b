package yamldoc

import (
	"fmt"
	"slices"
	"testing"
)

// TestLost shows which comments edits take out of a document.
func TestLost(t *testing.T) {
	for _, tc := range []struct {
		name   string
		before string
		edits  []Edit
		after  string
		lost   []string
	}{
		{
			name:   "at the end of a line, a replaced scalar keeps its comment",
			before: "a: 1 # one\nb: [x] # two\n",
			edits:  []Edit{set("a", 2), set("b[0]", "z")},
			after:  "a: 2 # one\nb: [z] # two\n",
		},
		{
			name:   "lines of a replaced block keep theirs, ends of lines do not",
			before: "a: # key\n  # line\n  b: 1 # first\n  c: | # second\n    # text\n  d: 'x # text' # third\ne: 1\n",
			edits:  []Edit{set("a", Map{{"z", 1}})},
			after:  "a: # key\n  # line\n  z: 1\ne: 1\n",
			lost:   []string{"3:8: # first (a)", "4:8: # second (a)", "6:17: # third (a)"},
		},
		{
			name:   "a replaced flow collection keeps none",
			before: "a: [ # first\n  # line\n  b, # second\n] # third\n",
			edits:  []Edit{set("a", "x")},
			after:  "a: x # third\n",
			lost:   []string{"1:6: # first (a)", "2:3: # line (a)", "3:6: # second (a)"},
		},
		{
			name:   "a deleted entry leaves the comment lines above it",
			before: "l:\n# about a\n- a: 1 # a\n  # about b\n  b: 2\n# about c\n- c # c\n- d\n",
			edits:  []Edit{del("l[0]"), del("l[1]")},
			after:  "l:\n# about a\n# about c\n- d\n",
			lost:   []string{"3:8: # a (l[0])", "4:3: # about b (l[0])", "7:5: # c (l[1])"},
		},
		{
			name:   "a comment line in a flow collection stays, too",
			before: "l: [\n  # about a\n  a, # a\n  # about b\n  b # b\n]\n",
			edits:  []Edit{del("l[0]")},
			after:  "l: [\n  # about a\n  # about b\n  b # b\n]\n",
			lost:   []string{"3:6: # a (l[0])"},
		},
		{
			name:   "the positions are those of the document before, also when a collection gains and loses entries",
			before: "x: 1\na:\n  b: 1 # b\n  c: 2 # c\n",
			edits:  []Edit{set("x", Map{{"z", 1}}), set("a.d", 3), del("a.b")},
			after:  "x:\n  z: 1\na:\n  c: 2 # c\n  d: 3\n",
			lost:   []string{"3:8: # b (a.b)"},
		},
		{
			name:   "emptied",
			before: "a: # key\n  b: 1 # b\n",
			edits:  []Edit{del("a.b")},
			after:  "a: {} # key\n",
			lost:   []string{"2:8: # b (a.b)"},
		},
		{
			name:   "each edit loses its own",
			before: "l:\n- - a # a\n  - b # b\n  - c\nm: [\n  a, # c\n  b, # d\n  c]\nn: [ # e\n]\n",
			edits: []Edit{del("l[0][0]"), del("l[0][1]"), del("m[0]"), del("m[1]"),
				set("n[0].o", "x")},
			after: "l:\n- - c\nm: [\n  c]\nn:\n- o: x\n",
			lost: []string{"2:7: # a (l[0][0])", "3:7: # b (l[0][1])", "6:6: # c (m[0])", "7:6: # d (m[1])",
				"9:6: # e (n[0].o)"},
		},
		{
			name:   "each edit loses its own also if nothing else is left",
			before: "a: # key\n  b: 1 # b\n  c: 2 # c\n",
			edits:  []Edit{del("a.c"), del("a.b")},
			after:  "a: {} # key\n",
			lost:   []string{"2:8: # b (a.b)", "3:8: # c (a.c)"},
		},
		{
			name:   "a number sign in text is no comment",
			before: "a: {b: 'x # y', \"c # d\": e#f, g: h # i\n }\n",
			edits:  []Edit{set("a.b", "w"), del("a.c # d")},
			after:  "a: {b: 'w', g: h # i\n }\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree, err := parse(t, tc.before).Apply(tc.edits)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(tree.Bytes()); got != tc.after {
				t.Errorf("got\n%s\nwant\n%s", got, tc.after)
			}
			var lost []string
			for _, c := range tree.Lost() {
				lost = append(lost, fmt.Sprintf("%d:%d: %s (%s)", c.Line, c.Col, c.Text, c.Path))
			}
			if !slices.Equal(lost, tc.lost) {
				t.Errorf("lost %q, want %q", lost, tc.lost)
			}
		})
	}
}

// TestLinesAfterBlockScalars shows that a deletion leaves the lines after the block scalar before it alone, unless they
// would become part of it.
func TestLinesAfterBlockScalars(t *testing.T) {
	runApply(t, []applyCase{
		{
			name:   "a blank line and the comment of the next section",
			before: "data:\n  script: |\n    run\n  gone: 1\n\n# next section\nother: 1\n",
			edits:  []Edit{del("data.gone")},
			after:  "data:\n  script: |\n    run\n\n# next section\nother: 1\n",
		},
		{
			name:   "a comment as deep as the text",
			before: "data:\n  script: |\n    run\n  gone: 1\n\n    # deep\n    # deeper\n  b: 1\n",
			edits:  []Edit{del("data.gone")},
			after:  "data:\n  script: |\n    run\n\n  # deep\n    # deeper\n  b: 1\n",
		},
		{
			name:   "blank lines with more blanks than the text",
			before: "a: >\n  run\ngone: 1\n  \n     \nb: 1\n",
			edits:  []Edit{del("gone")},
			after:  "a: >\n  run\n  \n\nb: 1\n",
		},
		{
			name:   "a block scalar that keeps blank lines",
			before: "a: |+\n  run\n\ngone: 1\n\n# c\n\nlast: 1\nb: 1\n",
			edits:  []Edit{del("gone"), del("last")},
			after:  "a: |+\n  run\n\n# c\n\nb: 1\n",
		},
		{
			name:   "one that is the last because what followed goes, too",
			before: "a:\n  b: |+\n    run\n  c: 1\ngone: 1\n\nd: 1\n",
			edits:  []Edit{del("a.c"), del("gone")},
			after:  "a:\n  b: |+\n    run\nd: 1\n",
		},
		{
			name:   "one that goes itself",
			before: "a: 1\nb: |+\n  run\n\ngone: 1\n\nd: 1\n",
			edits:  []Edit{del("b"), del("gone")},
			after:  "a: 1\n\nd: 1\n",
		},
		{
			name:   "one without text",
			before: "a: |\ngone: 1\n  # c\nd: 1\n",
			edits:  []Edit{del("gone")},
			after:  "a: |\n# c\nd: 1\n",
		},
	})
}
