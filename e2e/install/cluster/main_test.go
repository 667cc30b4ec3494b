// Package cluster_test installs the sidecar on a real API server, as install/README.md and docs/getting-started.md say.
package cluster_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var operator = flag.Bool("operator", false, "install with argocd-operator too, which takes minutes to build")

func TestMain(m *testing.M) { stack.Main(m, prepare, nil) }

func prepare(ctx context.Context) error {
	flag.Parse()
	tools := append(controlplane.Tools(), startArgoCD.Tool, startArgoCD.Helm)
	tools = append(tools, kserve.Tools(startKServe)...)
	sources := append(kserve.Sources(startKServe), toolchain.Kwok, toolchain.ArgoCD2, toolchain.ArgoCD3)
	if *operator {
		tools, sources = append(tools, toolchain.ArgoCDOperator), append(sources, toolchain.ArgoCDOperator)
	}
	return toolchain.Prepare(ctx, tools, sources)
}

// source returns a file of a program's sources.
func source(t *testing.T, tool toolchain.Tool, path ...string) string {
	t.Helper()
	dir, err := tool.Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{dir}, path...)...)
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
