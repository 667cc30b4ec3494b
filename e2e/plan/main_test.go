// Package plan compares what the command plan says KServe makes with what KServe makes on a real API server.
package plan

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/evidence"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var (
	versionsFlag = flag.String("kserve-version", "0.20.0", "releases of KServe to test, separated by commas")
	casesFlag    = flag.String("cases", "", "how the names of cases to test begin, separated by commas; all without it")
	commitFlag   = flag.String("commit", "", "commit of the plugin for -update, where the plugin does not know it")
	update       = flag.Bool("update", false, "write what was measured to docs")
)

// versions are the releases of KServe that this run tests.
var versions []string

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if versions, err = kserve.Choose(*versionsFlag); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	stack.Main(m, prepare, nil)
}

func prepare(ctx context.Context) error {
	programs := []toolchain.Tool{toolchain.Kubernetes}
	var sources []toolchain.Tool
	for _, version := range versions {
		programs = append(programs, kserve.Controllers(version)...)
		sources = append(sources, kserve.Sources(version)...)
	}
	return toolchain.Prepare(ctx, programs, sources)
}

// syncPage compares the page with what this run has measured of each release, unless something differs. A run of some
// cases only writes it with -update, and the page says so.
func syncPage(t *testing.T, sections map[string]string) {
	t.Helper()
	if t.Failed() || *casesFlag != "" && !*update {
		return
	}
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs", "evidence", "plan.md")
	commit := binary.UnderTest(t).Commit(t, *commitFlag)
	if err := compatibility.SyncSections(page, evidence.Introduction(), commit, sections, *update); err != nil {
		t.Error(err)
	}
}
