package yamldoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// path parses the text of a Path whose keys have no dots.
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
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			checkApply(t, tc.before, tc.edits, tc.after)
			crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
			if strings.Contains(tc.before, "\n") && !strings.Contains(tc.before, "\r") {
				checkApply(t, crlf(tc.before), tc.edits, crlf(tc.after))
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
	edited, err := tree.Apply(edits)
	if err != nil {
		t.Fatal(err)
	}
	if got := edited.Bytes(); string(got) != after {
		t.Fatalf("got:\n%s\nwant:\n%s\n(%q)", got, after, got)
	}
}

// TestApplyNothing shows that edits that change nothing leave the text alone.
func TestApplyNothing(t *testing.T) {
	runApply(t, []applyCase{
		{"no edits", "a: 1\n", nil, "a: 1\n"},
		{"equal values", "a: {b: 'c', d: [0x1, True]}\n", []Edit{set("a", Map{{"d", []any{1, true}}, {"b", "c"}})},
			"a: {b: 'c', d: [0x1, True]}\n"},
		{"nothing to delete", "a: {}\nb:\n", []Edit{del("a.x"), del("b.x.y"), del("c"), del("d[0]")}, "a: {}\nb:\n"},
		{"the same name", "a: 1\n", []Edit{rename("a", "a")}, "a: 1\n"},
	})
}

