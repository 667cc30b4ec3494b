package pairs

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// mutantsOfPage is how many mutants the page is about.
const mutantsOfPage = 3000

var (
	versionFlag = flag.String("kserve-version", "0.20.0", "release of KServe to test")
	mutantsFlag = flag.Int("mutants", mutantsOfPage, "how many mutants to test")
	pairFlag    = flag.String("pair", "", "regular expression of the names of the pairs to test")
	commitFlag  = flag.String("commit", "", "commit of the plugin for -update, where the plugin does not know it")
	update      = flag.Bool("update", false, "write what was measured to docs")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// run runs a command of the plugin for the release in Standard mode.
func run(t *testing.T, args ...string) (stdout []byte, stderr string, code int) {
	t.Helper()
	plugin := binary.UnderTest(t)
	plugin.KServeVersion, plugin.DefaultMode = *versionFlag, "Standard"
	out, stderr, code := plugin.Run(t, args...)
	return []byte(out), stderr, code
}

// syncPage compares the page with what this run has measured. A run of fewer mutants only writes it with -update, and
// one of some pairs never does.
func syncPage(t *testing.T, section string) {
	t.Helper()
	if t.Failed() || *pairFlag != "" || *mutantsFlag != mutantsOfPage && !*update {
		return
	}
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs", "evidence", "changes.md")
	commit := binary.UnderTest(t).Commit(t, *commitFlag)
	sections := map[string]string{*versionFlag: section}
	if err := compatibility.SyncSections(page, introduction, commit, sections, *update); err != nil {
		t.Error(err)
	}
}
