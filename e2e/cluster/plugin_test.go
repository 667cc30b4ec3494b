package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// app is an app's files by path.
type app map[string]string

func (a app) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range a {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asWritten renders a folder as Argo CD does without a plugin.
func asWritten(t *testing.T, dir string) []*unstructured.Unstructured {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "kustomization.yaml")); err == nil {
		built, err := objects.Kustomize(dir)
		if err != nil {
			t.Fatal(err)
		}
		return built
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := objects.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, parsed...)
	}
	return all
}

// plugin is the binary under test.
type plugin struct{ binary.Plugin }

// has reports whether the plugin has the rule. Every plugin has the rule "", which stands for none.
func (p plugin) has(t *testing.T, rule string) bool {
	t.Helper()
	if rule == "" {
		return true
	}
	_, _, code := p.Run(t, "explain", rule)
	if code != 0 {
		t.Logf("not run: the plugin has no rule %s", rule)
	}
	return code == 0
}

// reports expects that check reports the rule for the app.
func (p plugin) reports(t *testing.T, files app, rule string) {
	t.Helper()
	if findings, _, _ := p.Run(t, "check", "-o", "compact", files.write(t)); !strings.Contains(findings, rule) {
		t.Fatalf("check does not report %s:\n%s", rule, findings)
	}
}

// generate returns what the plugin makes of a folder of an app for a namespace.
func (p plugin) generate(t *testing.T, dir, source, namespace string, flags ...string) []*unstructured.Unstructured {
	t.Helper()
	args := append([]string{"generate", filepath.Join(dir, source), "--root", dir, "--namespace", namespace}, flags...)
	stdout, stderr, code := p.Run(t, args...)
	if code != 0 {
		t.Fatalf("generate: exit %d: %s", code, stderr)
	}
	t.Log(strings.TrimSpace(stderr))
	parsed, err := objects.Parse([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
