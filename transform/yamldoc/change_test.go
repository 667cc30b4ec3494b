package yamldoc

import "testing"

// TestChange checks that a change gives the new text, also one that is worked out from both texts.
func TestChange(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"", ""},
		{"", "a: 1\n"},
		{"a: 1\n", ""},
		{"a: 1\n", "a: 1\n"},
		{"a: 1\na: 1\n", "a: 1\na: 1\na: 1\n"},
		{"a: 1\nb: 2\nc: 3\n", "a: 1\nc: 3\n"},
		{"a: 1\nb: 2\nc: 3\n", "a: 0\nb: 2\nc: 4\n"},
	} {
		if got := string(changeTo([]byte(c.before), []byte(c.after)).Apply([]byte(c.before))); got != c.after {
			t.Errorf("%q changed to %q, want %q", c.before, got, c.after)
		}
	}
	if got := string(Change(nil).Apply([]byte("a: 1\n"))); got != "a: 1\n" {
		t.Errorf("no change gives %q", got)
	}
}

// TestTreeChange checks what Change tells about an Apply whose edits are made in one step, and in two.
func TestTreeChange(t *testing.T) {
	before := "a: 1\nb:\n  c: 2\n  d: 3\n"
	tree, err := Parse([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	for _, edits := range [][]Edit{
		{Set(Path{"a"}, 4), Set(Path{"b", "d"}, "five")},
		{Delete(Path{"b", "c"}), Set(Path{"b", "e"}, 6)},
	} {
		edited, err := tree.Apply(edits)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(edited.Change().Apply([]byte(before))), string(edited.Bytes()); got != want || got == before {
			t.Errorf("%v: the change gives %q, want %q", edits, got, want)
		}
	}
}
