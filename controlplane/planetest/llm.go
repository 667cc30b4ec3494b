package planetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

const llama = `
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: llama}
spec:
  model: {uri: "hf://meta-llama/Llama-3.1-8B-Instruct", name: llama}
  router: {route: {}, gateway: {}, scheduler: {}}
`

// LLMInferenceServices tests the releases that have them.
func LLMInferenceServices(t *testing.T, release controlplane.Release) {
	t.Run("presets", func(t *testing.T) { presets(t, release) })
	t.Run("taken", func(t *testing.T) { taken(t, release) })
	t.Run("granted", func(t *testing.T) { granted(t, release) })
	t.Run("gateways", func(t *testing.T) { givenGateways(t, release) })
	t.Run("routes", func(t *testing.T) { givenRoutes(t, release) })
	t.Run("presets of another release", func(t *testing.T) { otherPresets(t, release) })
	t.Run("preset in use", func(t *testing.T) { inUse(t, release) })
	t.Run("no replicas", func(t *testing.T) { noReplicas(t, release) })
	t.Run("unready", func(t *testing.T) { unreadyLLM(t, release) })
	service := llmService(release)
	changed := strings.Replace(service, "spec:", "spec:\n  labels: {team: a}", 1)
	before, state := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, service), Objects: manifests(t, changed)})
	for _, name := range []string{"Deployment llama-kserve", "Deployment llama-kserve-router-scheduler",
		"HTTPRoute llama-kserve-route", "InferencePool llama-inference-pool"} {
		find(t, *before, name)
	}
	checkTimes(t, *before)
	// No object in a namespace can own one in none.
	role, by := "ClusterRoleBinding default-llama-epp-auth-rb", "LLMInferenceService llama"
	if !slices.ContainsFunc(before.Unowned, func(u controlplane.Unowned) bool {
		return u.Object.Kind+" "+u.Object.Name == role && u.By.Kind+" "+u.By.Name == by
	}) {
		t.Errorf("%s is not among what was made without an owner: %v", role, before.Unowned)
	}
	// 0.20.0 sets the variables if the namespace has its ServiceAccount, which is nothing that it makes.
	variables := at(find(t, *before, "Deployment llama-kserve"), "spec", "template", "spec", "initContainers", 0, "env")
	if release.Version == "0.20.0" && variables == nil {
		t.Error("the storage initializer has no variables: KServe has found no ServiceAccount")
	}
	if slices.Contains(names(*before), "ServiceAccount default") {
		t.Error("the ServiceAccount of the namespace is among what KServe makes")
	}
	secret := find(t, *before, "Secret llama-kserve-self-signed-certs")
	if at(secret, "metadata", "labels") == nil {
		t.Error("the Secret with the certificate is not KServe's")
	}
	if key, _ := at(secret, "data", "tls.key").(string); len(key) > 500 {
		t.Error("KServe has made a key of its own, which takes a second")
	}
	// KServe writes the labels into the selector, which no Deployment lets change. Those of 0.16.0 have none.
	errors := []string{"field is immutable"}
	if release.Version == "0.16.0" {
		errors = nil
	}
	if !slices.EqualFunc(state.Errors, errors, func(e controlplane.Event, want string) bool {
		return strings.Contains(e.Message, want)
	}) {
		t.Errorf("errors: %v", state.Errors)
	}
}

// llmService is one in the newest version that the release has.
func llmService(release controlplane.Release) string {
	if release.Version == "0.16.0" {
		return strings.Replace(llama, "v1alpha2", "v1alpha1", 1)
	}
	return llama
}

// otherPresets tests that a service gets the image of this release's preset in the place of another one's, of the same name.
func otherPresets(t *testing.T, release controlplane.Release) {
	const image, old = "image", "registry.example.com/vllm:of-another-release"
	request := controlplane.Request{Mode: "Standard", Changed: true, Previous: manifests(t, llmService(release)),
		Objects: manifests(t, llmService(release))}
	_, left := plan(t, release, request)
	container := func(objects []map[string]any, name string) map[string]any {
		workload := find(t, controlplane.State{Objects: objects}, name)
		return at(workload, "spec", "template", "spec", "containers", 0).(map[string]any)
	}
	made := container(left.Objects, "Deployment llama-kserve")
	want := made[image]
	made[image], request.Stored = old, left.Objects
	for _, preset := range shipped(t, release, "LLMInferenceServiceConfig") {
		if containers, found := at(preset, "spec", "template", "containers").([]any); found {
			containers[0].(map[string]any)[image] = old
		}
		request.Stored = append(request.Stored, preset)
	}
	now := ask(t, release, request)
	if got := container(now.Stored, "Deployment llama-kserve")[image]; got != old {
		t.Errorf("before anything happens the image is %v", got)
	}
	if got := container(now.Previous.Objects, "Deployment llama-kserve")[image]; want == old || got != want {
		t.Errorf("the image is %v, not %v", got, want)
	}
}

