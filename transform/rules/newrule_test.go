package rules_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// TestNewRule follows docs/development.md in a copy of the repository: it adds the rule of the example there, which is
// on a kind that no rule names, writes the golden files, and runs the tests. Nothing else may have to change.
func TestNewRule(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a copy of the repository")
	}
	const (
		id, kind  = "KS991", "ClusterLocalModel"
		code, doc = "transform/rules/ks991.go", "transform/rules/ks991.md"
		catalogue = "transform/rules/rules.go"
		cases     = "testdata/rules/" + id + "/"
	)
	for _, rule := range rules.All {
		if rule.ID == id || slices.ContainsFunc(rule.Kinds, func(k transform.GroupKind) bool { return k.Kind == kind }) {
			t.Fatalf("%s has the ID or kind of the example in docs/development.md: give the example another one", rule.ID)
		}
	}
	example := documentedFiles(t)
	for _, name := range []string{code, doc, catalogue, cases + "0.14.1/local-model.yaml", cases + "0.14.1/local-model.diff"} {
		if example[name] == "" {
			t.Fatalf("docs/development.md does not show %s", name)
		}
	}
	if !strings.Contains(example[code], id) || !strings.Contains(example[code], kind) {
		t.Fatalf("the rule in docs/development.md is not %s on %s", id, kind)
	}

	dir := copyRepository(t)
	before := tree(t, dir)
	add := func(name string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(example[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(when, want string) {
		t.Helper()
		output, err := goTest(t, dir, "UPDATE_GOLDEN=", "-run=TestCatalogue", "./transform/rules")
		if err == nil || !strings.Contains(output, want) {
			t.Errorf("%s: error %v, want a failure with %q:\n%s", when, err, want, output)
		}
	}

	add(code)
	example[catalogue] = strings.TrimSuffix(before[catalogue], "}\n") + example[catalogue] + "}\n"
	add(catalogue)
	fails("without documentation", "ks991.md: no matching files found")
	add(doc)
	fails("without cases", "KS991: no case 0.14.1/local-model")
	for name := range example {
		if strings.HasPrefix(name, cases) && filepath.Ext(name) == ".yaml" {
			add(name)
		}
	}
	// As make golden does: the rules first, because the pages in docs/rules show the outcome of their cases. What takes
	// long concerns no single rule.
	for _, update := range []string{"UPDATE_GOLDEN=1", "UPDATE_GOLDEN="} {
		for _, args := range [][]string{
			{"-short", "./transform/rules"}, {"-run=TestRuleList|TestRulePages", "./internal/cli"},
		} {
			if output, err := goTest(t, dir, update, args...); err != nil {
				t.Fatalf("%s go test %v: %v\n%s", update, args, err, output)
			}
		}
	}

	after := tree(t, dir)
	var changed []string
	for name, text := range after {
		if was, ok := before[name]; !ok || was != text {
			changed = append(changed, name)
		}
	}
	want := []string{code, doc, catalogue, "docs/rules/README.md", "docs/rules/" + id + ".md"}
	for _, release := range []string{"0.14.0", "0.14.1", "unknown"} {
		want = append(want, cases+release+"/local-model.yaml", cases+release+"/local-model.diff")
	}
	slices.Sort(changed)
	slices.Sort(want)
	if !slices.Equal(changed, want) {
		t.Errorf("changed: %q\nwant:    %q", changed, want)
	}
	for name, want := range map[string]string{
		"0.14.0/local-model.diff":  "# no findings\n",
		"0.14.1/local-model.diff":  example[cases+"0.14.1/local-model.diff"],
		"unknown/local-model.diff": "not repaired: needs the setting kserve-version",
	} {
		if got := after[cases+name]; !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// documentedFiles returns the files that docs/development.md shows: a line that starts with a path, and a code block.
func documentedFiles(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "development.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^`([^`\n]+)`.*:\n\n```[a-z]+\n((?s:.*?))^```$").FindAllSubmatch(page, -1) {
		shown[string(m[1])] = string(m[2])
	}
	return shown
}

// copyRepository copies what the tests of the catalogue and of its documentation need, except for this file.
func copyRepository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-json", "./transform/rules", "./internal/cli")
	cmd.Dir = root
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"go.mod": true, "go.sum": true}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p struct {
			Dir, ImportPath, ForTest                       string
			Module                                         *struct{ Main bool }
			GoFiles, EmbedFiles, TestGoFiles, XTestGoFiles []string
			XTestEmbedFiles                                []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || !p.Module.Main || p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test") {
			continue // not ours, or made for a test
		}
		for _, file := range slices.Concat(p.GoFiles, p.EmbedFiles, p.TestGoFiles, p.XTestGoFiles, p.XTestEmbedFiles) {
			name, err := filepath.Rel(root, filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			names[name] = true
		}
	}
	delete(names, filepath.Join("transform", "rules", "newrule_test.go"))
	dir := t.TempDir()
	for name := range names {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{filepath.Join("testdata", "rules"), filepath.Join("docs", "rules")} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tree returns the files below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// goTest runs go test in dir with one more environment variable, and without the network.
func goTest(t *testing.T, dir, variable string, args ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-vet=off"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "GOPROXY=off", variable)
	text, err := cmd.CombinedOutput()
	return string(text), err
}
