//go:build linux

package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// pages are those whose blocks of the language sh TestPages runs, with the blocks that it leaves out because they need
// what no test of this module has.
var pages = map[string][]string{
	"README.md":            nil,
	"install/README.md":    {"helm upgrade ", "kubectl -n argocd exec "},
	"docs/adopt.md":        nil,
	"docs/argocd.md":       nil,
	"docs/ci.md":           nil,
	"docs/flux.md":         {"helm upgrade "},
	"docs/health.md":       {"kubectl get inferenceservice iris ", "kubectl apply "},
	"docs/helm.md":         nil,
	"docs/kustomize.md":    nil,
	"docs/live.md":         nil,
	"docs/openshift-ai.md": nil,
	"docs/settings.md":     nil,
	"docs/upgrading.md":    nil,
}

// others are the pages with commands that other tests run.
var others = map[string]string{
	"docs/getting-started.md": "e2e/install/cluster TestGettingStarted",
	"docs/hosts.md":           "e2e/hosts",
	"docs/llm.md":             "internal/cli TestLLMPage",
	"docs/plan.md":            "make plan-test",
	"docs/reports.md":         "TestReportsPage",
}

var shellBlock = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")

// TestPages runs the commands of pages in a repository like the one that they are about, block by block, and compares
// what they print and the exit codes with which they fail with testdata/pages. Programs that need a cluster, a registry
// or Go's compiler are scripts.
func TestPages(t *testing.T) {
	for page, left := range pages {
		t.Run(page, func(t *testing.T) {
			h := newHost(t, unhealthy)
			h.furnish(t)
			var got strings.Builder
			for _, block := range blocksOf(t, page) {
				if slices.ContainsFunc(left, func(start string) bool { return strings.HasPrefix(block, start) }) {
					continue
				}
				out, _ := h.run(t, h.checkout, []string{"bash"}, report+block)
				fmt.Fprintf(&got, "%s---\n%s\n", block, shortened(strings.ReplaceAll(out, h.temp, "/temp")))
			}
			name := strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "/", "-") + ".txt"
			compare(t, filepath.Join("testdata", "pages", name), got.String())
		})
	}
}

// TestEveryPageIsRun looks for pages with commands that no test runs.
func TestEveryPageIsRun(t *testing.T) {
	top := filepath.Join("..", "..")
	found, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(found, filepath.Join(top, "README.md"), filepath.Join(top, "install", "README.md")) {
		page, err := filepath.Rel(top, file)
		if err != nil {
			t.Fatal(err)
		}
		_, here := pages[page]
		runs := strings.Contains(strings.Join(blocksOf(t, page), ""), "argocd-kserve-plugin ")
		if runs && !here && others[page] == "" {
			t.Errorf("no test runs the commands of %s: add it to pages, and look at what they print", page)
		}
	}
}

// report has bash say that a command fails, and go on.
const report = `trap 'echo "(exit code $?)"' ERR` + "\n"

func blocksOf(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, match := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		indent := match[1][:len(match[1])-len(strings.TrimLeft(match[1], " "))]
		blocks = append(blocks, strings.ReplaceAll("\n"+match[1], "\n"+indent, "\n")[1:])
	}
	return blocks
}

// The lines of an output that stay, of a longer one the first and the last ones, and a hash for those between.
const whole, head, tail = 150, 20, 5

func shortened(output string) string {
	lines := strings.SplitAfter(output, "\n")
	if len(lines) <= whole {
		return output
	}
	between := lines[head : len(lines)-tail]
	return fmt.Sprintf("%s... %d lines with the hash %.8x ...\n%s", strings.Join(lines[:head], ""), len(between),
		sha256.Sum256([]byte(strings.Join(between, ""))), strings.Join(lines[len(lines)-tail:], ""))
}

// stand are the scripts that stand in for programs, in a checkout.
var stand = map[string]string{
	"docker": "",
	"make":   "mkdir -p bin\ncp \"$PROGRAM\" bin/\n",
	"old":    "exec \"$PROGRAM\" \"$@\"\n",
	"new":    "exec \"$PROGRAM\" \"$@\"\n",
	"helm":   "case \"$*\" in\n*values*) echo 'configs: {}' ;;\n*template*) cat \"$OBJECTS/live.yaml\" ;;\nesac\n",
	"kubectl": "case \"$*\" in\n*--raw*/inferenceservices*) cat \"$OBJECTS/services.json\" ;;\n" +
		"*--raw*/apis/serving.kserve.io*) cat \"$OBJECTS/kinds.json\" ;;\n" +
		"*--raw*) echo '{\"metadata\": {\"resourceVersion\": \"1\"}}' ;;\n" +
		"*patch*|*logs*) ;;\n*replace*) cat ;;\n*inferenceservice-config*) cat \"$OBJECTS/kserve.yaml\" ;;\n" +
		"*argocds.argoproj.io*) cat \"$OBJECTS/operator.yaml\" ;;\n" +
		"*argocd-repo-server*) cat \"$OBJECTS/argocd.yaml\" ;;\n*argocd-cm*) cat \"$OBJECTS/argocd-cm.yaml\" ;;\n" +
		"*llminferenceservices\\ -w*) cat \"$OBJECTS/llama.json\" ;;\n*inferenceservices\\ -w*) cat \"$OBJECTS/fine.json\" ;;\n" +
		"*get\\ i*svc,*|*get\\ inferenceservices,*) cat \"$OBJECTS/live.yaml\" ;;\nesac\n",
}

