package memory

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var plugin string

func TestMain(m *testing.M) {
	var err error
	if plugin, err = toolchain.Plugin(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
