package hosts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// TestKustomize runs the plugin as a function of kustomize. It has to make what generate makes of the same overlay.
func TestKustomize(t *testing.T) {
	kustomize := build(t, toolchain.Kustomize)
	installed(t)
	dir := copied(t, "examples/two-environments")
	overlay := filepath.Join(dir, "overlays", "production")
	want := output(t, nil, "argocd-kserve-plugin", "generate", overlay, "--root="+dir,
		"--kserve-version=0.15.2", "--default-deployment-mode=Standard")

	function, err := os.ReadFile(inRepository(t, "install/krm-function/repair.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(overlay, "repair.yaml"), function, 0o666); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(overlay, "kustomization.yaml"), func(data []byte) []byte {
		return append(data, "transformers: [repair.yaml]\n"...)
	})
	args := []string{"build", "--enable-alpha-plugins", "--enable-exec", overlay}
	got := output(t, nil, kustomize, args...)
	sameObjects(t, got, want)
	if !strings.Contains(got, "httpGet") {
		t.Errorf("the exec probe is still there:\n%s", got)
	}

	edit(t, filepath.Join(dir, "base", "inferenceservice.yaml"), func(data []byte) []byte {
		return bytes.Replace(data, []byte("mode: all"), []byte("mode: some"), 1)
	})
	got, stderr, err := command(nil, kustomize, args...)
	if err == nil || got != "" || !strings.Contains(stderr, "KS806") {
		t.Errorf("a refused logger passes: %v\n%s\n%s", err, stderr, got)
	}
}
