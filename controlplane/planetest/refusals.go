package planetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

func refused(t *testing.T, release controlplane.Release) {
	for _, tc := range []struct{ name, old, new, refused, failed string }{
		{"by the API server", `metadata: {name: iris}`, `metadata: {name: Iris}`,
			`InferenceService.serving.kserve.io "Iris" is invalid: metadata.name`, ""},
		{"by KServe's webhook", `metadata: {name: iris}`, `metadata: {name: 1ris}`,
			`admission webhook "inferenceservice.kserve-webhook-server.validator" denied the request: `, ""},
		{"by the definition", `predictor:`, "predictor:\n    scaleMetric: luck",
			`InferenceService.serving.kserve.io "iris" is invalid: spec.predictor.scaleMetric: Unsupported value: "luck"`, ""},
		{"metadata of another type", `{name: iris}`, `{name: iris, annotations: {a: 1}}`,
			`InferenceService in version "v1beta1" cannot be handled as a InferenceService: json: cannot unmarshal number`, ""},
		{"what is exported", `{name: iris}`, `{name: iris, resourceVersion: "7"}`,
			"resourceVersion should not be set on objects to be created", ""},
		{"a Deployment", `modelFormat:`, "resources: {requests: {memory: 6Gi}}\n      modelFormat:", "",
			`Deployment.apps "iris-predictor" is invalid: spec.template.spec.containers[0].resources.requests: ` +
				`Invalid value: "6Gi": must be less than or equal to memory limit of 2Gi`},
		{"no runtime", `sklearn}`, `nonsense}`, "", "no runtime found to support predictor"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, state := plan(t, release, controlplane.Request{Mode: "Standard",
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

// The API server lets no patch change the uid.
func otherUID(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true, Previous: manifests(t, iris),
		Objects: manifests(t, strings.Replace(iris, "{name: iris}", "{name: iris, uid: 1-2-3}", 1))})
	want := `"iris" is invalid: metadata.uid: Invalid value: "1-2-3": field is immutable`
	if len(state.Refused) != 1 || !strings.Contains(state.Refused[0].Message, want) {
		t.Errorf("refused: %v, want %s", state.Refused, want)
	}
}

// Objects of the cluster take the place of the release's own.
func cluster(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, iris), Cluster: manifests(t, `
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: kserve-sklearnserver, resourceVersion: "7"}
spec:
  supportedModelFormats: [{name: sklearn, version: "1", autoSelect: true, priority: 1}]
  containers: [{name: kserve-container, image: "registry.invalid/sklearn:7"}]
`)})
	image := at(find(t, state, "Deployment iris-predictor"), "spec", "template", "spec", "containers", 0, "image")
	if image != "registry.invalid/sklearn:7" {
		t.Errorf("image %v", image)
	}
}

// What the release does not take of the cluster has its place in the request.
func clusterRefused(t *testing.T, release controlplane.Release) {
	request := controlplane.Request{Cluster: manifests(t, `
apiVersion: v1
kind: ConfigMap
metadata: {name: fine, namespace: kserve}
---
apiVersion: v1
kind: Service
metadata: {name: big, namespace: kserve}
spec: {ports: [{port: 99999}]}
---
apiVersion: serving.kserve.io/v9
kind: ClusterServingRuntime
metadata: {name: newer}
`)}
	if c := ask(t, release, request).Cluster; len(c) != 2 || c[0].Index != 1 || !strings.Contains(c[0].Message, "must be between 1 and 65535") ||
		c[0].Object != (controlplane.Reference{APIVersion: "v1", Kind: "Service", Namespace: "kserve", Name: "big"}) ||
		c[1].Index != 2 || c[1].Message != `no matches for kind "ClusterServingRuntime" in version "serving.kserve.io/v9", only in `+
		"serving.kserve.io/v1alpha1" {
		t.Errorf("refused: %v", c)
	}
	for data, key := range map[string]string{
		`{ingress: "{", deploy: '{"defaultDeploymentMode": "Serverless"}'}`: "ingress", `{deploy: "null"}`: "deploy",
	} {
		request.Cluster = manifests(t, wrongConfig+data)
		if c := ask(t, release, request).Cluster; len(c) != 1 || c[0].Key != key ||
			!strings.HasPrefix(c[0].Message, "KServe's configuration: ") {
			t.Errorf("%s: refused: %v", data, c)
		}
	}
	if err := controlplane.Configure(manifests(t, wrongConfig+"{deploy: \"null\"}")[0], "deploy", "a", "b"); err == nil {
		t.Error("a part that is null is no error")
	}
}

