// Package examples tests that each example comes out as its expected.diff shows.
package examples

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

var update = flag.Bool("update", false, "write the golden files")

func TestExamples(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{
		"sklearn-logger", "triton-transformer", "huggingface-keda", "custom-container", "multi-team",
		"two-environments/overlays/staging", "two-environments/overlays/production",
	} {
		t.Run(dir, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := cli.Run(t.Context(), cli.Env{
				Args:   []string{"diff", "--root=.", "--fail-on=never", "--color=never", dir}, // a source archive has no .git
				Stdout: &stdout, Stderr: &stderr, Dir: here,
			})
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			golden := filepath.Join(dir, "expected.diff")
			if *update {
				if err := os.WriteFile(golden, stdout.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(stdout.Bytes(), want) {
				t.Errorf("%s differs; -update writes it. Now:\n%s", golden, &stdout)
			}
		})
	}
}
