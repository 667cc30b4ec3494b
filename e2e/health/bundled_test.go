package health_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// TestBundled compares the health checks and the licence of each release of Argo CD with the copies of
// resource_customizations/argocd: the one that internal/health takes for the release.
func TestBundled(t *testing.T) {
	const copies = "../../resource_customizations/argocd"
	for _, release := range []struct {
		tool toolchain.Tool
		copy string
	}{{toolchain.ArgoCD2, "2.14.21"}, {toolchain.ArgoCD30, "3.5.7"}, {toolchain.ArgoCD3, "3.5.7"}} {
		source, err := release.tool.Source(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same(t, filepath.Join(source, "LICENSE"), filepath.Join(copies, "LICENSE"))
		group := filepath.Join(source, "resource_customizations", "serving.kserve.io")
		checks, err := filepath.Glob(filepath.Join(group, "*", "health.lua"))
		if err != nil || len(checks) != 1 {
			t.Errorf("%s has the checks %v, %v; the copy has one", release.tool.Name, checks, err)
		}
		for _, check := range checks {
			kind := filepath.Base(filepath.Dir(check))
			same(t, check, filepath.Join(copies, release.copy, "serving.kserve.io", kind, "health.lua"))
		}
	}
}

func same(t *testing.T, one, other string) {
	t.Helper()
	first, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(second) {
		t.Errorf("%s is not %s", one, other)
	}
}
