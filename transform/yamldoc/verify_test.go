package yamldoc

import (
	"errors"
	"strings"
	"testing"
)

// A document that is not the baseline with the edits made, and nothing else, is an internal error.
func TestVerify(t *testing.T) {
	const (
		untouched = "k: {l: [x, y]}\n"
		baseline  = "a: 1\nb: {c: x, d: y}\ne: [1, 2, 3]\n"
		edited    = "a: 1\nb: {c: 'no', z: y, f: 4}\ne: [1, 3, new]\ng: {h: true}\n"
	)
	edits := []Edit{
		Set(Path{"b", "c"}, "no"), Rename(Path{"b", "d"}, "z"), Set(Path{"b", "f"}, 4),
		Delete(Path{"e", 1}), Set(Path{"e", 3}, "new"), Set(Path{"g", "h"}, true),
	}
	for _, test := range []struct {
		name, got string
		same      bool
	}{
		{"the edits", edited, true},
		{"a new entry before an old one", "a: 1\nb: {f: 4, c: 'no', z: y}\ne: [1, 3, new]\ng: {h: true}\n", true},
		{"no edits", baseline, false},
		{"another value of an old entry", "a: 2\nb: {c: 'no', z: y, f: 4}\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"another order of old entries", "a: 1\nb: {z: y, c: 'no', f: 4}\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"one old entry too few", "a: 1\nb: {c: 'no', f: 4}\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"another kind", "a: 1\nb: [no, y, 4]\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"a tag", "a: 1\nb: !t {c: 'no', z: y, f: 4}\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"a string that YAML 1.1 reads as a bool", "a: 1\nb: {c: no, z: y, f: 4}\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"no rename", "a: 1\nb: {c: 'no', d: y, f: 4}\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"another new value", "a: 1\nb: {c: 'no', z: y, f: 5}\ne: [1, 3, new]\ng: {h: true}\n", false},
		{"no deletion", "a: 1\nb: {c: 'no', z: y, f: 4}\ne: [1, 2, 3, new]\ng: {h: true}\n", false},
		{"another deletion", "a: 1\nb: {c: 'no', z: y, f: 4}\ne: [1, 2, new]\ng: {h: true}\n", false},
		{"no new item", "a: 1\nb: {c: 'no', z: y, f: 4}\ne: [1, 3]\ng: {h: true}\n", false},
		{"a new item before an old one", "a: 1\nb: {c: 'no', z: y, f: 4}\ne: [1, new, 3]\ng: {h: true}\n", false},
		{"one item too many", "a: 1\nb: {c: 'no', z: y, f: 4}\ne: [1, 3, new, new]\ng: {h: true}\n", false},
		{"no new entry", "a: 1\nb: {c: 'no', z: y, f: 4}\ne: [1, 3, new]\n", false},
		{"one entry too many", edited + "i: 1\n", false},
		{"another item in an untouched value", edited + "k: {l: [x, z]}\n", false},
		{"another key in an untouched value", edited + "k: {m: [x, y]}\n", false},
	} {
		if !strings.Contains(test.got, "k:") {
			test.got += untouched
		}
		before, err := Parse([]byte(baseline + untouched))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse([]byte(test.got))
		if err != nil {
			t.Fatal(err)
		}
		p, err := merge(edits)
		if err != nil {
			t.Fatal(err)
		}
		if !p.against(before.Root) {
			t.Fatal("the edits change nothing")
		}
		err = verify(before.Root, p, got.Root)
		if _, internal := errors.AsType[*InternalError](err); internal == test.same {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// Apply returns no document that is another one than the edits say. A value with a line break that is written as it is
// stands for a fault of the splicer.
func TestApplyVerifies(t *testing.T) {
	for body, edit := range map[string]Edit{
		"a: 1\n":           Set(Path{"a"}, verbatim("2\nc: 3")),
		"a: &x ~\nb: *x\n": Set(Path{"a"}, "y"), // first writes out the alias
	} {
		tree, err := Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		for anchored := range tree.aliases {
			anchored.Value = "~\nc: 3"
		}
		after, err := tree.Apply([]Edit{edit})
		if _, internal := errors.AsType[*InternalError](err); !internal {
			t.Errorf("%q becomes %q, error %v", body, after.Bytes(), err)
		}
	}
}
