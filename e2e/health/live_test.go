package health_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

const live = "../../internal/healthconfig/testdata/live"

// kubectl patches a file as the API server would, without one.
func kubectl(t *testing.T, file, kind string, patch []byte) []byte {
	t.Helper()
	program, err := toolchain.Kubectl.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	patchFile := filepath.Join(t.TempDir(), "patch")
	write(t, patchFile, patch)
	cmd := exec.CommandContext(t.Context(), program,
		"patch", "--local", "--filename", file, "--type", kind, "--patch-file", patchFile, "--output", "yaml")
	cmd.Env = append(os.Environ(), "KUBECONFIG=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kubectl patch: %v\n%s", err, out)
	}
	return out
}

func decode(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal(data, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// addedOnly checks that a merge has kept all lines of a file, in their order.
func addedOnly(t *testing.T, before, after []byte) {
	t.Helper()
	lines := strings.Split(string(after), "\n")
	next := 0
	for _, line := range strings.Split(string(before), "\n") {
		for next < len(lines) && strings.TrimSuffix(lines[next], ",") != strings.TrimSuffix(line, ",") {
			next++
		}
		if next == len(lines) {
			t.Fatalf("the line %q is gone:\n%s", line, after)
		}
		next++
	}
}

// TestMergedResource compares a merged ArgoCD resource with what kubectl makes of the printed patch.
func TestMergedResource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "argocd.yaml")
	resource := []byte(`apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata:
  name: argocd
  namespace: argocd
  resourceVersion: "17"
spec:
  resourceHealthChecks: # theirs
  - group: argoproj.io
    kind: Application
    check: |
      return { status = "Healthy" }
  server:
    route:
      enabled: true
  extraConfig:
    accounts.alice: apiKey, login
`)
	write(t, file, resource)
	merged := runPlugin(t, "health", "config", "compare", "-o", "argocd-operator", file)
	patched := kubectl(t, file, "merge", runPlugin(t, "health", "config", "-o", "argocd-operator"))
	if !reflect.DeepEqual(decode(t, merged), decode(t, patched)) {
		t.Errorf("merged:\n%s\npatched:\n%s", merged, patched)
	}
	addedOnly(t, resource, merged)
	write(t, file, patched)
	if out := runPlugin(t, "health", "config", "compare", file); len(out) > 0 {
		t.Errorf("patched, and still to change:\n%s", out)
	}
}

// TestMergedKServeConfiguration compares a merged inferenceservice-config with a JSON patch of the decoded document.
func TestMergedKServeConfiguration(t *testing.T) {
	file := filepath.Join(live, "kserve.yaml")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	merged := runPlugin(t, "health", "config", "compare", "-o", "inferenceservice-config", file)
	addedOnly(t, before, merged)

	documents := func(configMap []byte) map[string]any {
		all := map[string]any{}
		for key, text := range decode(t, configMap)["data"].(map[string]any) {
			var document any
			if err := json.Unmarshal([]byte(text.(string)), &document); err != nil {
				t.Fatalf("%s: %v", key, err)
			}
			all[key] = document
		}
		return all
	}
	const list = "serviceAnnotationDisallowedList"
	want := documents(before)["inferenceService"].(map[string]any)
	theirs := want[list].([]any)
	ours := decode(t, runPlugin(t, "health", "config", "-o", "inferenceservice-config"))
	for _, annotation := range ours[list].([]any) {
		if annotation != "argocd.argoproj.io/hook" { // they have it
			theirs = append(theirs, annotation)
		}
	}
	want[list] = theirs
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := json.Marshal([]any{map[string]any{
		"op": "replace", "path": "/data/inferenceService", "value": string(text),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if patched := kubectl(t, file, "json", patch); !reflect.DeepEqual(documents(merged), documents(patched)) {
		t.Errorf("merged:\n%s\npatched:\n%s", merged, patched)
	}
}

// checkMerged gives Argo CD the argocd-cm of somebody, patched with what drift prints and merged with the health
// checks.
func checkMerged(t *testing.T, argocd cli) {
	dir := t.TempDir()
	file, service := filepath.Join(dir, "argocd-cm.yaml"), filepath.Join(dir, "service.yaml")
	write(t, file, []byte(`apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  labels:
    app.kubernetes.io/part-of: argocd
data:
  resource.customizations.health.serving.kserve.io_InferenceService: |
    return { status = "Degraded" }
  resource.customizations.health.serving.kserve.io_ServingRuntime: |
    return { status = "Suspended", message = "theirs" }
`))
	write(t, service, []byte(`apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  namespace: ml
  annotations:
    serving.kserve.io/deploymentMode: RawDeployment
spec:
  predictor:
    model:
      modelFormat: {name: sklearn}
      storageUri: gs://example/iris
      resources:
        requests: {cpu: 1000m}
`))
	drift := runPlugin(t, "drift", "--kserve-version", "0.17.0", "--rules=-KS501,-KS602", "-o", "argocd-cm", service)
	write(t, file, kubectl(t, file, "merge", drift))
	argocd.configMap = file
	checkIgnored := func(fields ...string) {
		t.Helper()
		out := argocd.settings(t, "resource-overrides", "ignore-differences", service)
		for _, field := range fields {
			if !strings.Contains(out, "<     "+field) && !strings.Contains(out, "<           "+field) {
				t.Errorf("%s is not ignored:\n%s", field, out)
			}
		}
	}
	checkIgnored("serving.kserve.io/deploymentMode: RawDeployment", "cpu: 1000m")

	write(t, file, runPlugin(t, "health", "config", "compare", "-o", "argocd-cm", file))
	checkIgnored("serving.kserve.io/deploymentMode: RawDeployment", "cpu: 1000m")
	if out := argocd.settings(t, "validate"); !strings.Contains(out, " resource overrides") {
		t.Error(out)
	}
	out := argocd.settings(t, "resource-overrides", "health", input("InferenceService", "controller-v0.20.0-healthy"))
	if !strings.HasPrefix(out, "STATUS: Healthy\n") {
		t.Error(out)
	}
	runtime := filepath.Join(dir, "runtime.yaml")
	write(t, runtime, []byte("apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: mlserver}\n"))
	out = argocd.settings(t, "resource-overrides", "health", runtime)
	if !strings.HasPrefix(out, "STATUS: Suspended\nMESSAGE: theirs\n") {
		t.Error(out)
	}
	if out := runPlugin(t, "health", "config", "compare", file); len(out) > 0 {
		t.Errorf("merged, and still to change:\n%s", out)
	}
}
