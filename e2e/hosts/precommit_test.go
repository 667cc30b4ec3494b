package hosts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPreCommit runs the configuration of docs/hosts.md with the real pre-commit, which clones the plugin's repository
// and builds the program.
func TestPreCommit(t *testing.T) {
	preCommit, err := exec.LookPath("pre-commit")
	if err != nil {
		t.Fatal("pre-commit is not on PATH: make e2e SUITE=hosts installs it")
	}
	installed(t)
	// The modules and most of the build are there already.
	modules := strings.TrimSpace(output(t, nil, "go", "env", "GOMODCACHE"))
	for name, value := range map[string]string{
		"PRE_COMMIT_HOME": t.TempDir(), "GOMODCACHE": modules, "GOFLAGS": "-trimpath -ldflags=-s", "CGO_ENABLED": "0",
		"GIT_AUTHOR_NAME": "e2e", "GIT_AUTHOR_EMAIL": "e2e@example.com",
		"GIT_COMMITTER_NAME": "e2e", "GIT_COMMITTER_EMAIL": "e2e@example.com",
	} {
		t.Setenv(name, value)
	}
	root := inRepository(t, ".")
	hooks := t.TempDir()
	for file := range strings.Lines(output(t, nil, "git", "-C", root, "ls-files", "-co", "--exclude-standard")) {
		file = strings.TrimSuffix(file, "\n")
		copyFile(t, filepath.Join(root, file), filepath.Join(hooks, file))
	}
	revision := commit(t, hooks)

	checkout := t.TempDir()
	app := filepath.Join(checkout, "apps", "iris")
	if err := os.CopyFS(app, os.DirFS(inRepository(t, "examples/sklearn-logger"))); err != nil {
		t.Fatal(err)
	}
	config := strings.NewReplacer("https://github.com/argocd-kserve-plugin/argocd-kserve-plugin", hooks,
		"rev: main", "rev: "+revision).Replace(documented(t, "kserve-check"))
	if err := os.WriteFile(filepath.Join(checkout, ".pre-commit-config.yaml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	commit(t, checkout)
	t.Chdir(checkout)
	run := func(args ...string) (string, error) {
		stdout, stderr, err := command(nil, preCommit, append([]string{"run"}, args...)...)
		return stdout + stderr, err
	}
	if out, err := run("--all-files"); err == nil || !strings.Contains(out, "error KS101") {
		t.Errorf("an exec probe passes: %v\n%s", err, out)
	}
	if out, err := run("--files", "apps/iris/README.md"); err != nil || !strings.Contains(out, "Skipped") {
		t.Errorf("the hook runs for a README.md: %v\n%s", err, out)
	}
	output(t, nil, "argocd-kserve-plugin", "fix", app, "--kserve-version=0.15.2", "--default-deployment-mode=Standard")
	if out, err := run("--files", "apps/iris/autoscaler.yaml"); err != nil || !strings.Contains(out, "Passed") {
		t.Errorf("a repaired app fails: %v\n%s", err, out)
	}
}

// commit makes a folder a Git repository with all its files and returns the revision.
func commit(t *testing.T, dir string) string {
	t.Helper()
	git := func(args ...string) string { return output(t, nil, "git", append([]string{"-C", dir}, args...)...) }
	git("init", "-q", "-b", "main")
	git("add", "--all")
	git("commit", "-q", "-m", "all")
	return strings.TrimSpace(git("rev-parse", "HEAD"))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return // deleted, but not yet committed
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	if err == nil {
		err = os.WriteFile(to, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
