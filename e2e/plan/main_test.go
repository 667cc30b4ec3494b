// Package plan compares what the command plan says KServe makes with what KServe makes on a real API server.
package plan

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
	for _, tool := range programs {
		if _, err := tool.Build(ctx); err != nil {
			return err
		}
	}
	for _, tool := range sources {
		if _, err := tool.Source(ctx); err != nil {
			return err
		}
	}
	_, err := toolchain.Plugin(ctx)
	return err
}

// plugin is the binary under test, with the two facts about the cluster given.
type plugin struct {
	path          string
	kserveVersion string
	programs      string // the folder of what plan starts
}

func pluginFor(t *testing.T, version string) plugin {
	t.Helper()
	path, err := toolchain.Plugin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return plugin{path: path, kserveVersion: strings.TrimPrefix(version, "v")}
}

// run runs a command of the plugin and returns what it printed and its exit code.
func (p plugin) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.path, args...)
	cmd.Env = []string{
		"TMPDIR=" + t.TempDir(), "PATH=" + p.programs,
		"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=" + p.kserveVersion,
		"ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE=Standard",
	}
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
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
	stdout, stderr, code := pluginFor(t, "").run(t, "version", "-o", "json")
	var version struct{ Commit string }
	if err := json.Unmarshal([]byte(stdout), &version); code != 0 || err != nil {
		t.Fatalf("version: exit %d, %v: %s", code, err, stderr)
	}
	commit := cmp.Or(version.Commit, *commitFlag)
	page := filepath.Join(root, "docs", "evidence", "plan.md")
	commit = commit[:min(len(commit), 7)]
	if err := compatibility.SyncSections(page, evidence.Introduction(), commit, sections, *update); err != nil {
		t.Error(err)
	}
}
