package examples

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/cli"
)

// repository is what the Applications in the folder argocd name.
const repository = "https://github.com/argocd-kserve-plugin/argocd-kserve-plugin.git"

// summaries are what generate says of each file in the folder argocd.
var summaries = map[string]string{
	"application.yaml": "3 objects, 2 repaired (KS101 KS201 KS202), 2 annotated (KS204 KS301), restarts pods of 1 service once (churn/churn)",
	"applicationset.yaml": "6 objects, 4 repaired (KS101 KS201 KS202 KS205), 4 annotated (KS204 KS301), " +
		"restarts pods of 2 services once (shop-staging/staging-recommender, shop/prod-recommender)",
	"environment.yaml": "2 objects, 2 repaired (KS101 KS201 KS202), 2 annotated (KS204 KS301), " +
		"restarts pods of 1 service once (churn-annotated/churn-annotated)",
	"hydrator.yaml": "3 objects, 2 repaired (KS101 KS201 KS202 KS205), 2 annotated (KS204 KS301), " +
		"restarts pods of 1 service once (shop/hydrated-recommender)",
	"multi-source.yaml": "5 objects, 4 repaired (KS101 KS201 KS202), 4 annotated (KS204 KS301), " +
		"restarts pods of 2 services once (retention/churn, retention/winback)",
	"parameters.yaml": "3 objects, 2 repaired (KS101 KS201 KS202 KS205), 1 annotated (KS301), " +
		"restarts pods of 1 service once (shop-canary/canary-recommender)",
}

// TestArgoCD renders what is in the folder argocd as Argo CD would, from a checkout of this folder.
func TestArgoCD(t *testing.T) {
	checkout := t.TempDir()
	if err := os.Mkdir(filepath.Join(checkout, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(checkout, "examples"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, name := range files(t) {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := cli.Run(t.Context(), cli.Env{
				Args: []string{"generate", "--application", filepath.Join("examples", "argocd", name), "--repo", repository,
					"--kserve-version=0.20.0", "--default-deployment-mode=Standard"},
				Stdout: &stdout, Stderr: &stderr, Dir: checkout,
			})
			summary, found, _ := strings.Cut(stderr.String(), "\n")
			if code != 0 || summary != summaries[name] || !strings.HasPrefix(found, "found ") {
				t.Errorf("exit code %d and %q, want %q", code, &stderr, summaries[name])
			}
		})
	}
}

// files returns the names of the manifests in the folder argocd.
func files(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("argocd", "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	for i := range paths {
		paths[i] = filepath.Base(paths[i])
	}
	return paths
}
