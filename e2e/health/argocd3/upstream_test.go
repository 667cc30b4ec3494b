package argocd3

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpstream makes the steps of hack/upstream/argo-cd in the sources of Argo CD, one by one, and runs Argo CD's own
// tests after each.
func TestUpstream(t *testing.T) {
	dir := t.TempDir()
	tests := filepath.Join(dir, "lua.test")
	argocd := strings.TrimSpace(run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3"))
	run(t, ".", "go", "test", "-c", "-o", tests, "-overlay", overlay(t, argocd, dir), "./runner")

	tree := filepath.Join(dir, "argo-cd")
	const folder = "resource_customizations/serving.kserve.io"
	if err := os.CopyFS(filepath.Join(tree, folder), os.DirFS(filepath.Join(argocd, folder))); err != nil {
		t.Fatal(err)
	}
	run(t, tree, "chmod", "-R", "u+w", ".") // the module cache is read-only
	wd := filepath.Join(tree, "util", "lua")
	if err := os.MkdirAll(wd, 0o700); err != nil {
		t.Fatal(err)
	}
	apply, err := filepath.Abs("../../../hack/upstream/argo-cd/apply")
	if err != nil {
		t.Fatal(err)
	}
	run(t, tree, "git", "init", "--quiet")
	before, passed := snapshot(t, tree), 0
	for step := 1; step <= 5; step++ {
		run(t, tree, apply, fmt.Sprint(step), ".")
		after := snapshot(t, tree)
		run(t, tree, "git", "diff", "--check", before, after)
		if patch := run(t, tree, "git", "diff", before, after); strings.Contains(patch, "argocd-kserve-plugin/") {
			t.Errorf("step %d names an annotation of ours", step)
		}
		script := run(t, tree, "git", "diff", "--numstat", before, after, "--", folder+"/InferenceService/health.lua")
		var added int
		if _, err := fmt.Sscan(script, &added); (err != nil) != (step == 5) || added > 40 {
			t.Errorf("step %d changes the script so: %q", step, script)
		}
		before = after

		out := run(t, wd, tests, "-test.v", "-test.run", "^(TestLuaHealthScript|TestLuaResourceActionsScript)$")
		now := strings.Count(out, "--- PASS: TestLua")
		t.Logf("step %d: %d tests pass", step, now)
		if now <= passed {
			t.Errorf("step %d adds no tests:\n%s", step, out)
		}
		passed = now
	}
}

// snapshot returns the name of the files in a repository as a tree of git's.
func snapshot(t *testing.T, repository string) string {
	t.Helper()
	run(t, repository, "git", "add", "--all")
	return strings.TrimSpace(run(t, repository, "git", "write-tree"))
}

// overlay writes the file that adds Argo CD's tests to the folder runner.
func overlay(t *testing.T, argocd, dir string) string {
	t.Helper()
	runner, err := filepath.Abs("runner")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, name := range []string{"health_test.go", "custom_actions_test.go"} {
		replace[filepath.Join(runner, name)] = filepath.Join(argocd, "util", "lua", name)
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	path := filepath.Join(dir, "overlay.json")
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
