package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// rollout identifies what KServe made of a service: it changes when pods are replaced.
func rollout(namespace *objects.Namespace, deployment string) string {
	object := namespace.Get(objects.Deployments, deployment)
	return fmt.Sprintf("generation %d, template hashes %v", object.GetGeneration(), templateHashes(namespace))
}

// templateHashes are those of all pod templates that the namespace has seen.
func templateHashes(namespace *objects.Namespace) []string {
	var hashes []string
	for _, set := range namespace.List(objects.ReplicaSets, "") {
		hashes = append(hashes, set.GetLabels()["pod-template-hash"])
	}
	return hashes
}

// awaitRollout waits until nobody has anything left to do for a service that can get ready: all pods are those of the
// Deployment's last generation, every HPA has the replicas that it wants, and KServe has seen all that.
func awaitRollout(namespace *objects.Namespace, service, deployment string) {
	namespace.Eventually("the service has settled", func() error {
		live, owner := namespace.Find(objects.Deployments, deployment), namespace.Find(objects.InferenceServices, service)
		if live == nil || owner == nil {
			return fmt.Errorf("the Deployment or the InferenceService is missing")
		}
		if err := rolledOut(live); err != nil {
			return err
		}
		for _, hpa := range namespace.List(objects.HPAs, "") {
			if err := scaled(&hpa); err != nil {
				return err
			}
		}
		return settled(owner)
	})
}

func rolledOut(deployment *unstructured.Unstructured) error {
	number := func(fields ...string) int64 {
		value, _, _ := unstructured.NestedInt64(deployment.Object, fields...)
		return value
	}
	if seen := number("status", "observedGeneration"); seen != deployment.GetGeneration() {
		return fmt.Errorf("generation %d of the Deployment is %d in its status", deployment.GetGeneration(), seen)
	}
	wanted := number("spec", "replicas")
	for _, field := range []string{"replicas", "updatedReplicas", "availableReplicas"} {
		if has := number("status", field); has != wanted {
			return fmt.Errorf("the Deployment wants %d replicas and has %d %s", wanted, has, field)
		}
	}
	return nil
}

func scaled(hpa *unstructured.Unstructured) error {
	current, _, _ := unstructured.NestedInt64(hpa.Object, "status", "currentReplicas")
	desired, _, _ := unstructured.NestedInt64(hpa.Object, "status", "desiredReplicas")
	if current != desired {
		return fmt.Errorf("HPA %s wants %d replicas and sees %d", hpa.GetName(), desired, current)
	}
	return objects.Condition(hpa, "ScalingActive", "True")
}
