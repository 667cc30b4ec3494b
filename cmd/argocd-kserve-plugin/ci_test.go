//go:build linux

package main

import (
	"cmp"
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// snippet is the YAML of docs/ci.md whose first line names the file.
func snippet(t *testing.T, file string) *yamldoc.Node {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```yaml\n# "+file+"\n")
	text, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !closed {
		t.Fatalf("docs/ci.md has no snippet %s", file)
	}
	tree, err := yamldoc.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree.Root
}

// host is a CI system's machine with a checkout of a repository.
type host struct {
	checkout, temp string
	env            map[string]string
}

// newHost prepares a checkout with an app that has a finding or not, and golden files. The internet is a git repository
// beside it, Go's compiler is a script that puts the program under test where -o says, and jq is that of TestMain.
func newHost(t *testing.T, app string) *host {
	t.Helper()
	for _, program := range []string{"bash", "curl", "git", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("the jobs of the documentation need %s; install it: %v", program, err)
		}
	}
	h := &host{checkout: t.TempDir(), temp: t.TempDir()}
	upstream, tools := filepath.Join(h.temp, "upstream"), filepath.Join(h.temp, "tools")
	for path, text := range map[string]string{
		filepath.Join(h.checkout, "apps", "iris", "isvc.yaml"):            app,
		filepath.Join(h.checkout, "apps", "web", "config.yaml"):           configMap,
		filepath.Join(h.checkout, "golden", "probe.yaml"):                 unhealthy,
		filepath.Join(upstream, "cmd", "argocd-kserve-plugin", "main.go"): "package main\n",
		filepath.Join(tools, "go"):                                        compiler,
		filepath.Join(h.checkout, "golden", ".argocd-kserve-plugin.yaml"): "rules: KS101\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := exec.LookPath("argocd-kserve-plugin")
	if err != nil {
		t.Fatal(err)
	}
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(jq, filepath.Join(tools, "jq")); err != nil {
		t.Fatal(err)
	}
	h.env = map[string]string{
		"CI": "true", "HOME": h.temp, "PATH": tools + ":/usr/local/bin:/usr/bin:/bin", "PROGRAM": program,
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1",
		"GIT_CONFIG_KEY_0":   "url.file://" + upstream + ".insteadOf",
		"GIT_CONFIG_VALUE_0": "https://github.com/argocd-kserve-plugin/argocd-kserve-plugin",
	}
	publish := "git init -q -b main && git add . && git -c user.name=ci -c user.email=ci@example.com commit -q -m release"
	if out, code := h.run(t, upstream, []string{"sh", "-e"}, publish); code != 0 {
		t.Fatalf("%s", out)
	}
	golden := exec.Command("argocd-kserve-plugin", "test", "--update", "golden")
	golden.Dir = h.checkout
	golden.Env = append(os.Environ(),
		"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION=0.15.2", "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE=Standard")
	if out, err := golden.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	return h
}

// compiler stands for `go -C DIR build -o FILE ./cmd/argocd-kserve-plugin`.
const compiler = `#!/bin/sh -e
test "$1" = -C && test "$3 $4" = "build -o" && test -f "$2/$6/main.go"
mkdir -p "$(dirname "$5")"
cp "$PROGRAM" "$5"
`

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"

const healthy = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  annotations:
    argocd-kserve-plugin/health-conditions: IngressReady,PredictorReady,Ready
spec:
  predictor:
    model:
      modelFormat: {name: sklearn}
      storageUri: gs://models/iris
`

const unhealthy = healthy + `      readinessProbe:
        exec:
          command: [curl, -f, "http://localhost:8080/v1/models/iris"]
    logger: {mode: all}
`

// run executes a script as a file, as CI systems do, and returns all that it prints and its exit code.
func (h *host) run(t *testing.T, dir string, shell []string, script string) (output string, code int) {
	t.Helper()
	path := filepath.Join(h.temp, "script.sh")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell[0], append(shell[1:], path)...)
	cmd.Dir = dir
	for name, value := range h.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// set adds the variables of an env or variables block.
func (h *host) set(variables *yamldoc.Node) {
	if variables == nil {
		return
	}
	for _, e := range variables.Entries {
		h.env[e.Key.Value] = e.Value.Value
	}
}

// shells are how GitHub runs a step: unless told otherwise, and with shell: bash
// (actions/runner src/Runner.Worker/Handlers/ScriptHandlerHelpers.cs@v2.328.0).
var shells = map[string][]string{
	"":     {"bash", "-e"},
	"bash": {"bash", "--noprofile", "--norc", "-eo", "pipefail"},
}

var expression = regexp.MustCompile(`\$\{\{`)

// github runs the steps of the only job and returns the output of each by name, the summary, and the name of the first
// step that failed.
func (h *host) github(t *testing.T, workflow *yamldoc.Node) (outputs map[string]string, summary, failed string) {
	t.Helper()
	job := workflow.Get("jobs", "manifests")
	h.set(workflow.Get("env"))
	h.set(job.Get("env"))
	return h.steps(t, job.Get("steps"), workflow.Get("defaults", "run", "shell").Str())
}

// steps is github for the steps of a job or an action, in a shell unless they name one.
func (h *host) steps(t *testing.T, steps *yamldoc.Node, shell string) (outputs map[string]string, summary, failed string) {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"GITHUB_PATH", "GITHUB_STEP_SUMMARY"} {
		files[name] = filepath.Join(h.temp, name)
		if err := os.WriteFile(files[name], nil, 0o644); err != nil {
			t.Fatal(err)
		}
		h.env[name] = files[name]
	}
	h.env["GITHUB_ACTIONS"], h.env["GITHUB_WORKSPACE"] = "true", h.checkout
	h.env["RUNNER_TEMP"] = filepath.Join(h.temp, "runner")
	if err := os.MkdirAll(h.env["RUNNER_TEMP"], 0o755); err != nil {
		t.Fatal(err)
	}
	outputs = map[string]string{}
	for _, step := range steps.Items {
		script := step.Get("run").Str()
		if script == "" || failed != "" && step.Get("if").Str() != "always()" {
			continue // the actions a step uses are what newHost has prepared
		}
		if expression.MatchString(script) {
			t.Errorf("an expression that the host would replace: %s", script)
		}
		name := step.Get("name").Str()
		h.set(step.Get("env"))
		out, code := h.run(t, h.checkout, shells[cmp.Or(step.Get("shell").Str(), shell)], script)
		outputs[name] = out
		if code != 0 && failed == "" {
			failed = name
		}
		added, err := os.ReadFile(files["GITHUB_PATH"])
		if err != nil {
			t.Fatal(err)
		}
		for dir := range strings.Lines(string(added)) {
			h.env["PATH"] = strings.TrimSpace(dir) + ":" + h.env["PATH"]
		}
		if err := os.Truncate(files["GITHUB_PATH"], 0); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(files["GITHUB_STEP_SUMMARY"])
	if err != nil {
		t.Fatal(err)
	}
	return outputs, string(text), failed
}

func TestGitHubActions(t *testing.T) {
	for _, tc := range []struct{ name, app, failed, check, summary string }{
		{"a finding", unhealthy, "Check",
			"::error file=apps/iris/isvc.yaml,line=13,col=9,title=KS101 exec-probe::", "+        httpGet:"},
		{"no finding", healthy, "", "", ""},
		{"a finding beside a fence", unhealthy + "# ````\n# ```\n", "Check", "::error",
			"`````diff\n--- a/apps/iris/isvc.yaml\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			outputs, summary, failed := newHost(t, tc.app).github(t, snippet(t, ".github/workflows/kserve.yaml"))
			if failed != tc.failed {
				t.Errorf("step %q failed, want %q: %q", failed, tc.failed, outputs)
			}
			check := outputs["Check"]
			if tc.check != "" && !strings.Contains(check, tc.check) || tc.check == "" && strings.Contains(check, "::") {
				t.Errorf("check printed %s", check)
			}
			if !strings.Contains(summary, tc.summary) || tc.summary == "" && summary != "" {
				t.Errorf("the summary is %s", summary)
			}
			if got := outputs["Golden files"]; failed == "" && got != "1 case, 0 failed\n" {
				t.Errorf("test printed %s", got)
			}
		})
	}
}

// TestExamplesInCI runs the workflow for the examples of this repository, with the list of apps that the page has for
// them.
func TestExamplesInCI(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "\n```yaml\nAPPS: ")
	block, _, found := strings.Cut(block, "```\n")
	apps, err := yamldoc.Parse([]byte("APPS: " + block))
	if err != nil || !found {
		t.Fatalf("docs/ci.md has no APPS for the examples: %v", err)
	}
	workflow := snippet(t, ".github/workflows/kserve.yaml")
	facts := 0
	for _, e := range workflow.Get("env").Entries {
		switch name := e.Key.Value; {
		case name == "APPS":
			e.Value.Value = apps.Root.Get("APPS").Str()
		case strings.HasSuffix(name, "_VERSION"), strings.HasSuffix(name, "_MODE"):
			e.Value.Value = "" // the examples are for several clusters
			facts++
		}
	}
	h := newHost(t, healthy)
	if err := os.CopyFS(filepath.Join(h.checkout, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(h.checkout, "examples", "helm-chart")); err != nil { // this program has no Helm
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.checkout, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	outputs, summary, failed := h.github(t, workflow)
	if failed != "Check" || facts != 2 || strings.Contains(outputs["Check"], "no objects") {
		t.Errorf("step %q failed: %s", failed, outputs["Check"])
	}
	examples, err := filepath.Glob(filepath.Join(h.checkout, "examples", "*", "expected.diff"))
	if err != nil || len(examples) < 6 {
		t.Fatalf("examples %v, %v", examples, err)
	}
	for _, example := range append(examples, filepath.Join(h.checkout, "examples", "two-environments", "expected.diff")) {
		name := strings.TrimPrefix(filepath.Dir(example), h.checkout+"/")
		if !strings.Contains(outputs["Check"], "file="+name+"/") || !strings.Contains(summary, "--- a/"+name+"/") {
			t.Errorf("%s is missing in %s or %s", name, outputs["Check"], summary)
		}
	}
}

// TestGitLabCI runs the job's lines as one script. The runner takes bash where the image has it, else sh
// (gitlab-runner shells/bash.go@v18.0.0).
func TestGitLabCI(t *testing.T) {
	for _, shell := range [][]string{{"bash", "-eo", "pipefail"}, {"sh", "-e"}} {
		for _, tc := range []struct {
			name, app      string
			code, failures int
		}{
			{"a finding", unhealthy, 1, 1},
			{"no finding", healthy, 0, 0},
		} {
			t.Run(shell[0]+"/"+tc.name, func(t *testing.T) {
				job := snippet(t, ".gitlab-ci.yml").Get("kserve")
				h := newHost(t, tc.app)
				h.env["GITLAB_CI"], h.env["CI_PIPELINE_SOURCE"] = "true", "merge_request_event"
				h.env["CI_PROJECT_DIR"] = h.checkout
				h.set(job.Get("variables"))
				lines := append(job.Get("before_script").Strings(), job.Get("script").Strings()...)
				out, code := h.run(t, h.checkout, shell, strings.Join(lines, "\n"))
				if code != tc.code || !strings.Contains(out, "1 case, 0 failed\n") {
					t.Errorf("exit code %d, want %d: %s", code, tc.code, out)
				}
				reports, err := filepath.Glob(filepath.Join(h.checkout, job.Get("artifacts", "reports", "junit").Str()))
				if err != nil || len(reports) != 1 {
					t.Fatalf("reports %v: %v", reports, err)
				}
				data, err := os.ReadFile(reports[0])
				var report struct {
					Failures int `xml:"failures,attr"`
				}
				if err := errors.Join(err, xml.Unmarshal(data, &report)); err != nil || report.Failures != tc.failures {
					t.Errorf("%d failures, want %d: %v", report.Failures, tc.failures, err)
				}
			})
		}
	}
}
