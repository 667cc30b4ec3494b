package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/planetest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/statuses"
)

func TestStatuses(t *testing.T) { statuses.Write(t, release()) }

func TestJudge(t *testing.T) { planetest.Judge(t, release()) }

func TestInferenceServices(t *testing.T) { planetest.InferenceServices(t, release()) }

func TestLLMInferenceServices(t *testing.T) { planetest.LLMInferenceServices(t, release()) }

func TestGroups(t *testing.T) { planetest.Groups(t, release()) }

func TestLocalModels(t *testing.T) { planetest.LocalModels(t, release()) }

func TestRuntimes(t *testing.T) { planetest.Runtimes(t, release(), true) }

func TestSchedulers(t *testing.T) { planetest.Schedulers(t, release()) }

// TestWorkers: this release deletes the Deployment of the workers that it has made, llama-predictor-worker
// (https://github.com/kserve/kserve/issues/6113). Rule KS906 is about it.
func TestWorkers(t *testing.T) { planetest.Workers(t, release(), "Deployment llama-predictor") }

// TestDeletes: what it makes and deletes in turn is a result.
func TestDeletes(t *testing.T) { planetest.Deletes(t, release()) }

// TestPage runs the commands of docs/plan.md with both programs, which make plan-test has built, and compares the page
// with what they print. The texts in testdata/plan are those of the picture.
func TestPage(t *testing.T) {
	top := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(top, "docs", "plan.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, change, _ := strings.Cut(string(page), "\n```sh\n")
	change, _, _ = strings.Cut(change, "```\n")
	const plan = "cd testdata/plan && ../../bin/argocd-kserve-plugin plan --kserve-version 0.20.0 " +
		"--default-deployment-mode Standard "
	for name, script := range map[string]string{
		"change": change, "misfit": plan + "fashion.yaml", "llm": plan + "llama.yaml",
	} {
		cmd := exec.Command("bash", "-c", "make() { :; }\n"+script)
		cmd.Dir = top
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		code, wanted := 0, 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if name == "misfit" {
			wanted = 1
		}
		if code != wanted {
			t.Errorf("%s: exit code %d: %s", name, code, &stderr)
		}
		file := filepath.Join(top, "testdata", "plan", name+".txt")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(file, stdout.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || stdout.String() != string(want) {
			t.Errorf("%s: %v, plan prints\n%s", file, err, &stdout)
		}
		if !strings.Contains(string(page), "\n```\n"+stdout.String()+"```\n") {
			t.Errorf("docs/plan.md does not have what plan prints:\n%s", &stdout)
		}
	}
}
