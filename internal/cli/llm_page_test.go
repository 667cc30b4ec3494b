package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLLMPage keeps docs/llm.md what it says. Blocks of YAML whose first line is a path have the file of examples/llm;
// in blocks of the language console, what follows a line with $ is the output of that command.
func TestLLMPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "llm.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "llm", "[a-z]*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		copyFile(t, file, filepath.Join(dir, "llm", filepath.Base(file)), nil)
	}
	fileBlock := regexp.MustCompile("(?s)```yaml\n# (llm/[a-z]+\\.yaml)\n.*?```\n")
	filled := fileBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		name := fileBlock.FindStringSubmatch(block)[1]
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return "```yaml\n# " + name + "\n" + string(text) + "```\n"
	})
	expect(t, path, consoles(filled, func(args []string) string {
		removeConfig(t, dir)
		return runIn(t, dir, "0.20.0", args...)
	}))
}

var console = regexp.MustCompile("(?s)```console\n.*?```\n")

// consoles returns a page with the output of each command in its blocks of the language console.
func consoles(page string, run func(args []string) string) string {
	return console.ReplaceAllStringFunc(page, func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for line := range strings.Lines(block) {
			if command, found := strings.CutPrefix(line, "$ argocd-kserve-plugin "); found {
				b.WriteString(line + run(strings.Fields(command)))
			}
		}
		return b.String() + "```\n"
	})
}

// removeConfig makes next/llm what llm is in the commit that removes its Config.
func removeConfig(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"service.yaml", "autoscaler.yaml"} {
		copyFile(t, filepath.Join(dir, "llm", name), filepath.Join(dir, "next", "llm", name), func(text string) string {
			return strings.Replace(text, "  baseRefs:\n    - name: one-gpu\n", "", 1)
		})
	}
}

// runIn returns what a command prints, for a release of KServe and the mode Standard.
func runIn(t *testing.T, dir, release string, args ...string) string {
	t.Helper()
	var output bytes.Buffer
	code := Run(t.Context(), Env{
		Args: append(args, "--root=."), Stdout: &output, Stderr: &output, Dir: dir,
		Environ: []string{
			"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=" + release, "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE=Standard",
		},
	})
	if code == 2 {
		t.Fatalf("%v: %s", args, &output)
	}
	return output.String()
}

// copyFile copies a file, with a change unless it is nil.
func copyFile(t *testing.T, from, to string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		text = []byte(change(string(text)))
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