// granted tests that a ServiceAccount that is not in the manifests is somebody else's, unless the change takes it away.
func granted(t *testing.T, release controlplane.Release) {
	account := "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: team}\n---"
	service := strings.Replace(llmService(release), "spec:",
		"spec:\n  template: {serviceAccountName: team}\n  router: {scheduler: {template: {serviceAccountName: team}}}", 1)
	changed := strings.Replace(service, "8B", "70B", 1) // KServe does not watch ServiceAccounts
	before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, account+service), Objects: manifests(t, changed)})
	_, alone := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, service)})
	for name, tc := range map[string]struct {
		state        controlplane.State
		shown, fails bool
	}{"in the manifests": {*before, true, false}, "taken away": {after, false, true}, "elsewhere": {alone, false, false}} {
		if slices.Contains(names(tc.state), "ServiceAccount team") != tc.shown || (len(tc.state.Errors) > 0) != tc.fails {
			t.Errorf("a ServiceAccount %s is shown: %v, errors: %v", name, !tc.shown, tc.state.Errors)
		}
	}
}

// givenGateways tests that the Gateways that KServe's configuration and services name are in the cluster, beside those of it,
// whose classes are there too.
func givenGateways(t *testing.T, release controlplane.Release) {
	const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: mine, namespace: other}
spec: {gatewayClassName: envoy, listeners: [{name: http, port: 80, protocol: HTTP}]}
`
	const config = `
apiVersion: v1
kind: ConfigMap
metadata: {name: inferenceservice-config, namespace: kserve}
data:
  ingress: '{"ingressGateway": "a/b", "ingressService": "c", "enableGatewayApi": true, "kserveIngressGateway": "infra/shared"}'
  deploy: '{"defaultDeploymentMode": "Standard"}'
  storageInitializer: '{"image": "x", "memoryRequest": "1Mi", "memoryLimit": "1Mi", "cpuRequest": "1m", "cpuLimit": "1m"}'
`
	service := llmService(release)
	named := strings.Replace(service, "gateway: {}", "gateway: {refs: [{name: mine, namespace: other}]}", 1)
	for name, tc := range map[string]struct{ cluster, objects string }{
		"of the configuration":        {config, service},
		"that a service names":        {"", named},
		"of the cluster":              {gateway, named},
		"of the cluster, for another": {gateway, service},
		"in the manifests":            {"", gateway + "---" + named},
	} {
		_, state := plan(t, release, controlplane.Request{Mode: "Standard", Cluster: manifests(t, tc.cluster),
			Objects: manifests(t, tc.objects)})
		if find(t, state, "HTTPRoute llama-kserve-route"); len(state.Errors) > 0 {
			t.Errorf("a Gateway %s: %v", name, state.Errors)
		}
		if shown := slices.Contains(names(state), "Gateway mine"); shown != strings.Contains(tc.objects, "kind: Gateway") {
			t.Errorf("a Gateway %s is shown: %t", name, shown)
		}
	}
}

// givenRoutes tests that the HTTPRoutes and the InferencePool that a service names are in the cluster.
func givenRoutes(t *testing.T, release controlplane.Release) {
	named := strings.NewReplacer(
		"gateway: {}", "gateway: {refs: [{name: mine, namespace: other}]}",
		"route: {}", "route: {http: {refs: [{name: ours}]}}",
		"scheduler: {}", "scheduler: {pool: {ref: {name: theirs}}}",
	).Replace(llmService(release))
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Objects: manifests(t, named)})
	if len(state.Errors) > 0 {
		t.Errorf("%v", state.Errors)
	}
	for _, name := range []string{"HTTPRoute ours", "InferencePool theirs", "Gateway mine"} {
		if slices.Contains(names(state), name) {
			t.Errorf("%s is shown", name)
		}
	}
	if !isReady(t, state, "LLMInferenceService llama") {
		t.Errorf("the service is not ready: %v", at(find(t, state, "LLMInferenceService llama"), "status", "conditions"))
	}
}

// A Deployment without replicas has no pod.
func noReplicas(t *testing.T, release controlplane.Release) {
	none := strings.Replace(llmService(release), "spec:", "spec:\n  replicas: 0", 1)
	before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, llmService(release)), Objects: manifests(t, none)})
	find(t, *before, "Pod llama-kserve")
	if replicas := at(find(t, after, "Deployment llama-kserve"), "spec", "replicas"); replicas != 0.0 {
		t.Fatalf("%v replicas", replicas)
	}
	for _, name := range names(after) {
		if name == "Pod llama-kserve" {
			t.Error("a pod without replicas")
		}
	}
}

// A pod that is not ready has an address, so KServe's certificate is for all that it has to be for.
func unreadyLLM(t *testing.T, release controlplane.Release) {
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Unready: []string{"workloads"},
		Objects: manifests(t, llmService(release))})
	if len(state.Fights)+len(state.Errors) > 0 {
		t.Errorf("fights %v, errors %v", state.Fights, state.Errors)
	}
}
