package health

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Result is the health of one object.
type Result struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Status    Status `json:"status"`
	Message   string `json:"message"`
	// Bundled is the verdict of Argo CD's own check, empty if it has none.
	Bundled Status `json:"bundled"`
}

// Ref names the object by kind and qualified name.
func (r Result) Ref() string { return r.Kind + " " + r.QualifiedName() }

// QualifiedName is the name, after the namespace if there is one.
func (r Result) QualifiedName() string { return strings.TrimPrefix(r.Namespace+"/"+r.Name, "/") }

type key struct{ kind, namespace, name string }

// Fleet is the state of the objects seen so far.
type Fleet struct {
	ours, bundled Checks
	order         []key
	objects       map[key]Object
	workloads     map[key]map[string]Object // by owner, then by kind and name
}

// NewFleet returns an empty fleet whose results are compared with the given bundled checks.
func NewFleet(bundled Checks) (*Fleet, error) {
	ours, err := Ours()
	if err != nil {
		return nil, err
	}
	return &Fleet{ours, bundled, nil, map[key]Object{}, map[key]map[string]Object{}}, nil
}

// Apply records an event. It ignores objects that have no check, except the Deployments and LeaderWorkerSets of a
// service.
func (f *Fleet) Apply(event Event) {
	object := event.Object
	kind := stringAt(object, "kind")
	namespace, name := stringAt(object, "metadata", "namespace"), stringAt(object, "metadata", "name")
	apiGroup, _, _ := strings.Cut(stringAt(object, "apiVersion"), "/")
	if apiGroup == "apps" && kind == "Deployment" || apiGroup == "leaderworkerset.x-k8s.io" && kind == "LeaderWorkerSet" {
		if owner, ok := ownerOf(object); ok {
			f.applyWorkload(owner, kind+" "+name, event)
		}
		return
	}
	if _, known := f.ours[kind]; !known || apiGroup != group {
		return
	}
	id := key{kind, namespace, name}
	_, seen := f.objects[id]
	switch {
	case event.Deleted:
		delete(f.objects, id)
		f.order = slices.DeleteFunc(f.order, func(k key) bool { return k == id })
		return
	case !seen:
		f.order = append(f.order, id)
	}
	f.objects[id] = object
}

func (f *Fleet) applyWorkload(owner key, name string, event Event) {
	if event.Deleted {
		delete(f.workloads[owner], name)
		return
	}
	if f.workloads[owner] == nil {
		f.workloads[owner] = map[string]Object{}
	}
	f.workloads[owner][name] = event.Object
}

// ownerOf returns the KServe object that a workload belongs to.
func ownerOf(workload Object) (key, bool) {
	namespace := stringAt(workload, "metadata", "namespace")
	references, _ := At(workload, "metadata", "ownerReferences").([]any)
	for _, reference := range references {
		if strings.HasPrefix(stringAt(reference, "apiVersion"), group+"/") {
			return key{stringAt(reference, "kind"), namespace, stringAt(reference, "name")}, true
		}
	}
	return key{}, false
}

// Results returns the verdicts on all objects at the time now, in the order in which they were first seen.
func (f *Fleet) Results(now time.Time) []Result {
	results := make([]Result, 0, len(f.order))
	for _, id := range f.order {
		object := f.objects[id]
		verdict := f.ours[id.kind].Assess(object, now)
		if verdict.Status == Healthy || verdict.Status == Progressing {
			verdict = f.withRollouts(id, verdict)
		}
		result := Result{id.kind, id.namespace, id.name, verdict.Status, verdict.Message, ""}
		if check, ok := f.bundled[id.kind]; ok {
			result.Bundled = check.Assess(object, now).Status
		}
		results = append(results, result)
	}
	return results
}

// withRollouts lowers a verdict to the one of the service's workloads. The first failed rollout wins over the first
// unfinished one.
func (f *Fleet) withRollouts(id key, verdict Verdict) Verdict {
	workloads := f.workloads[id]
	for _, name := range slices.Sorted(maps.Keys(workloads)) {
		unfinished, ok := rollout(workloads[name])
		if ok && (unfinished.Status == Degraded || verdict.Status == Healthy) {
			verdict = unfinished
		}
		if verdict.Status == Degraded {
			break
		}
	}
	return verdict
}
