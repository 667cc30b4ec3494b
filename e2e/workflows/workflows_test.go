// Package workflows_test lints the workflows of the documentation with actionlint.
package workflows_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// released is how a workflow names the action; ./ is the action of a checkout, whose inputs actionlint knows.
const released = "argocd-kserve-plugin/argocd-kserve-plugin@"

func TestWorkflows(t *testing.T) {
	for page, uses := range map[string]bool{"ci.md": false, "hosts.md": true} {
		workflow := snippet(t, page)
		if strings.Contains(workflow, "uses: "+released) != uses {
			t.Errorf("docs/%s: the action is used: %t", page, !uses)
		}
		for _, problem := range lint(t, workflow) {
			t.Errorf("docs/%s: %s", page, problem)
		}
	}
}

// TestMoreSteps lints the workflow of docs/ci.md with the steps that the page adds for plan.
func TestMoreSteps(t *testing.T) {
	workflow := snippet(t, "ci.md") + "\n"
	for line := range strings.Lines(fenced(t, "ci.md", ".github/workflows/kserve.yaml, more steps") + "\n") {
		workflow += "      " + line
	}
	for _, problem := range lint(t, workflow) {
		t.Errorf("%s in\n%s", problem, workflow)
	}
	if broken := strings.Replace(workflow, "github.event.", "github.evnt.", 1); len(lint(t, broken)) == 0 {
		t.Error("the added steps are not linted")
	}
}

// TestLint checks that an input that the action lacks, and one that is missing, are found.
func TestLint(t *testing.T) {
	workflow := snippet(t, "hosts.md")
	for _, name := range []string{"version:", "kserve-version:"} {
		broken := strings.Replace(workflow, " "+name, " nothing:", 1)
		if problems := lint(t, broken); len(problems) == 0 {
			t.Errorf("nothing is wrong without %s in\n%s", name, broken)
		}
	}
}

// snippet returns the workflow of a page.
func snippet(t *testing.T, page string) string {
	t.Helper()
	return fenced(t, page, ".github/workflows/kserve.yaml")
}

// fenced returns the YAML of a page whose first line is a comment.
func fenced(t *testing.T, page, comment string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```yaml\n# "+comment+"\n")
	yaml, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !closed {
		t.Fatalf("docs/%s has no %s", page, comment)
	}
	return yaml
}

// lint returns what actionlint finds in a workflow of a repository that has the action at its top.
func lint(t *testing.T, workflow string) []*actionlint.Error {
	t.Helper()
	repository := t.TempDir()
	folder := filepath.Join(repository, ".github", "workflows")
	action, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(repository, "action.yml"), action, 0o666)
	}
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(repository)
	if err != nil {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: repository})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(workflow) {
		if before, _, ok := strings.Cut(line, released); ok {
			line = before + "./\n"
		}
		lines = append(lines, line)
	}
	problems, err := linter.Lint(filepath.Join(folder, "kserve.yaml"), []byte(strings.Join(lines, "")), project)
	if err != nil {
		t.Fatal(err)
	}
	return problems
}
