package health

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
)

// rollout judges a Deployment as `kubectl rollout status` does, and a LeaderWorkerSet by the same counts, of groups. ok
// is false if the rollout is complete, which adds nothing to the verdict of the service.
//
// A LeaderWorkerSet reports neither the generation that its controller has seen nor a failure
// (sigs.k8s.io/lws@v0.8.0, leaderworkerset_types.go).
func rollout(workload Object) (verdict Verdict, ok bool) {
	kind := StringAt(workload, "kind")
	name := kind + " " + StringAt(workload, "metadata", "name")
	count := func(path ...string) float64 {
		number, _ := At(workload, path...).(float64)
		return number
	}
	progressing := func(format string, args ...any) (Verdict, bool) {
		return Verdict{Progressing, name + ": " + fmt.Sprintf(format, args...)}, true
	}
	available := count("status", "readyReplicas")
	if kind == "Deployment" {
		if count("metadata", "generation") > count("status", "observedGeneration") {
			return progressing("waiting for the Deployment controller to see the change")
		}
		available = count("status", "availableReplicas")
	}
	if available > 0 && HasPassiveReplicas(workload) {
		return Verdict{}, false
	}
	conditions, _ := At(workload, "status", "conditions").([]any)
	for _, condition := range conditions {
		if StringAt(condition, "type") == "Progressing" && StringAt(condition, "reason") == "ProgressDeadlineExceeded" {
			message := fmt.Sprintf("%s: ProgressDeadlineExceeded: %s", name, StringAt(condition, "message"))
			return Verdict{Degraded, message}, true
		}
	}
	wanted := 1.0 // the default of spec.replicas
	if At(workload, "spec", "replicas") != nil {
		wanted = count("spec", "replicas")
	}
	updated := count("status", "updatedReplicas")
	old := count("status", "replicas") - updated
	switch {
	case updated < wanted:
		return progressing("%v of %v replicas are updated", updated, wanted)
	case old > 0:
		return progressing("%v old replicas are not gone yet", old)
	case available < updated:
		return progressing("%v of %v updated replicas are available", available, updated)
	}
	return Verdict{}, false
}

// replicaFailure says why a Deployment can't make a pod, such as a quota. It is empty for a LeaderWorkerSet, which does
// not say it.
func replicaFailure(workload Object) string {
	conditions, _ := At(workload, "status", "conditions").([]any)
	for _, condition := range conditions {
		if StringAt(condition, "type") == "ReplicaFailure" && StringAt(condition, "status") == "True" {
			return reasonOf(condition).String()
		}
	}
	return ""
}

// HasPassiveReplicas reports whether a workload is the scheduler of an LLMInferenceService. Only one of its replicas
// gets available. KServe replaces all of them at once (scheduler.go@v0.17.0, propagateSchedulerDeploymentStatus).
func HasPassiveReplicas(workload Object) bool {
	component := StringAt(workload, "metadata", "labels", kserve.LLMComponent)
	return component == kserve.LLMSchedulerComponent
}