// TestMerge shows which edits agree.
func TestMerge(t *testing.T) {
	body := "a:\n  b: 1\n  c: {d: 2}\nl: [x, y]\n"
	for _, tc := range []struct {
		name  string
		edits []Edit
		want  string // the document, or the conflict
	}{
		{"equal",
			[]Edit{set("a.b", 2), set("a.b", 2), rename("a.b", "x"), rename("a.b", "x"), del("l[0]"), del("l[0]")},
			"a:\n  x: 2\n  c: {d: 2}\nl: [y]\n"},
		{"one absent mapping", []Edit{set("m.n.x", 1), set("e", 1), set("m.n.z", 2), set("m.o", 3)},
			body + "m:\n  \"n\":\n    x: 1\n    z: 2\n  o: 3\ne: 1\n"},
		{"set below what is set alike", []Edit{set("a.c.d", "x"), set("a.c", Map{{"d", "x"}})},
			"a:\n  b: 1\n  c: {d: x}\nl: [x, y]\n"},
		{"deleted below what is deleted", []Edit{del("a.c.d"), del("a.c")}, "a:\n  b: 1\nl: [x, y]\n"},
		{"renamed and set", []Edit{set("a.c", "x"), rename("a.c", "y")}, "a:\n  b: 1\n  \"y\": x\nl: [x, y]\n"},
		{"different values", []Edit{set("a.b", 2), set("a.b", "2")}, "conflicting edits of a.b: set to 2 and to 2"},
		{"different names", []Edit{rename("a.b", "x"), rename("a.b", "y")},
			"conflicting edits of a.b: renamed to x and to y"},
		{"one name for two", []Edit{rename("a.b", "x"), rename("a.c", "x")},
			"conflicting edits of a.b: renamed to x, but a.c has or gets that key"},
		{"the name of what is set", []Edit{rename("a.b", "x"), set("a.x", 1)},
			"conflicting edits of a.b: renamed to x, but a.x has or gets that key"},
		{"set and deleted", []Edit{del("a.b"), set("a.b", 1)}, "conflicting edits of a.b: deleted and changed"},
		{"set below what is deleted", []Edit{set("a.c.d", 1), del("a.c")},
			"conflicting edits of a.c.d: changed, and deleted with a.c"},
		{"set below what is set differently", []Edit{set("a.c", Map{{"x", 1}}), set("a.c.d", 1)},
			"conflicting edits of a.c.d: set, and set differently with a.c"},
		{"renamed below what is set", []Edit{set("a.c", Map{{"d", 2}}), rename("a.c.d", "e")},
			"conflicting edits of a.c.d: renamed, and replaced with a.c"},
		{"deleted below what is set", []Edit{set("a.c", Map{{"d", 3}}), del("a.c.d")},
			"conflicting edits of a.c.d: deleted, and set with a.c"},
		{"mapping and sequence", []Edit{set("m.x", 1), set("m[0]", 1)},
			"conflicting edits of m: one edit treats it as a mapping, another as a sequence"},
		{"a value of another type", []Edit{set("a.b", 1.5)}, "set a.b: values of type float64 can't be written"},
		{"a key twice", []Edit{set("a.b", Map{{"x", 1}, {"x", 1}})}, `set a.b: key "x" twice`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			edited, err := parse(t, body).Apply(tc.edits)
			got := fmt.Sprint(err)
			if err == nil {
				got = string(edited.Bytes())
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestUnsafe(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		edit       Edit
		want       string
	}{
		{"a merged value", "a: &x {b: 1}\nc:\n  <<: *x\n", set("a.b", 2),
			"3:7: the alias *x shares the value, and is a key or merged: write the value out here"},
		{"a value merged often", "a: &x {b: 1}\nc:\n" + strings.Repeat("- <<: *x\n", 20), set("a.b", 2),
			"3:7: the alias *x shares the value, and is a key or merged: write the value out here"},
		{"a value with a tag behind an alias", "a: &x [!mine b]\nc: *x\n", set("c[0]", 2),
			"2:4: c: this is the alias *x: write the value out here"},
		{"a large value behind an alias", "a: &x [" + strings.Repeat("1, ", maxWritten) + "1]\nc: *x\n", set("c[0]", 2),
			"2:4: c: this is the alias *x: write the value out here"},
		{"merge key", "a: &x {b: 1}\nc:\n  <<: *x\n", set("c.d", 2),
			"3:3: c: this mapping has a merge key (<<): write the merged keys out here"},
		{"complex key", "a:\n  ? [x]\n  : 1\n  b: 1\n", set("a.b", 2),
			"2:3: a: this mapping has a complex key: write keys as plain or quoted text on one line"},
		{"key with a question mark", "? a\n: 1\n", set("a", 2),
			"1:1: this mapping has a complex key: write keys as plain or quoted text on one line"},
		{"alias as key", "a: &x b\n*x : c\n", set("a.c", 2),
			"2:1: the alias *x shares the value, and is a key or merged: write the value out here"},
		{"tag", "a: !mine {b: 1}\n", set("a.b", 2), "1:4: a: this has the tag !mine: remove it"},
		{"tag of the value", "a: !mine b\n", set("a", 2), "1:4: a: this has the tag !mine: remove it"},
		{"pair without braces", "a: [b: 1]\n", set("a[0].b", 2),
			"1:5: a[0]: this is a mapping without braces in a flow sequence: put braces around it"},
		{"key of a scalar", "a: b\n", set("a.b.c", 1), "1:4: a: this is not a mapping, so it has no key b"},
		{"item of a mapping", "a: {b: c}\n", set("a[0]", 1), "1:4: a: there is no item 0 here"},
		{"item too far", "a: [b]\n", set("a[2]", 1), "1:4: a: there is no item 2 here"},
		{"item of nothing", "a: b\n", set("c[1].d", 1), "1:1: there is no item 1 of c"},
		{"name in use", "a: 1\nb: 2\n", rename("a", "b"), "2:1: the key b already exists"},
		{"no such key", "a: 1\n", rename("b", "c"), "1:1: there is no b to rename"},
		{"name for an item", "a: [1]\n", rename("a[0]", "c"), "1:4: a: an item has no key to rename"},
		{"the root", "a: 1\n", set("", 1), "1:1: the document as a whole can't be edited"},
		{"no document", "# c\n", set("a", 1), "1:1: a: the document as a whole can't be edited"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree := parse(t, tc.body)
			err := tree.Check(tc.edit)
			if got := fmt.Sprint(err); !errors.As(err, new(*UnsafeError)) || got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if _, applyErr := tree.Apply([]Edit{tc.edit}); fmt.Sprint(applyErr) != fmt.Sprint(err) {
				t.Errorf("Apply returned %v", applyErr)
			}
		})
	}
}

// TestSafe shows edits that aliases do not prevent.
func TestSafe(t *testing.T) {
	runApply(t, []applyCase{
		{"an alias may be replaced and removed", "a: &x {b: 1}\nc: *x\nd: *x\n", []Edit{set("c", 2), del("d")},
			"a: &x {b: 1}\nc: 2\n"},
		{"an anchor that nothing uses goes with its value", "a: &x {b: 1}\n", []Edit{set("a", 2)}, "a: 2\n"},
		{"beside an anchor", "a: &x {b: 1}\nc: *x\nd: 1\n", []Edit{set("d", 2)}, "a: &x {b: 1}\nc: *x\nd: 2\n"},
		{"a tag of YAML", "a: !!map\n  b: !!int 1\n", []Edit{set("a.b", "x"), set("a.c", 2)},
			"a: !!map\n  b: x\n  c: 2\n"},
	})
}

// TestSharedTogether shows edits that only go together: with the last alias, an anchored value is no longer shared.
func TestSharedTogether(t *testing.T) {
	body := "a: &x {b: 1}\nc: *x\nd: {e: *x}\n"
	for _, tc := range []struct {
		name  string
		edits []Edit
		want  string // the document, or the error
	}{
		{"all aliases go", []Edit{set("a.b", 2), del("c"), set("d", Map{{"f", 1}})}, "a: &x {b: 2}\nd: {f: 1}\n"},
		{"the anchor goes with them", []Edit{del("d.e"), set("c", 1), del("a")}, "c: 1\nd: {}\n"},
		{"one stays", []Edit{set("a.b", 2), del("c"), del("c")}, "a: &x {b: 2}\nd: {e: {b: 1}}\n"},
		{"one is set to what it is", []Edit{set("a.b", 2), del("d"), set("c", Map{{"b", 1}})},
			"a: &x {b: 2}\nc:\n  b: 1\n"},
		{"a renamed alias stays", []Edit{set("a.b", 2), del("d"), rename("c", "z")}, "a: &x {b: 2}\nz:\n  b: 1\n"},
		{"the anchor and its aliases in one value", []Edit{del("a"), del("c"), del("d")}, "{}\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			edited, err := parse(t, body).Apply(tc.edits)
			got := fmt.Sprint(err)
			if err == nil {
				got = string(edited.Bytes())
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestWriteOut shows what Apply makes of the aliases that share what an edit changes.
func TestWriteOut(t *testing.T) {
	probe := "a: &x # a probe\n  exec: {command: [\"true\"]} # run\n  seconds: 5\nb: *x # the same\nc: 1 # c\n"
	runApply(t, []applyCase{
		{"the anchored value", probe, []Edit{set("a.seconds", 6)},
			"a: &x # a probe\n  exec: {command: [\"true\"]} # run\n  seconds: 6\nb: # the same\n  exec:\n    command:\n" +
				"      - \"true\"\n  seconds: 5\nc: 1 # c\n"},
		{"the value behind the alias", probe, []Edit{del("b.exec")},
			"a: &x # a probe\n  exec: {command: [\"true\"]} # run\n  seconds: 5\nb: # the same\n  seconds: 5\nc: 1 # c\n"},
		{"the same below both", probe, []Edit{del("b.exec"), set("b.seconds", 6), del("a.exec"), set("a.seconds", 6)},
			"a: &x # a probe\n  seconds: 6\nb: *x # the same\nc: 1 # c\n"},
		{"the same below all but one", "a: &x {b: 1}\nc: *x\nd: *x\ne: *x\n",
			[]Edit{set("a.b", 2), set("c.b", 2), set("d.b", 3)}, "a: &x {b: 2}\nc: *x\nd:\n  b: 3\ne:\n  b: 1\n"},
		{"the same below both, and the anchor goes", "a: {b: &x {c: 1}}\nd: *x\n",
			[]Edit{set("a.b.c", 2), set("d.c", 2), set("a", Map{{"b", Map{{"c", 2}}}})}, "a: {b: {c: 2}}\nd:\n  c: 2\n"},
		{"the same below both, and the alias goes", "a: &x {b: 1, c: 1}\nd: *x\n",
			[]Edit{del("a.b"), del("d.b"), del("d")}, "a: &x {c: 1}\n"},
		{"a new key below both", "a: &x {b: 1}\nc: [*x]\n", []Edit{set("a.d", 2), set("c[0].d", 2)},
			"a: &x {b: 1, d: 2}\nc: [*x]\n"},
		{"an item", "l:\n- &i {a: 1}\n- *i\nm: [*i]\n", []Edit{set("l[0].a", 2)},
			"l:\n- &i {a: 2}\n- a: 1\nm: [{a: 1}]\n"},
		{"scalars that are no strings", "a: &x {i: 0x1f, f: 1.50, n: ~, b: True, s: 'yes'}\nc: *x\n", []Edit{set("a.i", 1)},
			"a: &x {i: 1, f: 1.50, n: ~, b: True, s: 'yes'}\nc:\n  i: 0x1f\n  f: 1.50\n  \"n\": ~\n  b: True\n  s: \"yes\"\n"},
		{"an alias in the value", "p: &p 1\na: &x {p: *p}\nc: *x\n", []Edit{set("c.p", 2)},
			"p: &p 1\na: &x {p: *p}\nc:\n  p: 2\n"},
		{"a key with an anchor", "&x a: 1\nc: *x\n", []Edit{rename("a", "b")}, "b: 1\nc: a\n"},
		{"an anchor that goes", "a: {b: &x 1}\nc: *x\n", []Edit{del("a")}, "c: 1\n"},
	})
}
