package planetest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// presets tests that KServe reads the cluster's own configuration when it looks at presets: those that the release
// ships, and those of the cluster, wherever the configuration stands among them.
func presets(t *testing.T, release controlplane.Release) {
	const image = "registry.invalid/initializer:7"
	configuration := configured(t, release, "storageInitializer", "image", image)
	for name, cluster := range map[string][]map[string]any{
		"of the release": {configuration},
		"of the cluster": append(shipped(t, release, "LLMInferenceServiceConfig"), configuration),
	} {
		_, state := plan(t, release, controlplane.Request{Mode: "Standard", Cluster: cluster,
			Objects: manifests(t, llmService(release))})
		deployment := find(t, state, "Deployment llama-kserve")
		if got := at(deployment, "spec", "template", "spec", "initContainers", 0, "image"); got != image {
			t.Errorf("presets %s: image %v", name, got)
		}
	}
	wrong := controlplane.Request{Cluster: manifests(t, wrongConfig+"{deploy: \"null\"}"), Objects: manifests(t, llmService(release))}
	if c := ask(t, release, wrong).Cluster; len(c) != 1 || c[0].Object.Kind != "ConfigMap" {
		t.Errorf("KServe does not take its own presets: refused %v", c)
	}
}

// taken tests that KServe knows of somebody else's Deployment in its way only if its cache has it. From 0.17.0 on, that
// has those with a label of KServe's.
func taken(t *testing.T, release controlplane.Release) {
	unlabelled := "already exists"
	if release.Version == "0.16.0" {
		unlabelled = "not controlled by"
	}
	deployment := `
apiVersion: apps/v1
kind: Deployment
metadata: {name: llama-kserve%s}
spec:
  selector: {matchLabels: {app: mine}}
  template: {metadata: {labels: {app: mine}}, spec: {containers: [{name: mine, image: mine}]}}
---`
	for labels, want := range map[string]string{
		"": unlabelled, ", labels: {app.kubernetes.io/part-of: llminferenceservice}": "not controlled by",
	} {
		_, state := plan(t, release, controlplane.Request{Mode: "Standard",
			Objects: manifests(t, fmt.Sprintf(deployment, labels)+llmService(release))})
		if len(state.Errors) != 1 || !strings.Contains(state.Errors[0].Message, want) {
			t.Errorf("a Deployment%s is in the way: %v, want %q", labels, state.Errors, want)
		}
	}
}

// inUse tests that KServe notices who uses a preset. One that is deleted stays while a service names it.
func inUse(t *testing.T, release controlplane.Release) {
	if release.Version != "0.20.0" {
		t.Skip("the release has no controller of presets")
	}
	preset := `
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: gpu}
spec: {model: {uri: hf://a/b}}
---`
	service := strings.Replace(llmService(release), "spec:", "spec:\n  baseRefs: [{name: gpu}]", 1)
	for after, stays := range map[string]bool{service: true, llmService(release): false, "": false} {
		_, state := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
			Previous: manifests(t, preset+service), Objects: manifests(t, after)})
		if slices.Contains(names(state), "LLMInferenceServiceConfig gpu") != stays {
			t.Errorf("after the change to %q the preset stays: %v, want %v", after, !stays, stays)
		}
	}
	const shipped = "kserve-config-llm-template"
	service = strings.Replace(service, "{name: gpu}", "{name: gpu}, {name: "+shipped+"}", 1)
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, preset+llmService(release)), Objects: manifests(t, preset+service)})
	if slices.Contains(names(state), "LLMInferenceServiceConfig "+shipped) {
		t.Error("a preset of the release is among what KServe makes")
	}
	if users := at(find(t, state, "LLMInferenceServiceConfig gpu"), "status", "referencedBy", 0, "name"); users != "llama" {
		t.Errorf("the preset is used by %v", users)
	}
}

// noBundle tests what KServe says of a ConfigMap that it asks the API server for.
func noBundle(t *testing.T, release controlplane.Release) {
	config := configured(t, release, "storageInitializer", "caBundleConfigMapName", "my-ca")
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Cluster: []map[string]any{config}, Objects: manifests(t, iris)})
	if len(state.Errors) != 1 || !strings.Contains(state.Errors[0].Message, `configmaps "my-ca" not found`) {
		t.Errorf("errors: %v", state.Errors)
	}
}

// configured returns the release's own configuration with another value of a field in one of its parts.
func configured(t *testing.T, release controlplane.Release, part, field string, value any) map[string]any {
	t.Helper()
	for _, o := range shipped(t, release, "ConfigMap") {
		if at(o, "metadata", "name") != "inferenceservice-config" {
			continue
		}
		if err := controlplane.Configure(o, part, field, value); err != nil {
			t.Fatal(err)
		}
		return o
	}
	t.Fatal("the release has no configuration")
	return nil
}

// shipped returns the objects of a kind that the release ships.
func shipped(t *testing.T, release controlplane.Release, kind string) []map[string]any {
	t.Helper()
	data, err := fs.ReadFile(release.Manifests, "manifests/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var all, found []map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o["kind"] == kind {
			found = append(found, o)
		}
	}
	return found
}
