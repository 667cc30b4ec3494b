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

// TestNewRule follows docs/developers/development.md in a copy of the repository: it adds the rule of the example there, which is
// on a kind that no rule names, writes the golden files, and runs the tests. Nothing else may have to change.
func TestNewRule(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the tests again")
	}
	const (
		id, kind  = "KS991", "ClusterLocalModel"
		code, doc = "transform/rules/ks991.go", "transform/rules/ks991.md"
		catalogue = "transform/rules/rules.go"
		table     = "transform/rules/lawful_test.go"
		cases     = "testdata/rules/" + id + "/"
	)
	for _, rule := range rules.All {
		if rule.ID == id || slices.ContainsFunc(rule.Kinds, func(k transform.GroupKind) bool { return k.Kind == kind }) {
			t.Fatalf("%s has the ID or kind of the example in docs/developers/development.md: give the example another one", rule.ID)
		}
	}
	example := documentedFiles(t)
	shown := cases + "0.14.1/local-model"
	for _, name := range []string{code, doc, catalogue, table, shown + ".yaml", shown + ".diff"} {
		if example[name] == "" {
			t.Fatalf("docs/developers/development.md does not show %s", name)
		}
	}
	if !strings.Contains(example[code], id) || !strings.Contains(example[code], kind) {
		t.Fatalf("the rule in docs/developers/development.md is not %s on %s", id, kind)
	}

	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := copyRepository(t, root)
	before := tree(t, dir)
	overlay := map[string]string{}
	add := func(name string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(example[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, filepath.FromSlash(name))] = path
	}
	fails := func(when string, err error, output, want string) {
		t.Helper()
		if err == nil || !strings.Contains(output, want) {
			t.Errorf("%s: error %v, want a failure with %q:\n%s", when, err, want, output)
		}
	}

	add(code)
	for _, list := range []string{catalogue, table} {
		example[list] = strings.TrimSuffix(before[list], "}\n") + example[list] + "}\n"
		add(list)
	}
	_, output, err := buildTests(t, root, overlay, "transform/rules")
	fails("without documentation", err, output, "ks991.md: no matching files found")
	add(doc)
	programs := map[string]string{}
	for _, folder := range []string{"transform/rules", "internal/cli"} {
		if programs[folder], output, err = buildTests(t, root, overlay, folder); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	run := func(folder, update, arg string) (string, error) {
		cmd := exec.CommandContext(t.Context(), programs[folder], arg)
		cmd.Dir = filepath.Join(dir, filepath.FromSlash(folder))
		cmd.Env = append(os.Environ(), "UPDATE_GOLDEN="+update)
		output, err := cmd.CombinedOutput()
		return string(output), err
	}
	output, err = run("transform/rules", "", "-test.run=TestCatalogue")
	fails("without cases", err, output, "KS991: no case 0.14.1/local-model")
	for name := range example {
		if strings.HasPrefix(name, cases) && filepath.Ext(name) == ".yaml" {
			add(name)
		}
	}
	// As make golden does: the rules first, because the pages in docs/rules show the outcome of their cases. The cases of
	// other rules are not written, so that one that fails is reported as such. What takes long concerns no single rule.
	for _, tests := range [][3]string{
		{"transform/rules", "1", "-test.run=TestRules/" + id}, {"internal/cli", "1", "-test.run=TestRuleList|TestRulePages"},
		{"transform/rules", "", "-test.short"}, {"internal/cli", "", "-test.run=TestRuleList|TestRulePages"},
	} {
		if output, err := run(tests[0], tests[1], tests[2]); err != nil {
			t.Fatalf("%q: %v\n%s", tests, err, output)
		}
	}

	after := tree(t, dir)
	var changed []string
	for name, text := range after {
		if was, ok := before[name]; !ok || was != text {
			changed = append(changed, name)
		}
	}
	want := []string{code, doc, catalogue, table, "docs/rules/README.md", "docs/rules/" + id + ".md"}
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

// documentedFiles returns the files that docs/developers/development.md shows: a line that starts with a path, and a code block.
func documentedFiles(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "developers", "development.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^`([^`\n]+)`.*:\n\n```[a-z]+\n((?s:.*?))^```$").FindAllSubmatch(page, -1) {
		shown[string(m[1])] = string(m[2])
	}
	return shown
}

// copyRepository copies what the tests of the catalogue and of its documentation read.
func copyRepository(t *testing.T, root string) string {
	t.Helper()
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

// buildTests builds the tests of a directory of the repository, with the files that the overlay maps to others. They are
// built in place, because what does not depend on these files is in the build cache then.
func buildTests(t *testing.T, root string, overlay map[string]string, folder string) (program, output string, err error) {
	t.Helper()
	dir := t.TempDir()
	replaced, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, replaced, 0o644); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "tests")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", list, "-o", program, "./"+folder)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	text, err := cmd.CombinedOutput()
	return program, string(text), err
}
