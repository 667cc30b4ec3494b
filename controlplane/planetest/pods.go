package planetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

const (
	uri      = "storageUri: gs://kfserving-examples/models/sklearn/1.0/model"
	noSecret = "storage: {key: none, path: models/iris, parameters: {type: s3}}"
)

// The pod of the template before stays if the API server refuses the one of the new template.
func refusedChange(t *testing.T, release controlplane.Release) {
	changed := strings.Replace(iris, uri, noSecret, 1)
	before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, iris), Objects: manifests(t, changed)})
	was, is := find(t, *before, "Pod iris-predictor"), find(t, after, "Pod iris-predictor")
	if at(was, "metadata", "name") != at(is, "metadata", "name") || len(after.Errors) == 0 {
		t.Errorf("pod %v, then %v; errors %v", at(was, "metadata", "name"), at(is, "metadata", "name"), after.Errors)
	}
	available := at(find(t, after, "Deployment iris-predictor"), "status", "conditions", 0)
	if at(available, "type") != "Available" || at(available, "status") != "True" {
		t.Errorf("the Deployment is not available: %v", available)
	}
}

// People also write the version of HPAs that the API server does not store.
func olderVersion(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, `
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: iris-predictor}
spec: {maxReplicas: 7, targetCPUUtilizationPercentage: 60, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: iris-predictor}}
---`+iris)})
	scaler := find(t, state, "HorizontalPodAutoscaler iris-predictor")
	if len(state.Unknown) > 0 || scaler["apiVersion"] != "autoscaling/v2" ||
		at(scaler, "metadata", "ownerReferences", 0, "kind") != "InferenceService" {
		t.Errorf("unknown %v, HPA %v: KServe takes one with its name", state.Unknown, scaler)
	}
}

// KServe's webhook changes the pods of Knative too, and refuses them.
func knativePod(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Mode: "Knative", Objects: manifests(t, iris)})
	if got := at(find(t, state, "Pod iris-predictor"), "spec", "initContainers", 0, "name"); got != "storage-initializer" {
		t.Errorf("the first container is %v", got)
	}
	_, state = plan(t, release, controlplane.Request{Mode: "Knative",
		Objects: manifests(t, strings.Replace(iris, uri, noSecret, 1))})
	if len(state.Errors) != 1 || state.Errors[0].Object.Kind != "Service" || isReady(t, state, "InferenceService iris") {
		t.Errorf("errors %v", state.Errors)
	}
}

// What Knative fills in is no fault, and what it refuses is one: of some fields the ConfigMap of the cluster decides.
func knativeWebhooks(t *testing.T, release controlplane.Release) {
	const service = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: own}\nspec: {predictor: {%s" +
		"containers: [{name: kserve-container, image: own%s}]}}\n"
	const features = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, namespace: knative-serving}\n" +
		"data: {kubernetes.podspec-nodeselector: %s}\n"
	for name, tc := range map[string]struct{ pod, container, cluster, refused string }{
		"a probe without a handler": {container: ", readinessProbe: {periodSeconds: 5}"},
		"a probe without a port":    {container: ", readinessProbe: {httpGet: {path: /ready, port: 0}}"},
		"port 0": {container: ", ports: [{containerPort: 0}], readinessProbe: {tcpSocket: {port: 0}}, " +
			"livenessProbe: {httpGet: {path: /live, port: 0}}"},
		"two ports": {
			container: ", ports: [{containerPort: 8080, name: http1}, {containerPort: 9000, name: h2c}]",
			refused:   "validation failed: more than one container port is set",
		},
		"a field that most clusters with KServe take": {pod: "nodeSelector: {disk: ssd}, "},
		"a field that this cluster takes":             {pod: "nodeSelector: {disk: ssd}, ", cluster: fmt.Sprintf(features, "enabled")},
		"a field that this cluster refuses": {
			pod: "nodeSelector: {disk: ssd}, ", cluster: fmt.Sprintf(features, "disabled"),
			refused: "validation failed: must not set the field(s): spec.template.spec.nodeSelector",
		},
	} {
		_, state := plan(t, release, controlplane.Request{
			Mode: "Knative", Objects: manifests(t, fmt.Sprintf(service, tc.pod, tc.container)), Cluster: manifests(t, tc.cluster),
		})
		switch made := slices.Contains(names(state), "Pod own-predictor"); {
		case tc.refused == "":
			if len(state.Errors) > 0 || !made || !isReady(t, state, "InferenceService own") {
				t.Errorf("%s: %q, %v", name, names(state), state.Errors)
			}
		case made || len(state.Errors) != 1 || !strings.Contains(state.Errors[0].Message, tc.refused):
			t.Errorf("%s: %q, %v, want %s", name, names(state), state.Errors, tc.refused)
		}
	}
}

// KServe's webhook is not asked about pods in a namespace with its label, as some installations give the namespace kserve.
func excluded(t *testing.T, release controlplane.Release) {
	labelled := manifests(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, labels: {control-plane: a}}\n")
	for namespace, tc := range map[string]struct {
		cluster, manifests []map[string]any
		want               bool
	}{
		"kserve": {want: release.Version >= "0.17"}, "default": {want: true}, "team": {cluster: labelled}, "team ": {manifests: labelled},
	} {
		service := strings.Replace(iris, "{name: iris}", "{name: iris, namespace: "+namespace+"}", 1)
		_, state := plan(t, release, controlplane.Request{Mode: "Standard", Cluster: tc.cluster,
			Objects: append(manifests(t, service), tc.manifests...)})
		if _, loads := at(find(t, state, "Pod iris-predictor"), "spec", "initContainers").([]any); loads != tc.want {
			t.Errorf("in %s a storage-initializer: %t, want %t", namespace, loads, tc.want)
		}
	}
}

// What a manifest has is shown although the cluster has the same.
func inCluster(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{
		Mode: "Standard", Cluster: manifests(t, strings.Replace(iris, "{name: iris}", "{name: iris, namespace: default}", 1)),
		Objects: manifests(t, iris),
	})
	find(t, state, "InferenceService iris")
	find(t, state, "Deployment iris-predictor")
}
