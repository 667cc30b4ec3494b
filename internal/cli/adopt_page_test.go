package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestAdoptPage keeps docs/adopt.md what it says: its blocks of the language console show what the commands print, and
// after fix the manifests are what generate wrote before it.
func TestAdoptPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "adopt.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "sklearn-logger", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		copyFile(t, file, filepath.Join(dir, "models", "churn", filepath.Base(file)), nil)
	}
	generated := func() string {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), Env{
			Args:   []string{"generate", "--kserve-version=0.15.2", "--default-deployment-mode=Standard", "models/churn"},
			Stdout: &stdout, Stderr: &stderr, Dir: dir,
		}); code != 0 {
			t.Fatal(&stderr)
		}
		return stdout.String()
	}
	before := generated()
	expect(t, path, consoles(string(page), func(args []string) string { return runIn(t, dir, "0.15.2", args...) }))
	if generated() != before {
		t.Error("fix does not write what generate does")
	}
}