// wrongConfig is a configuration of KServe without its data.
const wrongConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: inferenceservice-config, namespace: kserve}\ndata: "

func unknown(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Objects: manifests(t, "apiVersion: x.invalid/v1\nkind: X\nmetadata: {name: x}")})
	if !slices.Equal(state.Unknown, []int{0}) {
		t.Errorf("unknown: %v", state.Unknown)
	}
}

func version(t *testing.T, release controlplane.Release) {
	err := controlplane.Run(t.Context(), release, strings.NewReader(`{"version": 99}`), &bytes.Buffer{})
	if want := fmt.Sprint("the request has version 99, this program takes ", controlplane.Version); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// A webhook that panics refuses, as in a cluster; that of pods keeps the Deployment from its pod.
func panics(t *testing.T, release controlplane.Release) {
	webhooks := release.Webhooks
	for path, name := range map[string]string{
		"/mutate-pods": `webhook "inferenceservice.kserve-webhook-server.pod-mutator"`,
		"/validate-serving-kserve-io-v1beta1-inferenceservice": `webhook "inferenceservice.kserve-webhook-server.validator"`,
	} {
		release.Webhooks = func(c *controlplane.Cluster) []controlplane.Webhook {
			return append(webhooks(c), controlplane.Webhook{Path: path, Handler: admission.HandlerFunc(
				func(context.Context, admission.Request) admission.Response { panic("out of luck") },
			)})
		}
		_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, iris)})
		said := fmt.Sprint(state.Refused, state.Errors)
		if !strings.Contains(said, name) || !strings.Contains(said, "panic: out of luck") ||
			len(state.Refused)+len(state.Errors) != 1 {
			t.Errorf("%s: %s", path, said)
		}
	}
}

// A pod that is refused is refused for good, although the message has a name that is made up.
func refusedPod(t *testing.T, release controlplane.Release) {
	webhooks := release.Webhooks
	release.Webhooks = func(c *controlplane.Cluster) []controlplane.Webhook {
		return append(webhooks(c), controlplane.Webhook{Path: "/mutate-pods", Handler: admission.HandlerFunc(
			func(_ context.Context, r admission.Request) admission.Response {
				container := []byte(`"name":"kserve-container"`)
				changed := bytes.ReplaceAll(r.Object.Raw, container, []byte(`"name":"KServe"`))
				return admission.PatchResponseFromRaw(r.Object.Raw, changed)
			},
		)})
	}
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, iris)})
	if len(state.Errors) != 1 || !strings.Contains(state.Errors[0].Message, `is invalid: spec.containers[0].name`) {
		t.Errorf("errors: %v", state.Errors)
	}
	if len(state.Fights) > 0 {
		t.Errorf("never settles: %v", state.Fights)
	}
}

// A Deployment whose pods are refused says why the first one was, also when later ones are refused for another reason.
func refusedTwice(t *testing.T, release controlplane.Release) {
	webhooks := release.Webhooks
	release.Webhooks = func(c *controlplane.Cluster) []controlplane.Webhook {
		return append(webhooks(c), controlplane.Webhook{Path: "/mutate-pods", Handler: admission.HandlerFunc(
			func(_ context.Context, r admission.Request) admission.Response {
				if bytes.Contains(r.Object.Raw, []byte("sklearn/2.0")) {
					return admission.Denied("second reason")
				}
				return admission.Denied("first reason")
			},
		)})
	}
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, iris), Objects: manifests(t, strings.Replace(iris, "1.0", "2.0", 1))})
	deployment := find(t, state, "Deployment iris-predictor")
	if message, _ := at(deployment, "status", "conditions", 1, "message").(string); !strings.Contains(message, "first reason") {
		t.Errorf("the Deployment says %q", message)
	}
	if len(state.Errors) != 1 || !strings.Contains(state.Errors[0].Message, "second reason") {
		t.Errorf("errors: %v", state.Errors)
	}
}
