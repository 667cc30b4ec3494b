package hosts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// TestKpt runs the plugin as a function of kpt, as docs/hosts.md does. It has to make what generate makes.
func TestKpt(t *testing.T) {
	byHand(t)
	kpt := build(t, toolchain.Kpt)
	bin := installed(t)
	if err := os.Symlink(kpt, filepath.Join(bin, "kpt")); err != nil {
		t.Fatal(err)
	}
	example := inRepository(t, "examples/sklearn-logger")
	want := output(t, nil, "argocd-kserve-plugin", "generate", example,
		"--kserve-version=0.15.2", "--default-deployment-mode=Standard")
	config, err := os.ReadFile(inRepository(t, "install/krm-function/repair.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kptfile := documented(t, "kind: Kptfile")
	for _, line := range []string{documented(t, "kpt fn eval"), documented(t, "kpt fn render")} {
		t.Run(strings.Fields(line)[2], func(t *testing.T) {
			dir := t.TempDir()
			models := filepath.Join(dir, "models")
			if err := os.CopyFS(models, os.DirFS(example)); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string][]byte{
				filepath.Join(dir, "repair.yaml"): config, filepath.Join(models, "Kptfile"): []byte(kptfile),
			} {
				if err := os.WriteFile(file, text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			run := func() (string, string, error) { return command(nil, "sh", "-ec", "cd '"+dir+"'\n"+line) }
			var before string
			for range 2 { // the second run changes nothing
				if stdout, stderr, err := run(); err != nil {
					t.Fatalf("%v\n%s%s", err, stdout, stderr)
				}
				got := manifests(t, models)
				sameObjects(t, got, want)
				if before != "" && got != before {
					t.Errorf("after a second run the files hold\n%s\nnot\n%s", got, before)
				}
				before = got
			}

			edit(t, filepath.Join(models, "inferenceservice.yaml"), func(data []byte) []byte {
				return bytes.Replace(data, []byte("mode: all"), []byte("mode: some"), 1)
			})
			if _, stderr, err := run(); err == nil || !strings.Contains(stderr, "KS806") {
				t.Errorf("a refused logger passes: %v\n%s", err, stderr)
			}
		})
	}
}

// manifests returns the manifests of a folder as one stream.
func manifests(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var stream []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		stream = append(stream, string(data))
	}
	return strings.Join(stream, "---\n")
}
