package health

import "fmt"

// rollout judges a Deployment as `kubectl rollout status` does. ok is false if the rollout is complete, which adds
// nothing to the verdict of the service.
func rollout(deployment Object) (verdict Verdict, ok bool) {
	name := "Deployment " + stringAt(deployment, "metadata", "name")
	conditions, _ := At(deployment, "status", "conditions").([]any)
	for _, condition := range conditions {
		if stringAt(condition, "type") == "Progressing" && stringAt(condition, "reason") == "ProgressDeadlineExceeded" {
			message := fmt.Sprintf("%s: ProgressDeadlineExceeded: %s", name, stringAt(condition, "message"))
			return Verdict{Degraded, message}, true
		}
	}
	count := func(path ...string) float64 {
		number, _ := At(deployment, path...).(float64)
		return number
	}
	wanted := 1.0 // the default of spec.replicas
	if At(deployment, "spec", "replicas") != nil {
		wanted = count("spec", "replicas")
	}
	updated, available := count("status", "updatedReplicas"), count("status", "availableReplicas")
	old := count("status", "replicas") - updated
	progressing := func(format string, args ...any) (Verdict, bool) {
		return Verdict{Progressing, name + ": " + fmt.Sprintf(format, args...)}, true
	}
	switch {
	case count("metadata", "generation") > count("status", "observedGeneration"):
		return progressing("waiting for the Deployment controller to see the change")
	case updated < wanted:
		return progressing("%v of %v replicas are updated", updated, wanted)
	case old > 0:
		return progressing("%v old replicas are not gone yet", old)
	case available < updated:
		return progressing("%v of %v updated replicas are available", available, updated)
	}
	return Verdict{}, false
}
