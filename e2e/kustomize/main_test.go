package kustomize

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// The programs: kustomize of Argo CD 3.5.7, Argo CD's code that calls it, the helm of Argo CD 3.5.7, and the plugin.
var kustomize, argocd, helm, plugin string

func TestMain(m *testing.M) {
	ctx := context.Background()
	for _, build := range []struct {
		path *string
		f    func(context.Context) (string, error)
	}{
		{&kustomize, toolchain.Kustomize.Build},
		{&argocd, toolchain.KustomizeInArgoCD3.Build},
		{&helm, toolchain.Helm4.Build},
		{&plugin, toolchain.Plugin},
	} {
		path, err := build.f(ctx)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		*build.path = path
	}
	os.Exit(m.Run())
}
