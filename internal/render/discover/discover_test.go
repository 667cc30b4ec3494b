package discover

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
)

// TestNotUTF8 checks that a folder that Go's file systems cannot name is a source, so that rendering it says why.
func TestNotUTF8(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "models\xff")
	if err := os.Mkdir(bad, 0o755); err != nil {
		t.Skip("this file system takes UTF-8 only: ", err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil { // dir is the root, and not bad itself
		t.Fatal(err)
	}
	o := render.Options{Getenv: func(string) string { return "" }}
	found, err := Sources(t.Context(), dir, o, Options{})
	if err != nil || len(found.Sources) != 1 || found.Sources[0].Path != bad {
		t.Fatalf("Sources: %v, %v", found.Sources, err)
	}
	_, err = render.Render(t.Context(), bad, o)
	if err == nil || err.Error() != bad+": its name is not UTF-8, so rename it" {
		t.Errorf("Render: %v", err)
	}
}

// TestSources checks which files make a folder a source. Rendering one in another encoding says why nothing is read.
func TestSources(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		is         bool
	}{
		{"UTF-16LE with a mark", "\xff\xfea\x00p\x00i\x00", true},
		{"UTF-16BE with a mark", "\xfe\xff\x00a\x00p\x00i", true},
		{"UTF-16LE", "a\x00p\x00i\x00", true},
		{"UTF-32BE with a mark", "\x00\x00\xfe\xff\x00\x00\x00a", true},
		{"YAML with a byte order mark", "\ufeffapiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", true},
		{"a line of JSON", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`, true},
		{"a line of JSON with spaces", `{ "kind": "ConfigMap", "apiVersion" : "v1", "metadata": {"name": "a"} }`, true},
		{"UTF-8 of something else", "a: 1\n", false},
		{"a mention", "a: the apiVersion: of something\n", false},
		{"empty", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			o := render.Options{Getenv: func(string) string { return "" }}
			found, err := Sources(t.Context(), dir, o, Options{})
			if err != nil || (len(found.Sources) == 1) != tc.is {
				t.Errorf("%v, %v", found.Sources, err)
			}
		})
	}
}

// Overlays of one base do not read its files again.
func TestReadsOnce(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"base/kustomization.yaml": "resources: [a.yaml, b.yaml]\n", "base/a.yaml": "a\n", "base/b.yaml": "b\n", "other/c.yaml": "c\n",
		"one/kustomization.yaml": "resources: [../base, ../other/c.yaml]\n", "two/kustomization.yaml": "resources: [../base]\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	read := map[string]int{}
	_, err := Sources(t.Context(), dir, render.Options{Getenv: func(string) string { return "" }}, Options{
		Mentioned: func(manifests []byte) bool {
			read[string(manifests)]++
			return false
		},
	})
	if want := map[string]int{"a\n": 1, "b\n": 1, "c\n": 1}; err != nil || !maps.Equal(read, want) {
		t.Errorf("read: %v, %v", read, err)
	}
}
