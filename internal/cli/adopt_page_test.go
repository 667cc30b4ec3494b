package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAdoptPage keeps docs/adopt.md what it says: its blocks of the language console show what the commands print, and
// after fix the manifests are what generate wrote before it. The flags of the other commands exist.
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
	checkCommands(t, string(page))
}

// TestUpgradePages checks that the commands on the pages about upgrades exist, with their flags.
func TestUpgradePages(t *testing.T) {
	for _, name := range []string{"upgrading.md", "versions.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		checkCommands(t, string(page))
	}
}

// checkCommands checks that the commands on a page exist, with their flags.
func checkCommands(t *testing.T, page string) {
	t.Helper()
	commands := regexp.MustCompile("(?m)(?:^|[`| ])argocd-kserve-plugin ([a-z].*?)[`>\n]")
	for _, command := range commands.FindAllStringSubmatch(page, -1) {
		args := strings.Fields(command[1])
		var stderr bytes.Buffer
		if Run(t.Context(), Env{Args: append(args, "--help"), Stdout: io.Discard, Stderr: &stderr}) != 0 {
			t.Errorf("%v: %s", args, &stderr)
		}
	}
}
