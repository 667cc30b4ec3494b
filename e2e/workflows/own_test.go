package workflows_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// pinned is an action by the commit of a version, which a comment names.
var pinned = regexp.MustCompile(`(?m)^ *- uses: [a-z-]+/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// TestOwnWorkflows lints the project's own workflows, and checks what actionlint does not: that actions are pinned,
// that no job gets a permission that it does not name, that no token stays in the checkout, and that scripts get what
// others may have written through variables only.
func TestOwnWorkflows(t *testing.T) {
	repository := filepath.Join("..", "..")
	files, err := filepath.Glob(filepath.Join(repository, ".github", "workflows", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{WorkingDir: repository})
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		problems, err := linter.Lint(path, text, project)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems {
			t.Errorf("%s: %s", path, problem)
		}
		if uses, pins := strings.Count(string(text), "uses:"), len(pinned.FindAllString(string(text), -1)); uses != pins {
			t.Errorf("%s: %d actions, %d of them pinned to a commit with its version in a comment", path, uses, pins)
		}
		workflow, _ := actionlint.Parse(text)
		if only := workflow.Permissions; only == nil || only.All != nil || len(only.Scopes) > 1 ||
			len(only.Scopes) == 1 && only.Scopes["contents"].Value.Value != "read" {
			t.Errorf("%s: at the top a workflow may only read the contents; a job names what else it needs", path)
		}
		for _, job := range workflow.Jobs {
			for _, step := range job.Steps {
				checkStep(t, path, step)
			}
		}
	}
}

func checkStep(t *testing.T, path string, step *actionlint.Step) {
	t.Helper()
	switch exec := step.Exec.(type) {
	case *actionlint.ExecRun:
		if strings.Contains(exec.Run.Value, "${{") {
			t.Errorf("%s:%d: a script has an expression; put it into env", path, step.Pos.Line)
		}
	case *actionlint.ExecAction:
		if !strings.HasPrefix(exec.Uses.Value, "actions/checkout@") {
			return
		}
		if input := exec.Inputs["persist-credentials"]; input == nil || input.Value.Value != "false" {
			t.Errorf("%s:%d: the token stays in the checkout; set persist-credentials: false", path, step.Pos.Line)
		}
	}
}

// image is one of ours in a file, with its version.
var image = regexp.MustCompile(`(?m)(?:image: |IMAGE=|PLUGIN=)(\S+/argocd-kserve-plugin\S*)`)

// TestImageName checks that install/ has one image everywhere, which is a name to replace as long as nothing is
// released.
func TestImageName(t *testing.T) {
	const placeholder = "registry.example.com/argocd-kserve-plugin:1"
	found := 0
	err := filepath.WalkDir(filepath.Join("..", "..", "install"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, match := range image.FindAllStringSubmatch(string(data), -1) {
			found++
			if match[1] != placeholder {
				t.Errorf("%s has the image %s, not %s", path, match[1], placeholder)
			}
		}
		return err
	})
	if err != nil || found < 5 {
		t.Errorf("%d images in install/, %v", found, err)
	}
}
