package unified_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
)

// TestRandomLines compares diffs with what go-udiff makes of all edits at once, but for the lines that it gets wrong,
// and applies them.
func TestRandomLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var before, after strings.Builder
		rare := 2 + random.IntN(40)
		for range random.IntN(120) {
			line := string(rune('a'+random.IntN(4))) + "\n"
			switch random.IntN(rare) {
			case 0:
				before.WriteString(line)
			case 1:
				after.WriteString(line)
			default:
				before.WriteString(line)
				after.WriteString(line)
			}
		}
		if random.IntN(3) == 0 {
			before.WriteString("end")
		}
		if random.IntN(3) == 0 {
			after.WriteString("end")
		}
		edits := udiff.Lines(before.String(), after.String())
		got, err := unified.Diff("a", "b", before.String(), edits)
		if err != nil {
			t.Fatal(err)
		}
		want, err := udiff.ToUnifiedDiff("a", "b", before.String(), edits, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Hunks {
			if i < len(got.Hunks) {
				want.Hunks[i].ToLine = got.Hunks[i].ToLine
			}
		}
		if got.String() != want.String() {
			t.Fatalf("%q\n%q\ngot\n%s\nwant\n%s", before.String(), after.String(), got.String(), want.String())
		}
	}
}
