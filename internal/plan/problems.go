package plan

import (
	"slices"
	"strings"
)

// IsWorkload reports whether an object runs pods.
func (r Reference) IsWorkload() bool {
	switch r.Kind {
	case "Deployment", "LeaderWorkerSet":
		return true
	}
	return r.Kind == "Service" && r.APIVersion == "serving.knative.dev/v1"
}

// reports are what the controllers say, by the objects that it is about, without their versions. Fights are by the object
// whose controller writes.
type reports struct {
	state          *State
	errors, events map[Reference][]Event
	fights         map[Reference][]Fight

	told     map[Event]bool     // errors and events that have been told of a service
	disputed map[Reference]bool // objects of the fights that have been
}

func newReports(state *State) *reports {
	r := &reports{
		state: state, errors: map[Reference][]Event{}, events: map[Reference][]Event{}, fights: map[Reference][]Fight{},
		told: map[Event]bool{}, disputed: map[Reference]bool{},
	}
	for _, e := range state.Errors {
		r.errors[e.Object.Groupless()] = append(r.errors[e.Object.Groupless()], e)
	}
	for _, e := range state.Events {
		r.events[e.Object.Groupless()] = append(r.events[e.Object.Groupless()], e)
	}
	for _, f := range state.Fights {
		r.fights[f.By.Groupless()] = append(r.fights[f.By.Groupless()], f)
	}
	return r
}

// isStuck reports whether a service ends without a workload that it should have. A service that shall not run has none.
func (r *reports) isStuck(now *forest, o Object, n *Node) bool {
	switch n.Kind {
	case "InferenceService", "LLMInferenceService", "InferenceGraph":
	default:
		return false
	}
	if at(o, "metadata", "deletionTimestamp") != nil || isStopped(o) ||
		at(o, "metadata", "annotations", "serving.kserve.io/deploymentMode") == "ModelMesh" {
		return false
	}
	lost := slices.ContainsFunc(r.fights[n.Groupless()], func(f Fight) bool { return f.Deleted && f.Object.IsWorkload() })
	podless := slices.ContainsFunc(n.Children, func(child Node) bool {
		return child.IsWorkload() && len(r.errors[child.Groupless()]) > 0 && len(now.children[child.Versionless()]) == 0
	})
	return lost || podless || !runs(n)
}

// isStopped reports whether a service shall not run.
func isStopped(o Object) bool {
	stop, _ := at(o, "metadata", "annotations", "serving.kserve.io/stop").(string)
	return strings.EqualFold(stop, "true")
}

func runs(n *Node) bool {
	return slices.ContainsFunc(n.Children, func(child Node) bool {
		return child.IsWorkload() && child.Effect != Deleted || runs(&child)
	})
}

// tell returns what the controllers say about a service and what it owns, and notes that it is told.
func (r *reports) tell(now *forest, root Reference) []Problem {
	var own []Reference
	var collect func(Reference)
	collect = func(r Reference) {
		if slices.Contains(own, r) {
			return // objects may own each other
		}
		own = append(own, r)
		for _, child := range now.children[r] {
			collect(child)
		}
	}
	collect(root)
	var found []Problem
	add := func(p Problem) {
		known := func(other Problem) bool {
			return other.Object.Groupless() == p.Object.Groupless() && alike(other.Message, p.Message)
		}
		if !slices.ContainsFunc(found, known) {
			found = append(found, p)
		}
	}
	for _, about := range own {
		for _, e := range r.errors[about.Groupless()] {
			r.told[e] = true
			add(Problem{Object: e.Object, By: Controller, Message: e.Message})
		}
	}
	expected := isReady(now.objects[root]) || isStopped(now.objects[root])
	for _, about := range own {
		for _, e := range r.events[about.Groupless()] {
			r.told[e] = true
			if expected && strings.HasSuffix(e.Reason, "NotReady") {
				continue // KServe has reported it on the way, or the stop
			}
			add(Problem{Object: e.Object, By: "event " + e.Reason, Message: e.Message})
		}
	}
	for _, about := range own {
		for _, f := range r.fights[about.Groupless()] {
			r.disputed[f.Object] = true
			add(Problem{Object: f.Object, By: NeverSettles, Message: f.message(r.state.Fights)})
		}
	}
	return found
}

// alike reports whether one of two messages may be that of an error and the other that of its event: they are equal but
// for what comes before.
func alike(a, b string) bool { return strings.HasSuffix(a, b) || strings.HasSuffix(b, a) }

// message says who writes the object: KServe for one of its services, or for several of all that never settle.
func (f Fight) message(all []Fight) string {
	if f.Deleted {
		return "KServe makes and deletes " + f.Object.String() + " in turn"
	}
	var writers []string
	for _, other := range all {
		if other.Object == f.Object {
			writers = append(writers, other.By.String())
		}
	}
	if len(writers) < 2 {
		return "KServe writes " + f.Path + " of " + f.Object.String() + " again and again"
	}
	return "KServe writes " + f.Path + " of " + f.Object.String() + " in turn for " + strings.Join(writers, " and ")
}

// isReady reports whether the status of a service says that it is.
func isReady(o Object) bool {
	all, _ := at(o, "status", "conditions").([]any)
	return slices.ContainsFunc(all, func(c any) bool { return at(c, "type") == "Ready" && at(c, "status") == "True" })
}

// lacksConfig reports whether a service names an LLMInferenceServiceConfig that is not there. From 0.19 on its controller
// leaves everything as it is then, with neither an error nor an event (reconcileBaseRefs in
// pkg/controller/v1alpha2/llmisvc/config_merge.go@v0.19.0 and @v0.20.0).
func lacksConfig(o Object) bool {
	all, _ := at(o, "status", "conditions").([]any)
	return slices.ContainsFunc(all, func(c any) bool {
		return at(c, "type") == "PresetsCombined" && at(c, "reason") == "ConfigNotFound"
	})
}

// conditions returns what the status of a service says is wrong.
func conditions(o Object) []Problem {
	r := referenceOf(o)
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
