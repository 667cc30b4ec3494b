package helm

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// The programs: helm of Argo CD 3.5.7, helm of Argo CD 2.14.21, and the plugin.
var helm4, helm3, plugin string

func TestMain(m *testing.M) {
	ctx := context.Background()
	for _, build := range []struct {
		path *string
		f    func(context.Context) (string, error)
	}{{&helm4, toolchain.Helm4.Build}, {&helm3, toolchain.Helm3.Build}, {&plugin, toolchain.Plugin}} {
		path, err := build.f(ctx)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		*build.path = path
	}
	os.Exit(m.Run())
}
