// Package binary runs the plugin under test.
package binary

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// Plugin is the binary under test, with the two facts about the cluster given.
type Plugin struct {
	Path          string
	KServeVersion string
	DefaultMode   string
	Programs      string // the folder of the programs that it starts
}

// UnderTest returns the plugin without settings.
func UnderTest(tb testing.TB) Plugin {
	tb.Helper()
	path, err := toolchain.Plugin(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	root, err := toolchain.Repository()
	if err != nil {
		tb.Fatal(err)
	}
	return Plugin{Path: path, Programs: filepath.Join(root, "bin")}
}

// Run runs a command of the plugin and returns what it printed and its exit code.
func (p Plugin) Run(tb testing.TB, args ...string) (stdout, stderr string, code int) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), p.Path, args...)
	cmd.Env = []string{
		"TMPDIR=" + tb.TempDir(), "PATH=" + p.Programs,
		"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=" + p.KServeVersion,
		"ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE=" + p.DefaultMode,
	}
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		tb.Fatal(err)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
}

// Commit is that of the plugin's source, or the given one if nobody knows, of seven digits. The go command writes none
// in a worktree of git.
func (p Plugin) Commit(tb testing.TB, given string) string {
	tb.Helper()
	stdout, stderr, code := p.Run(tb, "version", "-o", "json")
	var version struct{ Commit string }
	if err := json.Unmarshal([]byte(stdout), &version); code != 0 || err != nil {
		tb.Fatalf("version: exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	commit := cmp.Or(version.Commit, given)
	return commit[:min(len(commit), 7)]
}
