package checkout

import (
	"errors"
	"os"
	"path/filepath"
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
	delete(c.moved, "v6")
	want[5] = here + "targetRevision v5: a"
	if got := c.Notes(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestMovedValues has a source that only gives values to others, of another revision.
func TestMovedValues(t *testing.T) {
	dir := t.TempDir()
	const address = "https://git.example.com/models.git"
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o700),
		os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[remote \"origin\"]\n\turl = "+address+"\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir, Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, failed := c.Sources([]application.Application{{Name: "iris", Sources: []application.Source{
		{RepoURL: address, Path: ".", TargetRevision: "main"}, {RepoURL: address, Ref: "values", TargetRevision: "v9.9.9"},
	}}})
	want := []string{"rendered from this checkout (main), and not from targetRevision v9.9.9: iris"}
	if got := c.Notes(); len(failed) > 0 || !slices.Equal(got, want) {
		t.Errorf("got %v (%v), want %v", got, failed, want)
	}
}