// furnish adds what the pages are about: the examples under the names that the pages use, an Application, a branch to
// compare with, and the objects of a cluster.
func (h *host) furnish(t *testing.T) {
	t.Helper()
	tools := filepath.Join(h.temp, "tools")
	for name, script := range stand {
		write(t, filepath.Join(tools, name), "#!/bin/sh -e\n"+script)
	}
	if err := os.Symlink(h.env["PROGRAM"], filepath.Join(tools, "argocd-kserve-plugin")); err != nil {
		t.Fatal(err)
	}
	objects := filepath.Join(h.temp, "objects")
	for name, text := range clusterObjects {
		write(t, filepath.Join(objects, name), text)
	}
	script, err := txtar.ParseFile(filepath.Join("..", "..", "testdata", "script", "health_assess.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range script.Files {
		write(t, filepath.Join(objects, file.Name), string(file.Data))
	}
	for to, example := range map[string]string{
		"models/churn": "sklearn-logger", "models/production": "triton-transformer", "base": "two-environments/base",
		"overlays": "two-environments/overlays", "charts/model": "helm-chart", "../your-repository/churn": "sklearn-logger",
	} {
		folder := os.DirFS(filepath.Join("..", "..", "examples", example))
		if err := os.CopyFS(filepath.Join(h.checkout, to), folder); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(h.checkout, "argocd", "churn.yaml"), application)
	t.Cleanup(func() {
		if err := os.RemoveAll(filepath.Join(h.checkout, "..", "your-repository")); err != nil {
			t.Error(err)
		}
	})
	maps.Copy(h.env, map[string]string{
		"APPS": "--discover apps", "IMAGE": "registry.example.com/argocd-kserve-plugin:1", "OBJECTS": objects,
		"RUNNER_TEMP": h.temp, "GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": filepath.Join(h.temp, "summary.md"),
		"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION": "0.15.2", "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE": "Standard",
	})
	const commit = `git init -q -b main && git add . && git -c user.name=ci -c user.email=ci@example.com commit -q -m models
git remote add origin https://git.example.com/models.git && git update-ref refs/remotes/origin/main HEAD`
	if out, code := h.run(t, h.checkout, []string{"sh", "-e"}, commit); code != 0 {
		t.Fatal(out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: churn, namespace: argocd}
spec:
  source:
    repoURL: https://git.example.com/models.git
    targetRevision: main
    path: models/churn
    plugin: {name: argocd-kserve-plugin}
`

// clusterObjects are what kubectl prints.
var clusterObjects = map[string]string{
	"kserve.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: inferenceservice-config, namespace: kserve}
data: {deploy: '{"defaultDeploymentMode": "RawDeployment"}'}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kserve-controller-manager, namespace: kserve}
spec:
  template: {spec: {containers: [{name: manager, image: "kserve/kserve-controller:v0.15.2"}]}}
`,
	"argocd.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server, namespace: argocd}
spec:
  template: {spec: {containers: [{name: argocd-repo-server, image: "quay.io/argoproj/argocd:v3.5.7"}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
`,
	"argocd-cm.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.customizations.health.serving.kserve.io_InferenceService: |
    if obj.status == nil or obj.status.conditions == nil then return {status = "Progressing"} end
    if obj.metadata.generation ~= obj.status.observedGeneration then return {status = "Progressing"} end
    for _, c in ipairs(obj.status.conditions) do
      if c.type == "Ready" and c.status == "True" then return {status = "Healthy"} end
    end
    return {status = "Progressing"}
`,
	"kinds.json": `{"versions": [{"version": "v1beta1"}],
  "resources": [{"name": "inferenceservices", "kind": "InferenceService", "namespaced": true}]}
`,
	"services.json": `{"metadata": {"resourceVersion": "1"}, "items": [{
  "metadata": {"name": "iris", "namespace": "models", "uid": "1", "resourceVersion": "1"},
  "spec": {"predictor": {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "gs://models/iris"}}},
  "status": {"conditions": [{"type": "Ready", "status": "False"}],
    "modelStatus": {"transitionStatus": "BlockedByFailedLoad", 
      "lastFailureInfo": {"reason": "ModelLoadFailed", "message": "no such object"}}}
}]}
`,
	"llama.json": `{
  "apiVersion": "serving.kserve.io/v1alpha2", "kind": "LLMInferenceService",
  "metadata": {"name": "llama", "namespace": "models", "generation": 1},
  "status": {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}
}
`,
	"operator.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server, namespace: argocd}
spec:
  template: {spec: {containers: [{name: argocd-repo-server, image: "quay.io/argoproj/argocd:v3.5.7"}]}}
---
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata: {name: argocd, namespace: argocd}
`,
}

// compare compares a text with a file, which it writes where UPDATE_GOLDEN is set.
func compare(t *testing.T, file, text string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		write(t, file, text)
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != text {
		t.Errorf("%s is not what the commands print (%v); run make golden, and look at the difference:\n%s", file, err, text)
	}
}
