// Package planetest tests the control plane of a release.
package planetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// InferenceServices tests what every release has.
func InferenceServices(t *testing.T, release controlplane.Release) {
	for name, test := range map[string]func(*testing.T, controlplane.Release){
		"standard": standard, "knative": knative, "knative webhooks": knativeWebhooks, "graph": graph, "change": change,
		"delete": deletion, "refused": refused, "panic": panics, "unready": unready, "cluster": cluster, "unknown": unknown,
		"version": version, "times": times,
		"canary": canary, "cluster refused": clusterRefused, "pruned": pruned, "takeover": takeover, "leftovers": leftovers,
		"pod refused": refusedPod, "pod refused twice": refusedTwice, "uid": otherUID, "abandoned": abandoned,
		"pod refused after a change": refusedChange, "older version": olderVersion, "knative pod": knativePod, "pod of KServe's namespace": excluded,
		"later": later, "deleted again": deletedAgain, "in the cluster": inCluster, "retried": retried, "no bundle": noBundle,
	} {
		t.Run(name, func(t *testing.T) { test(t, release) })
	}
}

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

const chain = `
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata: {name: chain}
spec: {nodes: {root: {routerType: Sequence, steps: [{serviceName: iris}]}}}
---`

const twoNodes = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama, annotations: {serving.kserve.io/autoscalerClass: none}}
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
      storageUri: pvc://models/llama
    workerSpec: {pipelineParallelSize: 2}
`

// ask runs the program's own function, in the namespace default.
func ask(t *testing.T, release controlplane.Release, request controlplane.Request) (answer controlplane.Answer) {
	t.Helper()
	request.Version, request.Namespace = controlplane.Version, "default"
	in, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := controlplane.Run(t.Context(), release, bytes.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// plan asks the program. The states are those of before, nil without a change, and after.
func plan(
	t *testing.T, release controlplane.Release, request controlplane.Request,
) (before *controlplane.State, after controlplane.State) {
	t.Helper()
	answer := ask(t, release, request)
	for _, o := range answer.State.Objects {
		if kind, _ := o["kind"].(string); kind == "" {
			t.Errorf("an object has no kind: %v", o)
		}
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

func standard(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, iris)})
	want := []string{"Deployment iris-predictor", "HorizontalPodAutoscaler iris-predictor", "InferenceService iris",
		"Ingress iris", "Pod iris-predictor", "Service iris-predictor"}
	if got := names(state); !slices.Equal(got, want) {
		t.Errorf("objects %q, want %q", got, want)
	}
	pod := find(t, state, "Pod iris-predictor")
	if name, _ := at(pod, "metadata", "name").(string); !strings.HasPrefix(name, "iris-predictor-") {
		t.Errorf("the pod is called %s, as the template of the Deployment", name)
	}
	if got := at(pod, "spec", "initContainers", 0, "name"); got != "storage-initializer" {
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

// Workers tests which Deployments are there for a predictor on several nodes in the end.
func Workers(t *testing.T, release controlplane.Release, want ...string) {
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, twoNodes)})
	got := slices.DeleteFunc(names(state), func(name string) bool { return !strings.HasPrefix(name, "Deployment ") })
	if !slices.Equal(got, want) || len(state.Refused)+len(state.Errors) > 0 {
		t.Errorf("%q, refused %v, errors %v; want %q", got, state.Refused, state.Errors, want)
	}
}

func knative(t *testing.T, release controlplane.Release) {
	const empty = "---\napiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: empty}\nspec: {}\n"
	_, state := plan(t, release, controlplane.Request{Mode: "Knative", Objects: manifests(t, iris+empty)})
	service := find(t, state, "Service iris-predictor")
	if service["apiVersion"] != "serving.knative.dev/v1" || slices.Contains(names(state), "Deployment iris-predictor") {
		t.Errorf("objects %q", names(state))
	}
	if len(state.Refused) != 1 || !strings.Contains(state.Refused[0].Message, "spec.template.spec.containers") {
		t.Errorf("a Service without a template: %v", state.Refused)
	}
	if !isReady(t, state, "InferenceService iris") || len(state.Errors) > 0 {
		t.Errorf("not ready: %v %v", at(find(t, state, "InferenceService iris"), "status"), state.Errors)
	}
}

// The template of a Knative Service makes a revision, and its traffic does not: the older one keeps its share.
func canary(t *testing.T, release controlplane.Release) {
	changed := strings.Replace(iris, "  predictor:\n", "  predictor:\n    canaryTrafficPercent: 10\n", 1)
	changed = strings.Replace(changed, "1.0", "2.0", 1)
	_, state := plan(t, release, controlplane.Request{Mode: "Knative", Changed: true,
		Previous: manifests(t, iris), Objects: manifests(t, changed)})
	service := find(t, state, "Service iris-predictor")
	first, second := at(service, "spec", "traffic", 0), at(service, "spec", "traffic", 1)
	if at(first, "latestRevision") != true || at(first, "percent") != 10.0 || at(second, "percent") != 90.0 ||
		at(second, "revisionName") != "iris-predictor-00001" {
		t.Errorf("traffic %v", at(service, "spec", "traffic"))
	}
	if newest := at(service, "status", "latestReadyRevisionName"); newest != "iris-predictor-00002" || len(state.Fights) > 0 {
		t.Errorf("revision %v, %v", newest, state.Fights)
	}
}

// A Graph waits for the service that it names. The container of its pod has no name, which Knative gives it.
func graph(t *testing.T, release controlplane.Release) {
	for mode, workload := range map[string]string{"Standard": "Deployment chain", "Knative": "Service chain"} {
		_, state := plan(t, release, controlplane.Request{Mode: mode, Objects: manifests(t, chain+iris)})
		find(t, state, workload)
		if find(t, state, "Pod chain"); len(state.Errors) > 0 {
			t.Errorf("%s: errors %v", mode, state.Errors)
		}
	}
}

func change(t *testing.T, release controlplane.Release) {
	changed := strings.Replace(iris, "1.0", "2.0", 1)
	before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
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
func deletion(t *testing.T, release controlplane.Release) {
	before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, iris), Objects: manifests(t, "")})
	if len(before.Objects) == 0 || len(after.Objects) != 0 {
		t.Errorf("before %q, after %q", names(*before), names(after))
	}
}

const exported = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: iris
  ownerReferences:
  - {apiVersion: %s, kind: %s, name: iris, uid: ae6264a2-0f88-4916-bdb3-4f33d5dd2346}
`

