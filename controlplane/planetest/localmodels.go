package planetest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// LocalModels tests the releases that have caches of models. KServe makes a volume where a service uses the model, and
// says in the status which services do: it finds them by a field that it indexes. The cluster's configuration turns
// local models on, and has the nodes: one of the group, one that is not ready and one without its label.
func LocalModels(t *testing.T, release controlplane.Release) {
	cluster := append(manifests(t, `
apiVersion: v1
kind: Node
metadata: {name: one, labels: {gpu: a100}}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: broken, labels: {gpu: a100}}
status: {conditions: [{type: Ready, status: "False"}]}
---
apiVersion: v1
kind: Node
metadata: {name: other}
status: {conditions: [{type: Ready, status: "True"}]}
`), configured(t, release, "localModel", "enabled", true))
	service := strings.Replace(iris, "{name: iris}",
		"{name: iris, annotations: {serving.kserve.io/deploymentMode: "+release.Standard+"}}", 1)
	_, state := plan(t, release, controlplane.Request{Cluster: cluster, Objects: manifests(t, `
apiVersion: serving.kserve.io/v1alpha1
kind: LocalModelNodeGroup
metadata: {name: gpu}
spec:
  storageLimit: 1Ti
  persistentVolumeClaimSpec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Ti}}}
  persistentVolumeSpec:
    capacity: {storage: 1Ti}
    accessModes: [ReadWriteOnce]
    local: {path: /models}
    nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: Exists}]}]}}
---
apiVersion: serving.kserve.io/v1alpha1
kind: LocalModelCache
metadata: {name: sklearn}
spec: {sourceModelUri: "gs://kfserving-examples/models/sklearn/1.0/model", modelSize: 1Gi, nodeGroups: [gpu]}
---`+service)})
	user := at(find(t, state, "LocalModelCache sklearn"), "status", "inferenceServices", 0)
	if at(user, "namespace") != "default" || at(user, "name") != "iris" || len(state.Errors) > 0 {
		t.Errorf("the cache has the service %v; errors %v, refused %v", user, state.Errors, state.Refused)
	}
	var nodes []any
	for _, o := range state.Objects {
		if o["kind"] == "LocalModelNode" {
			nodes = append(nodes, at(o, "metadata", "name"), at(o, "spec", "localModels", 0, "modelName"))
		}
	}
	if !reflect.DeepEqual(nodes, []any{"one", "sklearn"}) {
		t.Errorf("nodes that load a model: %v", nodes)
	}
	claim := find(t, state, "PersistentVolumeClaim sklearn-gpu")
	volumes, _ := at(find(t, state, "Pod iris-predictor"), "spec", "volumes").([]any)
	namespace, mounted := at(claim, "metadata", "namespace"), at(volumes, 0, "persistentVolumeClaim", "claimName")
	if namespace != "default" || mounted != "sklearn-gpu" {
		t.Errorf("claim in %v, volumes of the pod %v", namespace, volumes)
	}
}
