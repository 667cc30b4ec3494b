package statuses

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

const nodeGroupManifest = `
apiVersion: serving.kserve.io/v1alpha1
kind: LocalModelNodeGroup
metadata:
  name: gpu
spec:
  storageLimit: 1Ti
  persistentVolumeClaimSpec:
    accessModes: [ReadWriteOnce]
    resources: {requests: {storage: 1Ti}}
  persistentVolumeSpec:
    capacity: {storage: 1Ti}
    local: {path: /models}
    nodeAffinity:
      required:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: example.com/gpu, operator: In, values: ["true"]}
`

const cacheManifest = `
apiVersion: serving.kserve.io/v1alpha1
kind: LocalModelCache
metadata:
  name: iris
spec:
  sourceModelUri: gs://kfserving-examples/models/sklearn/1.0/model
  modelSize: 1Gi
  nodeGroups: [gpu]
`

const namespaceCacheManifest = `
apiVersion: serving.kserve.io/v1alpha1
kind: LocalModelNamespaceCache
metadata:
  name: iris
  namespace: models
spec:
  sourceModelUri: gs://kfserving-examples/models/sklearn/1.0/model
  modelSize: 1Gi
  nodeGroups: [gpu]
`

// node adds a node to the group, or says whether it is ready.
func (p *play) node(name string, ready corev1.ConditionStatus) {
	node := &corev1.Node{}
	if p.Client.Get(p.Context(), types.NamespacedName{Name: name}, node) != nil {
		node.Name, node.Labels = name, map[string]string{"example.com/gpu": "true"}
		p.create(node)
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	p.must(p.Client.Status().Update(p.Context(), node))
}

// download writes what the agent on a node reports of the model.
func (p *play) download(node, state string) {
	key := "iris"
	if p.kind.Kind == "LocalModelNamespaceCache" {
		key = "models/iris"
	}
	local := &unstructured.Unstructured{}
	local.SetGroupVersionKind(p.kind.GroupVersion().WithKind("LocalModelNode"))
	p.must(p.Client.Get(p.Context(), types.NamespacedName{Name: node}, local))
	p.must(unstructured.SetNestedField(local.Object, state, "status", "modelStatus", key))
	p.must(p.Client.Status().Update(p.Context(), local))
}

func withoutVolumes(_ controlplane.Release, config map[string]any) error {
	return controlplane.Configure(config, "localModel", "disableVolumeManagement", true)
}

func init() {
	for _, cache := range []struct{ name, manifest, since string }{
		{"cache", cacheManifest, "0.14.1"}, {"namespace-cache", namespaceCacheManifest, "0.19.0"},
	} {
		scenarios = append(scenarios, scenario{cache.name, cache.manifest, cache.since, withoutVolumes, func(p *play) {
			p.record("created", Progressing, "KServe has not seen the cache yet.")
			p.now("no-group", Progressing, "The group of nodes does not exist.")
			p.apply(nodeGroupManifest)
			p.now("no-nodes", Progressing, "The group has no nodes.")
			p.node("gpu-1", corev1.ConditionFalse)
			p.now("node-not-ready", Progressing, "The only node is not ready.")
			p.node("gpu-1", corev1.ConditionTrue)
			p.node("gpu-2", corev1.ConditionTrue)
			p.now("pending", Progressing, "Two nodes shall download the model.")
			p.download("gpu-1", "ModelDownloading")
			p.now("downloading", Progressing, "The first node downloads the model.")
			p.download("gpu-1", "ModelDownloaded")
			p.download("gpu-2", "ModelDownloadError")
			p.now("failed", Degraded, "The first node has the model, the second one cannot download it.")
			p.download("gpu-2", "ModelDownloaded")
			p.now("downloaded", Healthy, "Both nodes have the model.")
			for i := 3; i < 9; i++ {
				p.node(fmt.Sprintf("gpu-%d", i), corev1.ConditionTrue)
			}
			p.now("more-nodes", Progressing, "The group has grown by six nodes.")
		}})
	}
}
