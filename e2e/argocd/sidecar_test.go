package argocd_test

import (
	"context"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

func TestSidecar(t *testing.T) {
	for _, version := range argocd.Versions {
		name := version.Name(t)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stack.New(t)
			sidecar := startSidecar(t, s, version, "")
			table.Run(t, name, "configuration", func(t *testing.T) {
				config, err := sidecar.Check(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				t.Log(config)
			})
		})
	}
}
