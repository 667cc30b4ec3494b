package pairs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var (
	versionFlag = flag.String("kserve-version", "0.20.0", "release of KServe to test")
	mutantsFlag = flag.Int("mutants", 3000, "how many mutants to test")
	commitFlag  = flag.String("commit", "", "commit of the plugin for -update, where the plugin does not know it")
	update      = flag.Bool("update", false, "write what was measured to docs")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// plugin is the program under test.
var plugin = sync.OnceValues(func() (string, error) { return toolchain.Plugin(context.Background()) })

// run runs a command of the plugin for a release in Standard mode. An exit code above 1 is a failure.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	stdout, stderr, code := try(t, args...)
	if code > 1 {
		t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
	return stdout
}

func try(t *testing.T, args ...string) (stdout []byte, stderr string, code int) {
	t.Helper()
	path, err := plugin()
	if err != nil {
		t.Fatal(err)
	}
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = []string{
		"TMPDIR=" + t.TempDir(), "PATH=" + filepath.Join(root, "bin"), "ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=" + *versionFlag,
		"ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE=Standard",
	}
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.Bytes(), complaints.String(), cmd.ProcessState.ExitCode()
}

// syncPage compares the page with what this run has measured, unless it is a run of fewer mutants.
func syncPage(t *testing.T, section string) {
	t.Helper()
	if t.Failed() || *mutantsFlag != 3000 && !*update {
		return
	}
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	var version struct{ Commit string }
	if err := json.Unmarshal(run(t, "version", "-o", "json"), &version); err != nil {
		t.Fatal(err)
	}
	commit := cmp.Or(version.Commit, *commitFlag)
	page := filepath.Join(root, "docs", "evidence", "changes.md")
	err = compatibility.SyncSections(page, introduction, commit[:min(len(commit), 7)], map[string]string{*versionFlag: section}, *update)
	if err != nil {
		t.Error(err)
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
