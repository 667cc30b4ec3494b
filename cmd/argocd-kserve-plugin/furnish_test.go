//go:build linux

package main

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// stand are the scripts that stand in for programs, in a checkout.
var stand = map[string]string{
	"docker": "", "kustomize": "", "kpt": "", "argocd": "",
	"curl": "cat \"$OBJECTS/argocd.yaml\"\n",
	"make": "test \"$1\" != -C || cd \"$2\"\nmkdir -p bin\ncp \"$PROGRAM\" bin/\n",
	"old":  "exec \"$PROGRAM\" \"$@\"\n",
	"new":  "exec \"$PROGRAM\" \"$@\"\n",
	"helm": `case "$*" in
env*) echo "$HOME/plugins" ;;
get\ values*) echo 'configs: {}' ;;
template*post-renderer*) argocd-kserve-plugin generate - < "$OBJECTS/live.yaml" ;;
template*) cat "$OBJECTS/live.yaml" ;;
upgrade*) cp "$OBJECTS/ready.json" "$OBJECTS/services.json" ;;
esac
`,
	"kubectl": `case "$*" in
kserve-repair*) shift && exec kubectl-kserve_repair "$@" ;;
*exec*\ --\ /usr/local/bin/argocd-kserve-plugin\ probe) exec "$PROGRAM" probe ;;
*--raw*watch=1*) exec tail -f /dev/null ;;
*--raw*/inferenceservices*) cat "$OBJECTS/services.json" ;;
*--raw*/llminferenceservices*) cat "$OBJECTS/llms.json" ;;
*--raw*/apis/serving.kserve.io/v1alpha2) cat "$OBJECTS/llm-kinds.json" ;;
*--raw*/apis/serving.kserve.io*) cat "$OBJECTS/kinds.json" ;;
*--raw*) echo '{"metadata": {"resourceVersion": "1"}}' ;;
*\ apply*|apply*) cp "$OBJECTS/ready.json" "$OBJECTS/services.json" ;;
*patch*|*logs*|*rollout\ status*) ;;
*replace*) cat ;;
*inferenceservice-config*) cat "$OBJECTS/kserve.yaml" ;;
*argocds.argoproj.io*) cat "$OBJECTS/operator.yaml" ;;
*argocd-repo-server*) cat "$OBJECTS/argocd.yaml" ;;
*argocd-cm*) cat "$OBJECTS/argocd-cm.yaml" ;;
*llminferenceservices\ -w*) cat "$OBJECTS/llama.json" ;;
*inferenceservices\ -w*) cat "$OBJECTS/fine.json" ;;
*get\ isvc,clusterservingruntimes,*) cat "$OBJECTS/dump.yaml" ;;
*get\ i*svc,*|*get\ inferenceservices,*|*get\ inferenceservice\ *) cat "$OBJECTS/live.yaml" ;;
esac
`,
}

// furnish adds what the pages are about: the examples under the names that the pages use, an Application, a branch to
// compare with, and the objects of a cluster.
func (h *host) furnish(t *testing.T, page string) {
	t.Helper()
	tools, local := filepath.Join(h.temp, "tools"), filepath.Join(h.temp, ".local", "bin")
	for name, script := range stand {
		write(t, filepath.Join(tools, name), "#!/bin/sh -e\n"+script)
	}
	if err := os.MkdirAll(local, 0o755); err != nil {
		t.Fatal(err)
	}
	h.link(t, filepath.Join(tools, "argocd-kserve-plugin"))
	objects := filepath.Join(h.temp, "objects")
	for name, text := range clusterObjects {
		write(t, filepath.Join(objects, name), text)
	}
	for _, name := range []string{"health_assess.txtar", "doctor.txtar"} {
		script, err := txtar.ParseFile(filepath.Join("..", "..", "testdata", "script", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range script.Files {
			write(t, filepath.Join(objects, file.Name), string(file.Data))
		}
	}
	maps.Copy(h.env, map[string]string{
		"APPS": "--discover apps", "IMAGE": "registry.example.com/argocd-kserve-plugin:1", "OBJECTS": objects,
		"RUNNER_TEMP": h.temp, "GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": filepath.Join(h.temp, "summary.md"),
		"ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION": "0.15.2", "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE": "Standard",
		"PATH": h.env["PATH"] + ":" + local,
	})
	examples := map[string]string{
		"models/churn": "sklearn-logger", "models/production": "triton-transformer", "base": "two-environments/base",
		"overlays": "two-environments/overlays", "charts/model": "helm-chart", "../your-repository/churn": "sklearn-logger",
	}
	switch page {
	case "docs/hosts.md":
		examples["deploy"], examples["."] = "sklearn-logger", "../install/helm-plugin"
		h.link(t, filepath.Join(h.checkout, "argocd-kserve-plugin"))
	case "docs/live.md", "docs/llm.md":
		examples["llm"], h.env["ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION"] = "llm", "0.20.0"
	}
	for to, example := range examples {
		folder := os.DirFS(filepath.Join("..", "..", "examples", example))
		if err := os.CopyFS(filepath.Join(h.checkout, to), folder); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(h.checkout, "argocd", "churn.yaml"), application)
	const commit = `git config --global user.name ci && git config --global user.email ci@example.com
git config --global push.default current && git init -q --bare "$HOME/origin.git"
git config --global url."file://$HOME/origin.git".pushInsteadOf https://git.example.com/models.git
git init -q -b main && git add . && git commit -q -m models
git remote add origin https://git.example.com/models.git && git update-ref refs/remotes/origin/main HEAD`
	if out, code := h.run(t, h.checkout, []string{"sh", "-e"}, commit); code != 0 {
		t.Fatal(out)
	}
}

// link gives the program under test another path.
func (h *host) link(t *testing.T, path string) {
	t.Helper()
	if err := os.Symlink(h.env["PROGRAM"], path); err != nil {
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
	"kinds.json": `{"versions": [{"version": "v1beta1"}, {"version": "v1alpha2"}],
  "resources": [{"name": "inferenceservices", "kind": "InferenceService", "namespaced": true}]}
`,
	"llm-kinds.json": `{
  "resources": [{"name": "llminferenceservices", "kind": "LLMInferenceService", "namespaced": true}]}
`,
	"llms.json": `{"metadata": {"resourceVersion": "1"}, "items": [{
  "metadata": {"name": "qwen", "namespace": "chat", "uid": "1", "resourceVersion": "1", "generation": 1},
  "spec": {"model": {"uri": "hf://Qwen/Qwen2.5-7B-Instruct"}},
  "status": {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}
}]}
`,
	"ready.json": `{"metadata": {"resourceVersion": "1"}, "items": [{
  "metadata": {"name": "iris", "namespace": "models", "uid": "1", "resourceVersion": "1"},
  "status": {"conditions": [{"type": "PredictorReady", "status": "True"}, {"type": "IngressReady", "status": "True"},
    {"type": "Ready", "status": "True"}]}
}]}
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
