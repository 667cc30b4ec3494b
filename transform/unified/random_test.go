package unified_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
)

// pair returns two texts that have most lines in common.
func pair(random *rand.Rand) (before, after string) {
	var old, new strings.Builder
	rare := 2 + random.IntN(40)
	for range random.IntN(120) {
		line := string(rune('a'+random.IntN(4))) + "\n"
		switch random.IntN(rare) {
		case 0:
			old.WriteString(line)
		case 1:
			new.WriteString(line)
		default:
			old.WriteString(line)
			new.WriteString(line)
		}
	}
	return old.String(), new.String()
}

// TestRandomLines compares diffs with go-udiff's, except for the first lines of hunks in the new text: go-udiff v0.4.1
// does not count the unchanged lines between two changes of one hunk.
func TestRandomLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		before, after := pair(random)
		if random.IntN(3) == 0 {
			before += "end"
		}
		if random.IntN(3) == 0 {
			after += "end"
		}
		want, err := udiff.ToUnifiedDiff("a", "b", before, udiff.Lines(before, after), 3)
		if err != nil {
			t.Fatal(err)
		}
		hunks := unified.Hunks(func(yield func(string, string) bool) { yield(before, after) })
		for i := range want.Hunks {
			if i < len(hunks) {
				want.Hunks[i].ToLine = hunks[i].To
			}
		}
		if got := unified.Diff("a", "b", before, after); got != want.String() {
			t.Fatalf("%q\n%q\ngot\n%s\nwant\n%s", before, after, got, want.String())
		}
		check(t, hunks, before, after)
	}
}

// TestParts compares texts of several parts, of which many are equal.
func TestParts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var parts [][2]string
		for range 1 + random.IntN(6) {
			before, after := pair(random)
			if random.IntN(2) == 0 {
				after = before
			}
			parts = append(parts, [2]string{before, after})
		}
		var before, after string
		for _, p := range parts {
			before, after = before+p[0], after+p[1]
		}
		check(t, unified.Hunks(func(yield func(string, string) bool) {
			for _, p := range parts {
				if !yield(p[0], p[1]) {
					return
				}
			}
		}), before, after)
	}
}

// check applies hunks, and checks that they are as short as they may be and no two touch.
func check(t *testing.T, hunks []unified.Hunk, before, after string) {
	t.Helper()
	old := slices.Collect(strings.Lines(before))
	var made []string
	at := 0
	for i, h := range hunks {
		if i > 0 && h.From <= at+1 {
			t.Fatalf("%q\n%q\nhunk %d starts at line %d, and the one before ends at %d", before, after, i, h.From, at)
		}
		made = append(made, old[at:h.From-1]...)
		at = h.From - 1
		if h.To != len(made)+1 {
			t.Fatalf("%q\n%q\nhunk %d starts at line %d of the new text, want %d", before, after, i, h.To, len(made)+1)
		}
		changed := func(line unified.Line) bool { return line.Op != unified.Keep }
		first := slices.IndexFunc(h.Lines, changed)
		reversed := slices.Clone(h.Lines)
		slices.Reverse(reversed)
		last := slices.IndexFunc(reversed, changed)
		if first > 3 || last > 3 || first < min(3, at) || last < 0 {
			t.Fatalf("%q\n%q\nhunk %d: %v", before, after, i, h)
		}
		for _, line := range h.Lines {
			if line.Op != unified.Insert {
				if at >= len(old) || old[at] != line.Text {
					t.Fatalf("%q\n%q\nline %d is not %q", before, after, at+1, line.Text)
				}
				at++
			}
			if line.Op != unified.Delete {
				made = append(made, line.Text)
			}
		}
	}
	if got := strings.Join(append(made, old[at:]...), ""); got != after {
		t.Fatalf("%q\nthe hunks make %q, want %q", before, got, after)
	}
}
