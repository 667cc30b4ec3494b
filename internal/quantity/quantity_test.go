package quantity

import (
	_ "embed"
	"strings"
	"testing"
)

// canonical has quantities and their canonical forms. Package e2e/conformance/fields makes it with Kubernetes' code.
//
//go:embed testdata/canonical.txt
var canonical string

func TestCanonical(t *testing.T) {
	lines, left := 0, 0
	for line := range strings.Lines(canonical) {
		words := strings.Fields(line)
		got, ok := Canonical(words[0])
		lines++
		switch {
		case !ok:
			left++
		case got != words[1]:
			t.Errorf("%s: %s, want %s", words[0], got, words[1])
		}
		if again, ok := Canonical(got); ok && again != got {
			t.Errorf("%s: not canonical, but %s", got, again)
		}
	}
	if lines < 700 || left > lines/3 {
		t.Errorf("%d of %d quantities are not understood", left, lines)
	}
	for _, text := range []string{
		"", "-", ".", "1x", "1K", "1ki", "1e", "e3", "1 ", "1_000", "0x10", "10000000000G", "1e3", "-1", "+1", "1.", ".5",
		"007", "0.1n",
	} {
		if got, ok := Canonical(text); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
		ok   bool
	}{
		{"1", "1000m", 0, true}, {"2Gi", "2G", 1, true}, {"500m", "1", -1, true}, {"10", "9", 1, true},
		{"2Gi", "10Gi", -1, true}, {"250m", "250m", 0, true}, {"999", "1", 1, true}, {"01", "1", 0, false},
		{"1.5Gi", "1536Mi", 0, true}, {"", "1", 0, false}, {"1", "-1", 0, false}, {"1e3", "1", 0, false},
	} {
		if order, ok := Compare(tc.a, tc.b); order != tc.want || ok != tc.ok {
			t.Errorf("%q and %q: %d, %v, want %d, %v", tc.a, tc.b, order, ok, tc.want, tc.ok)
		}
	}
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "007": -1, "1.5": 1, "1500m": 1, "100n": 0, "2Gi": 2 << 30, "1.5Ki": 1536, "3k": 3000, "1e3": -1,
		"-1": -1, "": -1, "8Ei": -1, "7Ei": 7 << 60,
	} {
		if got, ok := Whole(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
}
