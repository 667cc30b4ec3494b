// Package operator_test installs the sidecar with the real argocd-operator on a real API server.
package operator_test

import (
	"context"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

func TestMain(m *testing.M) { stack.Main(m, prepare, nil) }

func prepare(ctx context.Context) error {
	for _, tool := range append(controlplane.Tools(), toolchain.ArgoCDOperator) {
		if _, err := tool.Build(ctx); err != nil {
			return err
		}
	}
	for _, tool := range []toolchain.Tool{toolchain.ArgoCDOperator, toolchain.ArgoCD3} {
		if _, err := tool.Source(ctx); err != nil {
			return err
		}
	}
	_, err := toolchain.Plugin(ctx)
	return err
}
