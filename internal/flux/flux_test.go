package flux

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// checks returns what New says about some manifests.
func checks(t *testing.T, manifests, release string, mode kserve.Mode, routes bool) (Checks, error) {
	t.Helper()
	versions, _, err := kserve.ParseVersions(release)
	if err != nil {
		t.Fatal(err)
	}
	result, err := transform.Run(context.Background(), []transform.File{{Path: "app.yaml", Data: []byte(manifests)}},
		Config(versions, mode))
	if err != nil {
		t.Fatal(err)
	}
	return New(result, routes)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestApp holds the output for an app with every kind. The tests in e2e/health/flux give it to Flux.
func TestApp(t *testing.T) {
	for name, routes := range map[string]bool{"app": true, "live": false} {
		found, err := checks(t, read(t, "testdata/"+name+".yaml"), "0.20.0", kserve.Standard, routes)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := found.Write(&b); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		for _, note := range found.Notes {
			got += "# " + note + "\n"
		}
		golden := "testdata/" + name + ".golden.yaml"
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if want := read(t, golden); got != want {
			t.Errorf("%s: got\n%s", golden, got)
		}
	}
}

func TestNamesByRelease(t *testing.T) {
	const named = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris, namespace: models}
spec:
  predictor: {name: blue, model: {}}
  canary: [{predictor: {name: green, model: {}}}]
`
	for release, want := range map[string]string{
		"0.19.0":  "iris-predictor",
		"0.20.0":  "iris-blue-predictor iris-green-predictor",
		"unknown": "set kserve-version",
	} {
		found, err := checks(t, named, release, kserve.Standard, false)
		var names []string
		for _, o := range found.objects {
			names = append(names, o.name)
		}
		if err != nil && strings.HasSuffix(err.Error(), want) {
			continue
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v, %v; want %s", release, names, err, want)
		}
	}
}

// TestDependencies has a case for each kind that decides what is made for a service.
func TestDependencies(t *testing.T) {
	const llm = `apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: qwen, namespace: chat}
spec: {baseRefs: [{name: shared}], model: {uri: "hf://a/b"}}
---
`
	const config = `apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: shared, namespace: NAMESPACE}
spec: SPEC
`
	const service = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris, namespace: models}
spec: {predictor: {model: {}}}
---
`
	const workers = "{parallelism: {data: 2, dataLocal: 1}, worker: {}}"
	for _, c := range []struct{ name, service, dependency, want string }{
		{"a Config", llm, strings.NewReplacer("NAMESPACE", "chat", "SPEC", "{replicas: 2}").Replace(config),
			"LLMInferenceService/qwen Deployment/qwen-kserve"},
		{"a Config with workers", llm, strings.NewReplacer("NAMESPACE", "chat", "SPEC", workers).Replace(config),
			"LLMInferenceService/qwen LeaderWorkerSet/qwen-kserve-mn"},
		{"a Config of KServe's namespace", llm, strings.NewReplacer("NAMESPACE", "kserve", "SPEC", workers).Replace(config),
			"LLMInferenceService/qwen LeaderWorkerSet/qwen-kserve-mn"},
		{"a Config of another namespace", llm, strings.NewReplacer("NAMESPACE", "other", "SPEC", workers).Replace(config),
			"LLMInferenceService/qwen"},
		{"a preset", strings.Replace(llm, "shared", "kserve-config-llm-template", 1), "",
			"LLMInferenceService/qwen Deployment/qwen-kserve"},
		{"a preset with workers", strings.Replace(llm, "shared", "kserve-config-llm-worker-data-parallel", 1), "",
			"LLMInferenceService/qwen"},
		{"a Config of OpenShift AI", strings.Replace(llm, "shared", "v3-4-0-kserve-config-llm-template-amd-rocm", 1), "",
			"LLMInferenceService/qwen Deployment/qwen-kserve"},
		{"one with workers", strings.Replace(llm, "shared", "kserve-config-llm-multi-node-template-nvidia-cuda", 1), "",
			"LLMInferenceService/qwen"},
		{"an HPA", service, "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n" +
			"metadata: {name: a, namespace: models}\n" +
			"spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: iris-predictor}}\n",
			"Deployment/iris-predictor"},
		{"a ScaledObject", service, "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\n" +
			"metadata: {name: a, namespace: models}\nspec: {scaleTargetRef: {name: iris-predictor}}\n",
			"Deployment/iris-predictor"},
		{"an HTTPScaledObject", service, "apiVersion: http.keda.sh/v1alpha1\nkind: HTTPScaledObject\n" +
			"metadata: {name: a, namespace: models}\n" +
			"spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: iris-predictor}}\n",
			"Deployment/iris-predictor"},
	} {
		found, err := checks(t, c.service+c.dependency, "0.20.0", "", false)
		var names []string
		for _, o := range found.objects {
			names = append(names, o.kind+"/"+o.name)
		}
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestWhatIsMissing(t *testing.T) {
	const service = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n" +
		"metadata: {name: iris, namespace: models}\n"
	nowhere := strings.Replace(service, ", namespace: models", "", 1)
	for manifest, want := range map[string]string{
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n": "no object of serving.kserve.io to check",
		service + "spec: {predictor: {}}\n": "InferenceService models/iris: its deployment mode is not known; " +
			"set default-deployment-mode",
		strings.Replace(service, "InferenceService", "InferenceGraph", 1): "set default-deployment-mode",
		nowhere + "spec: {predictor: {workerSpec: {}}}\n": "InferenceService iris: its namespace is not known; " +
			"set namespace",
		service + "spec: {predictor: {containerConcurrency: 1, workerSpec: {}}}\n": "means Knative; " +
			"set default-deployment-mode",
	} {
		if _, err := checks(t, manifest, "unknown", "", false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", manifest, err, want)
		}
	}
}

func TestScalar(t *testing.T) {
	for text, want := range map[string]string{
		"iris-predictor": "iris-predictor", "apps/v1": "apps/v1", "models": "models", "null": `"null"`, "y": `"y"`,
		"123": `"123"`, "1e-3": `"1e-3"`, "a: b": `"a: b"`, "a\nb": `"a\nb"`, "a-": `"a-"`, "": `""`,
	} {
		if got := scalar(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
