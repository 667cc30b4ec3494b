package health

import "fmt"

// rollout judges a Deployment as `kubectl rollout status` does. ok is false when there is nothing to
// add to the verdict of the service it belongs to, since the rollout is complete.
func rollout(deployment Object) (verdict Verdict, ok bool) {
	name := "Deployment " + stringAt(deployment, "metadata", "name")
	conditions, _ := at(deployment, "status", "conditions").([]any)
	for _, condition := range conditions {
		if stringAt(condition, "type") == "Progressing" && stringAt(condition, "reason") == "ProgressDeadlineExceeded" {
			return Verdict{Degraded, fmt.Sprintf("%s: ProgressDeadlineExceeded: %s", name, stringAt(condition, "message"))}, true
		}
	}
	count := func(path ...string) float64 {
		number, _ := at(deployment, path...).(float64)
		return number
	}
	wanted := 1.0 // what Kubernetes makes of an absent spec.replicas
	if at(deployment, "spec", "replicas") != nil {
		wanted = count("spec", "replicas")
	}
	updated := count("status", "updatedReplicas")
	switch {
	case count("metadata", "generation") > count("status", "observedGeneration"):
		return Verdict{Progressing, name + ": waiting for the Deployment controller to see the change"}, true
	case updated < wanted:
		return Verdict{Progressing, fmt.Sprintf("%s: %v of %v replicas are updated", name, updated, wanted)}, true
	case count("status", "replicas") > updated:
		return Verdict{Progressing, fmt.Sprintf("%s: %v old replicas are not gone yet", name, count("status", "replicas")-updated)}, true
	case count("status", "availableReplicas") < updated:
		return Verdict{Progressing, fmt.Sprintf("%s: %v of %v updated replicas are available", name, count("status", "availableReplicas"), updated)}, true
	}
	return Verdict{}, false
}
