package planetest

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// configMap is an object of nobody that KServe knows.
const configMap = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"

// Argo CD prunes neither what KServe has taken over nor what it is told to keep, and all else.
func pruned(t *testing.T, release controlplane.Release) {
	const autoscaler = `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: iris-predictor}
spec: {maxReplicas: 7, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: iris-predictor}}
`
	const deployment = `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: iris-predictor}
spec:
  selector: {matchLabels: {app: isvc.iris-predictor}}
  template: {metadata: {labels: {app: isvc.iris-predictor}}, spec: {containers: [{name: x, image: x}]}}
`
	kept := strings.Replace(configMap, "other", `other, annotations: {argocd.argoproj.io/sync-options: "Replace=true, Prune=false"}`, 1)
	for _, tc := range []struct {
		name, manifest string
		stays          bool
	}{
		{"HorizontalPodAutoscaler iris-predictor", autoscaler, true},
		{"HorizontalPodAutoscaler iris-predictor", strings.Replace(autoscaler, "{maxReplicas: 7", "{minReplicas: 8, maxReplicas: 7", 1), true},
		{"Deployment iris-predictor", deployment, true},
		{"ConfigMap other", configMap, false},
		{"ConfigMap other", kept, true},
	} {
		before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
			Previous: manifests(t, iris+tc.manifest), Objects: manifests(t, iris)})
		was := at(find(t, *before, tc.name), "metadata", "uid")
		if !tc.stays && slices.Contains(names(after), tc.name) {
			t.Errorf("%s is still there: %s", tc.name, tc.manifest)
		}
		if tc.stays && at(find(t, after, tc.name), "metadata", "uid") != was {
			t.Errorf("%s is made again: %s", tc.name, tc.manifest)
		}
	}
}

const sklearnRuntime = `
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: mine}
spec:
  supportedModelFormats: [{name: sklearn, version: "1", autoSelect: true}]
  containers: [{name: kserve-container, image: "registry.invalid/sklearn:1"}]
---`

// A controller tries again what has failed, so a change mends a service that it does not touch, and one that mends nothing
// leaves the error.
func retried(t *testing.T, release controlplane.Release) {
	named := strings.Replace(iris, "modelFormat:", "runtime: mine\n      modelFormat:", 1)
	for objects, ready := range map[string]bool{sklearnRuntime + named: true, named + configMap: false} {
		before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
			Previous: manifests(t, named), Objects: manifests(t, objects)})
		if len(before.Errors) == 0 || isReady(t, after, "InferenceService iris") != ready || (len(after.Errors) == 0) != ready {
			t.Errorf("errors: %v and then %v, ready: %v, want %v", before.Errors, after.Errors, !ready, ready)
		}
	}
}

// Runtimes tests whether a change of a runtime alone restarts the pods of the services that use it: KServe watches
// runtimes since 0.16. It does not look when one comes or goes. What it has not seen it sees later.
func Runtimes(t *testing.T, release controlplane.Release, restarts bool) {
	const first, second = "registry.invalid/sklearn:1", "registry.invalid/sklearn:2"
	named := strings.Replace(iris, "modelFormat:", "runtime: mine\n      modelFormat:", 1)
	changed := strings.Replace(sklearnRuntime, first, second, 1)
	images := map[bool]string{false: first, true: second}
	for name, tc := range map[string]struct{ previous, objects, image, then string }{
		"changed": {sklearnRuntime + named, changed + named, images[restarts], second},
		"comes":   {iris, sklearnRuntime + iris, "kserve/sklearnserver:", first},
		"goes":    {sklearnRuntime + named, named, first, first},
	} {
		answer := ask(t, release, controlplane.Request{Mode: "Standard", Changed: true,
			Previous: manifests(t, tc.previous), Objects: manifests(t, tc.objects)})
		image, then := serverImage(t, answer.State), ""
		if answer.Later != nil {
			then = serverImage(t, *answer.Later)
		}
		if !strings.HasPrefix(image, tc.image) || cmp.Or(then, image) != tc.then {
			t.Errorf("a runtime that %s: image %s, then %q, want %s and %s", name, image, then, tc.image, tc.then)
		}
	}
}

// serverImage is that of the container of iris.
func serverImage(t *testing.T, s controlplane.State) string {
	t.Helper()
	image, _ := at(find(t, s, "Deployment iris-predictor"), "spec", "template", "spec", "containers", 0, "image").(string)
	return image
}

// Schedulers tests that a change of the ConfigMap with the configuration of a scheduler alone changes its Deployment: the
// controllers of LLMInferenceServices watch ConfigMaps since 0.17.
func Schedulers(t *testing.T, release controlplane.Release) {
	const config = `
apiVersion: v1
kind: ConfigMap
metadata: {name: epp, labels: {app.kubernetes.io/part-of: llminferenceservice}}
data: {epp: "one: 1"}
---`
	service := strings.Replace(llama, "scheduler: {}", "scheduler: {config: {ref: {name: epp, key: epp}}}", 1)
	before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, config+service), Objects: manifests(t, strings.Replace(config, "one: 1", "two: 2", 1)+service)})
	if !changes(t, *before, after, "Deployment llama-kserve-router-scheduler") || changes(t, *before, after, "Deployment llama-kserve") {
		t.Errorf("scheduler %v", find(t, after, "Deployment llama-kserve-router-scheduler")["spec"])
	}
}

func changes(t *testing.T, before, after controlplane.State, name string) bool {
	return !reflect.DeepEqual(find(t, before, name)["spec"], find(t, after, name)["spec"])
}
