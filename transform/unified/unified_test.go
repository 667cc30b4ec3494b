package unified_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

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
	diff, err := unified.Diff("a", "b", before, udiff.Lines(before, strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	var headers []string
	for line := range strings.Lines(diff.String()) {
		if strings.HasPrefix(line, "@@") {
			headers = append(headers, line)
		}
	}
	if got, want := strings.Join(headers, ""), "@@ -3,10 +3,12 @@\n@@ -27,7 +29,6 @@\n@@ -36,5 +37,5 @@\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
