// Package examples tests that the plugin makes the edits in each example's expected.diff, and tests the module
// outside-rule.
package examples

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

// update makes the tests write their golden files.
var update = os.Getenv("UPDATE_GOLDEN") != ""

func TestExamples(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{
		"sklearn-logger", "triton-transformer", "huggingface-keda", "custom-container", "multi-team", "llm",
		"helm-chart", "two-environments/overlays/staging", "two-environments/overlays/production",
	} {
		t.Run(dir, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := cli.Run(t.Context(), cli.Env{
				// --root, because a source archive has no .git.
				Args:   []string{"diff", "--root=.", "--fail-on=never", "--color=never", dir},
				Stdout: &stdout, Stderr: &stderr, Dir: here,
			})
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			golden := filepath.Join(dir, "expected.diff")
			if update {
				if err := os.WriteFile(golden, stdout.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(stdout.Bytes(), want) {
				t.Errorf("%s differs; make golden writes it. Now:\n%s", golden, &stdout)
			}
		})
	}
}

// TestOutsideRule checks that another module can use the engine: outside-rule builds and passes its tests with nothing
// but the modules that this module needs too.
func TestOutsideRule(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds another module")
	}
	// go test runs this again when a file changes that it looks at, so it looks at all of them.
	err := filepath.WalkDir("outside-rule", func(_ string, _ fs.DirEntry, err error) error { return err })
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-vet=off", "./..."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = "outside-rule"
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "GOPROXY=off")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %v in %s: %v\n%s", args, cmd.Dir, err, output)
		}
	}
}
