// Package argocd_test runs the plugin inside the real Argo CD.
package argocd_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/matrix"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var table matrix.Matrix

func TestMain(m *testing.M) {
	stack.Main(m, prepare, func() {
		fmt.Println()
		table.Write(os.Stdout)
	})
}

func prepare(ctx context.Context) error {
	tools := []toolchain.Tool{toolchain.Kustomize}
	var sources []toolchain.Tool
	for _, version := range argocd.Versions {
		tools, sources = append(tools, version.Tool, version.Helm), append(sources, version.Tool)
	}
	return toolchain.Prepare(ctx, tools, sources)
}

// image returns what the plugin's image holds, from the repository.
func image(t *testing.T) argocd.Image {
	t.Helper()
	plugin, err := toolchain.Plugin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return argocd.Image{Plugin: plugin, Config: filepath.Join(repository(t), "plugin.yaml")}
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// startSidecar starts the sidecar that install/ adds to the version's own Deployment, with the patch applied after it.
func startSidecar(t *testing.T, s *stack.Stack, v argocd.Version, patch string) *argocd.Sidecar {
	t.Helper()
	manifests := v.Source(t, "manifests/base/repo-server/argocd-repo-server-deployment.yaml")
	deployment, err := install.Deployment(repository(t), manifests, t.TempDir(), patch)
	if err != nil {
		t.Fatal(err)
	}
	container, err := install.Sidecar(deployment)
	if err != nil {
		t.Fatal(err)
	}
	return argocd.StartSidecar(t, s, v, image(t), container)
}
