package checkout

import (
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
)

// TestMovedNotes has more Applications and revisions than the notes name.
func TestMovedNotes(t *testing.T) {
	c := &Checkout{Repository: &application.Repository{Branch: "main"}, moved: map[string][]string{
		"v0": {"a", "b", "c", "d", "e", "f"}, "v1": {"a", "b", "c", "d", "e", "f", "g"}, "v2": {"a"}, "v3": {"a"}, "v4": {"a"},
		"v5": {"a"}, "v6": {"a"},
	}}
	const here = "rendered from this checkout (main), and not from "
	want := []string{
		here + "targetRevision v0: a, b, c, d, e, f", here + "targetRevision v1: a, b, c, d, e and 2 others",
		here + "targetRevision v2: a", here + "targetRevision v3: a", here + "targetRevision v4: a",
		here + "2 other targetRevisions",
	}
	if got := c.Notes(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
