package plan

import (
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/standin"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// installCollectors installs the kind of OpenTelemetry's operator, which KServe has looked for since 0.15 when it
// starts.
func installCollectors(t *testing.T, c *controlplane.Cluster, version string) {
	t.Helper()
	if !(kserve.Window{From: "v0.15.0"}).Has(version) {
		return
	}
	source, err := toolchain.KServeManager(version).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects.Read(t, filepath.Join(source, "test", "crds", "opentelemetry-operator.yaml")) {
		if object.GetKind() == "CustomResourceDefinition" {
			unstructured.RemoveNestedField(object.Object, "spec", "conversion") // by the operator, which does not run
			c.Namespace(t, "kserve").ApplyObjects(object)
		}
	}
}

// installStorageContainer installs what KServe ships beside its controllers and runtimes.
func installStorageContainer(t *testing.T, c *controlplane.Cluster, version string) {
	t.Helper()
	source, err := toolchain.KServeManager(version).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := objects.Kustomize(filepath.Join(source, "config", "storagecontainers"))
	if err != nil {
		t.Fatal(err)
	}
	c.In(t, "kserve").ApplyObjects(shipped...)
}

// startOthers starts what takes the place of a kubelet and of the LeaderWorkerSet controller: all pods run.
func startOthers(t *testing.T, c *controlplane.Cluster, version string) {
	t.Helper()
	standin.Controller{Name: "a kubelet", Status: runningPod}.Start(t, c.Client, objects.Pods)
	if kserve.HasLLMInferenceServices(version) {
		standin.Controller{Name: "the LeaderWorkerSet controller", Status: runningSet}.
			Start(t, c.Client, objects.LeaderWorkerSets)
	}
}

const podAddress = "10.244.0.1"

func runningPod(_ schema.GroupVersionResource, o *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"phase": "Running", "podIP": podAddress, "podIPs": []any{map[string]any{"ip": podAddress}},
		"conditions": []any{condition(o, "Ready")},
	}
}

func runningSet(_ schema.GroupVersionResource, o *unstructured.Unstructured) map[string]any {
	replicas, found, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !found {
		replicas = 1
	}
	return map[string]any{
		"replicas": replicas, "readyReplicas": replicas, "updatedReplicas": replicas,
		"conditions": []any{condition(o, "Available")},
	}
}

func condition(o *unstructured.Unstructured, kind string) map[string]any {
	return map[string]any{"type": kind, "status": "True", "reason": kind, "message": "",
		"lastTransitionTime": o.GetCreationTimestamp().UTC().Format(time.RFC3339)}
}