// What somebody has exported has owners that are not there, even if their names are. Of a kind that no cluster has, the
// garbage collector can't tell.
func abandoned(t *testing.T, release controlplane.Release) {
	for owner, stays := range map[[2]string]bool{
		{"serving.kserve.io/v1beta1", "InferenceService"}:             false,
		{"apps/v1", "ReplicaSet"}:                                     false,
		{"serving.kserve.io/v1", "InferenceService"}:                  true,
		{"serving.kserve.io.example.com/v1beta1", "InferenceService"}: true,
	} {
		_, state := plan(t, release, controlplane.Request{Mode: "Standard",
			Objects: manifests(t, fmt.Sprintf(exported, owner[0], owner[1])+"---"+iris)})
		find(t, state, "InferenceService iris")
		if slices.Contains(names(state), "ConfigMap iris") != stays {
			t.Errorf("the ConfigMap of a %s of another cluster stays: %v, want %v", owner, !stays, stays)
		}
	}
}

// What others do can be left out, part by part.
func unready(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, iris),
		Unready: []string{"workloads"}})
	if ready := at(find(t, state, "Pod iris-predictor"), "status", "conditions", 0, "status"); ready != "False" {
		t.Errorf("the pod is ready: %v", ready)
	}
	if isReady(t, state, "InferenceService iris") {
		t.Error("the service is ready without its Deployment")
	}
	_, state = plan(t, release, controlplane.Request{Mode: "Knative", Objects: manifests(t, iris), Unready: []string{"knative"}})
	if got := at(find(t, state, "Service iris-predictor"), "status", "latestReadyRevisionName"); got != nil || isReady(t, state, "InferenceService iris") {
		t.Errorf("ready without Knative; revision %v", got)
	}
	in := strings.NewReader(fmt.Sprintf(`{"version": %d, "unready": ["pods"]}`, controlplane.Version))
	err := controlplane.Run(t.Context(), release, in, &bytes.Buffer{})
	if err == nil || err.Error() != `unready: "pods" is not one of workloads, knative, routes` {
		t.Error(err)
	}
}

// When the program runs makes no difference to the states that it writes.
func times(t *testing.T, release controlplane.Release) {
	for _, mode := range []string{"Standard", "Knative"} {
		_, state := plan(t, release, controlplane.Request{Mode: mode, Objects: manifests(t, iris)})
		if at(find(t, state, "InferenceService iris"), "status", "conditions", 0, "lastTransitionTime") == nil {
			t.Errorf("%s: no lastTransitionTime", mode)
		}
		checkTimes(t, state)
	}
}

// checkTimes checks that every time in a status is that at which the object is created.
func checkTimes(t *testing.T, s controlplane.State) {
	t.Helper()
	for _, o := range s.Objects {
		created := at(o, "metadata", "creationTimestamp")
		for _, found := range timesOf(o["status"]) {
			if found != created {
				t.Errorf("%s %s: the status has %s, not %s", o["kind"], at(o, "metadata", "name"), found, created)
			}
		}
	}
}

// timesOf returns the strings of a value that are times.
func timesOf(value any) []string {
	var found []string
	switch value := value.(type) {
	case map[string]any:
		for _, below := range value {
			found = append(found, timesOf(below)...)
		}
	case []any:
		for _, item := range value {
			found = append(found, timesOf(item)...)
		}
	case string:
		if _, err := time.Parse(time.RFC3339, value); err == nil {
			found = append(found, value)
		}
	}
	return found
}

func isReady(t *testing.T, s controlplane.State, service string) bool {
	t.Helper()
	conditions, _ := at(find(t, s, service), "status", "conditions").([]any)
	return slices.ContainsFunc(conditions, func(c any) bool { return at(c, "type") == "Ready" && at(c, "status") == "True" })
}

// Deletes tests that an object which KServe makes and deletes in turn is a result, also where the service stays as it is:
// here what runs the workers of an InferenceService on several nodes.
func Deletes(t *testing.T, release controlplane.Release) {
	before, state := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, twoNodes), Objects: manifests(t, twoNodes+configMap)})
	worker := controlplane.Fight{
		Object:  controlplane.Reference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "llama-predictor-worker"},
		By:      controlplane.Reference{APIVersion: "serving.kserve.io/v1beta1", Kind: "InferenceService", Namespace: "default", Name: "llama"},
		Deleted: true,
	}
	if !slices.Contains(before.Fights, worker) || !slices.Contains(state.Fights, worker) {
		t.Errorf("fights %v, then %v; objects %q", before.Fights, state.Fights, names(state))
	}
}
