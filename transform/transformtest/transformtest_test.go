package transformtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

const object = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`

// suite writes files, all with the same content, and returns the suite of their directory.
func suite(t *testing.T, content string, paths ...string) Suite {
	t.Helper()
	dir := t.TempDir()
	for _, path := range paths {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Suite{Dir: dir, Open: Files(transform.Config{})}
}

func TestFind(t *testing.T) {
	for _, tc := range []struct{ name, files, cases, err string }{
		{"files", "a.yaml a.diff b.yml b.golden c/d.json c/d.diff e.yaml", "a b c/d", ""},
		{"names with dots", "a.b.yaml a.b.diff c.d/kustomization.yaml c.d.diff", "a.b c.d", ""},
		{"folders that differ after the dot", "v1.2/Kustomization v1.2.diff v1.3/kustomization.yml v1.3.diff",
			"v1.2 v1.3", ""},
		{"inside a kustomization", "a/kustomization.yaml a/b.yaml a/b.diff a.diff", "a", ""},
		{"hidden", ".github/a.yaml .github/a.diff .b.yaml .b.diff c.yaml c.diff", "c", ""},
		{"two files", "a.yaml a.json a.diff", "a a", "a.json and a.yaml have the same expectation, a.diff; rename one"},
		{"a file and a folder", "a.yaml a/kustomization.yaml a.golden", "a a", "a and a.yaml have the same expectation"},
		{"without an input", "a.yaml a.diff b.diff c.golden", "a",
			"b.diff: there is no input beside it; remove it or correct its name\nDIR/c.golden: there is no input"},
		{"previous manifests", "a.yaml a.previous.yaml a.diff b.previous.yaml", "a",
			"b.previous.yaml: there is no input beside it"},
		{"none", "a.yaml", "", "no cases; put <case>.diff"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := suite(t, object, strings.Fields(tc.files)...)
			cases, err := s.Find(false)
			var names []string
			for _, c := range cases {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != tc.cases {
				t.Errorf("got %s", got)
			}
			want := strings.ReplaceAll(tc.err, "DIR", s.Dir)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// An input of one line has no line ends that could be others.
func TestOneLine(t *testing.T) {
	for _, content := range []string{object, object + "\n"} {
		s := suite(t, content, "a.json")
		cases, err := s.Find(true)
		if err != nil || len(cases) != 1 {
			t.Fatal(cases, err)
		}
		if problems, err := s.Check(t.Context(), cases[0], true); len(problems) > 0 || err != nil {
			t.Error(problems, err)
		}
	}
}

func TestFolderWithADot(t *testing.T) {
	s := suite(t, object, "v1.2/kustomization.yaml")
	opened := ""
	s.Open = func(_ context.Context, c Case) ([]transform.File, transform.Config, error) {
		opened = c.Input
		return []transform.File{{Path: "a.json", Data: []byte(object)}}, transform.Config{}, nil
	}
	if _, err := s.Check(t.Context(), Case{Name: "v1.2", Input: filepath.Join(s.Dir, "v1.2")}, true); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != 2 || entries[1].Name() != "v1.2.diff" || filepath.Base(opened) != "v1.2" {
		t.Error(entries, opened, err)
	}
}
