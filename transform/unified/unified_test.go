package unified_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
)

// TestLines compares the hunks of a text with two changes close together and one far away with what diff -u says.
func TestLines(t *testing.T) {
	var lines []string
	for n := 1; n <= 40; n++ {
		lines = append(lines, fmt.Sprintf("line %d\n", n))
	}
	before := strings.Join(lines, "")
	lines[4] += "new\n"
	lines[8] += "new\n"
	lines[29] = ""
	lines[38] = "other\n"
	var headers []string
	for line := range strings.Lines(unified.Diff("a", "b", before, strings.Join(lines, ""))) {
		if strings.HasPrefix(line, "@@") {
			headers = append(headers, line)
		}
	}
	if got, want := strings.Join(headers, ""), "@@ -3,10 +3,12 @@\n@@ -27,7 +29,6 @@\n@@ -36,5 +37,5 @@\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestEnds has texts that are empty or end without a line end, with what diff -u says.
func TestEnds(t *testing.T) {
	const header = "--- a\n+++ b\n"
	for _, tc := range []struct{ before, after, want string }{
		{"", "", ""},
		{"x", "x", ""},
		{"", "x\n", header + "@@ -0,0 +1 @@\n+x\n"},
		{"x\n", "", header + "@@ -1 +0,0 @@\n-x\n"},
		{"x\n", "x", header + "@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n"},
		{"x\ny", "z\ny", header + "@@ -1,2 +1,2 @@\n-x\n+z\n y\n\\ No newline at end of file\n"},
	} {
		if got := unified.Diff("a", "b", tc.before, tc.after); got != tc.want {
			t.Errorf("%q, %q: got\n%swant\n%s", tc.before, tc.after, got, tc.want)
		}
	}
}
