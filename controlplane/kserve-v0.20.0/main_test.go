package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

const iris = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris}
spec:
  predictor:
    model:
      modelFormat: {name: sklearn}
      storageUri: gs://kfserving-examples/models/sklearn/1.0/model
`

const llama = `
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: llama}
spec:
  model: {uri: "hf://meta-llama/Llama-3.1-8B-Instruct", name: llama}
  router: {route: {}, gateway: {}, scheduler: {}}
`

// plan runs the program's own function. The states are those of before, nil without a change, and after.
func plan(t *testing.T, request controlplane.Request) (before *controlplane.State, after controlplane.State) {
	t.Helper()
	request.Version, request.Namespace = controlplane.Version, "default"
	in, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := controlplane.Run(t.Context(), release(), bytes.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var answer controlplane.Answer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Previous, answer.State
}

func manifests(t *testing.T, stream string) []map[string]any {
	t.Helper()
	all := []map[string]any{}
	for document := range strings.SplitSeq(stream, "\n---\n") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatal(err)
		}
		if o != nil {
			all = append(all, o)
		}
	}
	return all
}

// names returns kind and name of the objects of a state.
func names(s controlplane.State) []string {
	var all []string
	for _, o := range s.Objects {
		name := at(o, "metadata", "name")
		if prefix, made := at(o, "metadata", "generateName").(string); made {
			name = strings.TrimSuffix(prefix, "-")
		}
		all = append(all, fmt.Sprint(o["kind"], " ", name))
	}
	return all
}

func find(t *testing.T, s controlplane.State, name string) map[string]any {
	t.Helper()
	i := slices.Index(names(s), name)
	if i < 0 {
		t.Fatalf("no %s in %q", name, names(s))
	}
	return s.Objects[i]
}

func at(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			mapping, _ := value.(map[string]any)
			value = mapping[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

func TestStandard(t *testing.T) {
	_, state := plan(t, controlplane.Request{Mode: "Standard", Objects: manifests(t, iris)})
	want := []string{"Deployment iris-predictor", "HorizontalPodAutoscaler iris-predictor", "InferenceService iris",
		"Ingress iris", "Pod iris-predictor", "Service iris-predictor"}
	if got := names(state); !slices.Equal(got, want) {
		t.Errorf("objects %q, want %q", got, want)
	}
	if got := at(find(t, state, "Pod iris-predictor"), "spec", "initContainers", 0, "name"); got != "storage-initializer" {
		t.Errorf("KServe's webhook has not changed the pod: its first container is %v", got)
	}
	deployment := find(t, state, "Deployment iris-predictor")
	if got := at(deployment, "spec", "strategy", "rollingUpdate", "maxSurge"); got != "25%" {
		t.Errorf("no defaults of Kubernetes: maxSurge is %v", got)
	}
	if len(state.Errors)+len(state.Refused)+len(state.Fights) > 0 {
		t.Errorf("%v %v %v", state.Errors, state.Refused, state.Fights)
	}
}

func TestKnative(t *testing.T) {
	_, state := plan(t, controlplane.Request{Mode: "Knative", Objects: manifests(t, iris)})
	service := find(t, state, "Service iris-predictor")
	if service["apiVersion"] != "serving.knative.dev/v1" || slices.Contains(names(state), "Deployment iris-predictor") {
		t.Errorf("objects %q", names(state))
	}
	conditions, _ := at(find(t, state, "InferenceService iris"), "status", "conditions").([]any)
	ready := slices.ContainsFunc(conditions, func(c any) bool { return at(c, "type") == "Ready" && at(c, "status") == "True" })
	if !ready || len(state.Errors) > 0 {
		t.Errorf("not ready: %v %v", conditions, state.Errors)
	}
}

// A Graph waits for the service that it names.
func TestGraph(t *testing.T) {
	_, state := plan(t, controlplane.Request{Mode: "Standard", Objects: manifests(t, `
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {name: chain}
spec: {nodes: {root: {routerType: Sequence, steps: [{serviceName: iris}]}}}
---`+iris)})
	find(t, state, "Deployment chain")
}

func TestLLM(t *testing.T) {
	changed := strings.Replace(llama, "spec:", "spec:\n  labels: {team: a}", 1)
	before, state := plan(t, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, llama), Objects: manifests(t, changed)})
	for _, name := range []string{"Deployment llama-kserve", "Deployment llama-kserve-router-scheduler",
		"HTTPRoute llama-kserve-route", "InferencePool llama-inference-pool"} {
		find(t, *before, name)
	}
	// KServe writes the labels into the selector, which no Deployment lets change.
	if len(state.Errors) != 1 || !strings.Contains(state.Errors[0].Message, "field is immutable") {
		t.Errorf("errors: %v", state.Errors)
	}
}

func TestChange(t *testing.T) {
	changed := strings.Replace(iris, "1.0", "2.0", 1)
	before, after := plan(t, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, iris), Objects: manifests(t, changed)})
	old, now := find(t, *before, "Deployment iris-predictor"), find(t, after, "Deployment iris-predictor")
	if at(old, "metadata", "uid") != at(now, "metadata", "uid") {
		t.Error("the Deployment is replaced")
	}
	if at(old, "metadata", "generation") != 1.0 || at(now, "metadata", "generation") != 2.0 {
		t.Errorf("generations %v and %v", at(old, "metadata", "generation"), at(now, "metadata", "generation"))
	}
	args, _ := at(find(t, after, "Pod iris-predictor"), "spec", "initContainers", 0, "args").([]any)
	if !slices.Contains(args, any("gs://kfserving-examples/models/sklearn/2.0/model")) {
		t.Errorf("the pod is an old one: %v", args)
	}
}

// What the release deletes and collects: the finalizer of the service comes first.
func TestDelete(t *testing.T) {
	before, after := plan(t, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, iris), Objects: manifests(t, "")})
	if len(before.Objects) == 0 || len(after.Objects) != 0 {
		t.Errorf("before %q, after %q", names(*before), names(after))
	}
}

func TestRefused(t *testing.T) {
	for _, tc := range []struct{ name, old, new, refused, failed string }{
		{"by the API server", `metadata: {name: iris}`, `metadata: {name: Iris}`,
			`InferenceService.serving.kserve.io "Iris" is invalid: metadata.name`, ""},
		{"by KServe's webhook", `metadata: {name: iris}`, `metadata: {name: 1ris}`,
			`admission webhook "inferenceservice.kserve-webhook-server.validator" denied the request: the InferenceService "1ris"`,
			""},
		{"by the definition", `predictor:`, "predictor:\n    scaleMetric: luck",
			`InferenceService.serving.kserve.io "iris" is invalid: spec.predictor.scaleMetric: Unsupported value: "luck"`, ""},
		{"a Deployment", `modelFormat:`, "resources: {requests: {memory: 6Gi}}\n      modelFormat:", "",
			`Deployment.apps "iris-predictor" is invalid: spec.template.spec.containers[0].resources.requests: ` +
				`Invalid value: "6Gi": must be less than or equal to memory limit of 2Gi`},
		{"no runtime", `sklearn}`, `nonsense}`, "", "no runtime found to support predictor"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, state := plan(t, controlplane.Request{Mode: "Standard",
				Objects: manifests(t, strings.Replace(iris, tc.old, tc.new, 1))})
			refused, failed := "", ""
			for _, r := range state.Refused {
				refused += r.Message
			}
			for _, e := range state.Errors {
				failed += e.Message
			}
			if (refused == "") != (tc.refused == "") || !strings.Contains(refused, tc.refused) {
				t.Errorf("refused: %q, want %q", refused, tc.refused)
			}
			if (failed == "") != (tc.failed == "") || !strings.Contains(failed, tc.failed) {
				t.Errorf("errors: %q, want %q", failed, tc.failed)
			}
		})
	}
}

// Objects of the cluster take the place of the release's own.
func TestCluster(t *testing.T) {
	_, state := plan(t, controlplane.Request{Mode: "Standard", Objects: manifests(t, iris), Cluster: manifests(t, `
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: kserve-sklearnserver}
spec:
  supportedModelFormats: [{name: sklearn, version: "1", autoSelect: true, priority: 1}]
  containers: [{name: kserve-container, image: "registry.invalid/sklearn:7"}]
`)})
	image := at(find(t, state, "Deployment iris-predictor"), "spec", "template", "spec", "containers", 0, "image")
	if image != "registry.invalid/sklearn:7" {
		t.Errorf("image %v", image)
	}
}

func TestUnknown(t *testing.T) {
	_, state := plan(t, controlplane.Request{Objects: manifests(t, "apiVersion: x.invalid/v1\nkind: X\nmetadata: {name: x}")})
	if !slices.Equal(state.Unknown, []int{0}) {
		t.Errorf("unknown: %v", state.Unknown)
	}
}

func TestVersion(t *testing.T) {
	err := controlplane.Run(t.Context(), release(), strings.NewReader(`{"version": 99}`), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "the request has version 99, this program takes 1") {
		t.Error(err)
	}
}
