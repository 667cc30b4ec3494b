package plan

import "slices"

// workloads are the kinds that run pods.
var workloads = []string{"Deployment", "StatefulSet", "LeaderWorkerSet", "Service"}

// isStuck reports whether a service ends without a workload that it should have. A service that shall not run has none.
func isStuck(o Object, n *Node) bool {
	if at(o, "metadata", "deletionTimestamp") != nil {
		return true
	}
	switch n.Kind {
	case "InferenceService", "LLMInferenceService", "InferenceGraph":
	default:
		return false
	}
	if at(o, "metadata", "annotations", "serving.kserve.io/stop") == "true" ||
		at(o, "metadata", "annotations", "serving.kserve.io/deploymentMode") == "ModelMesh" {
		return false
	}
	return !runs(n)
}

func runs(n *Node) bool {
	return slices.ContainsFunc(n.Children, func(child Node) bool {
		here := slices.Contains(workloads, child.Kind) && child.Effect != Deleted &&
			(child.Kind != "Service" || child.APIVersion == "serving.knative.dev/v1")
		return here || runs(&child)
	})
}

// problems returns what the controllers say about a service and what it owns.
func problems(state *State, now *forest, root Reference) []Problem {
	var own []Reference
	var collect func(Reference)
	collect = func(r Reference) {
		own = append(own, r)
		for _, child := range now.children[r] {
			collect(child)
		}
	}
	collect(root)
	has := func(r Reference) bool { return slices.Contains(own, versionless(r)) }
	var found []Problem
	add := func(p Problem) {
		same := func(other Problem) bool { return other.Object == p.Object && other.Message == p.Message }
		if !slices.ContainsFunc(found, same) {
			found = append(found, p)
		}
	}
	for _, e := range state.Errors {
		if has(e.Object) {
			add(Problem{Object: e.Object, By: "controller", Message: e.Message})
		}
	}
	for _, e := range state.Events {
		if has(e.Object) {
			add(Problem{Object: e.Object, By: "event " + e.Reason, Message: e.Message})
		}
	}
	for _, f := range state.Fights {
		if has(f.By) {
			add(Problem{Object: f.Object, By: "never settles",
				Message: "KServe and another writer write " + f.Path + " of " + f.Object.String() + " in turn"})
		}
	}
	return found
}

// conditions returns what the status of a service says is wrong.
func conditions(r Reference, o Object) []Problem {
	var found []Problem
	all, _ := at(o, "status", "conditions").([]any)
	for _, c := range all {
		if message, _ := at(c, "message").(string); message != "" && at(c, "status") != "True" {
			kind, _ := at(c, "type").(string)
			found = append(found, Problem{Object: r, By: "condition " + kind, Message: message})
		}
	}
	if message, _ := at(o, "status", "modelStatus", "lastFailureInfo", "message").(string); message != "" {
		found = append(found, Problem{Object: r, By: "modelStatus", Message: message})
	}
	return found
}
