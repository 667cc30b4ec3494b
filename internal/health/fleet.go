package health

import (
	"fmt"
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

func keyOf(object Object) key {
	return key{StringAt(object, "kind"), StringAt(object, "metadata", "namespace"), StringAt(object, "metadata", "name")}
}

// Fleet is the state of the objects seen so far.
type Fleet struct {
	ours, bundled Checks
	members       map[key]*member
	first         int // how many objects have been seen for the first time
	checked       int // how often a check has run
}

// member is an object with a check, and its workloads, which may be known before it.
type member struct {
	key
	order     int                // of its first appearance
	object    Object             // nil if only workloads of it are known
	workloads map[string]Verdict // on those whose rollout is not complete
	causes    map[string]string  // why pods do not run, by the pod or the Deployment that can't make one
	verdict   Verdict            // of the check, without the workloads
	current   bool               // whether the verdict is the one on the object
	bundled   Status             // by Argo CD's own check, empty until it has run
}

// NewFleet returns an empty fleet whose results are compared with the given bundled checks.
func NewFleet(bundled Checks) (*Fleet, error) {
	ours, err := Ours()
	if err != nil {
		return nil, err
	}
	return &Fleet{ours: ours, bundled: bundled, members: map[key]*member{}}, nil
}

// Apply records an event. It ignores objects that have no check, except the Deployments, LeaderWorkerSets and pods of a
// service.
func (f *Fleet) Apply(event Event) { f.apply(event) }

// Assess is Apply for objects of which only the results at the time now are wanted. It runs the checks at once and
// forgets the object.
func (f *Fleet) Assess(event Event, now time.Time) {
	if m := f.apply(event); m != nil && len(m.object) > 0 {
		f.compared(f.result(m, now), now)
		m.object, m.current = Object{}, true
	}
}

// apply is Apply. It returns the object whose result may have changed, nil if there is none.
func (f *Fleet) apply(event Event) *member {
	object := event.Object
	if metadata, ok := object["metadata"].(Object); ok {
		delete(metadata, "managedFields") // a third of an object, and of no use to a check
	}
	id := keyOf(object)
	apiGroup, _, _ := strings.Cut(StringAt(object, "apiVersion"), "/")
	if apiGroup == "apps" && id.kind == "Deployment" ||
		apiGroup == "leaderworkerset.x-k8s.io" && id.kind == "LeaderWorkerSet" {
		if owner, ok := ownerOf(object); ok {
			return f.applyWorkload(owner, id.kind+" "+id.name, event)
		}
		return nil
	}
	if StringAt(object, "apiVersion") == "v1" && id.kind == "Pod" {
		if owner, ok := podOwner(object); ok {
			return f.member(owner).because("pod "+id.name, trouble(object), event.Deleted)
		}
		return nil
	}
	if _, known := f.ours[id.kind]; !known || apiGroup != Group {
		return nil
	}
	m := f.member(id)
	m.current, m.bundled = false, ""
	switch {
	case event.Deleted:
		m.object = nil
		return m
	case m.object == nil:
		f.first++
		m.order = f.first
	}
	m.object = object
	return m
}

func (f *Fleet) member(id key) *member {
	m := f.members[id]
	if m == nil {
		m = &member{key: id, workloads: map[string]Verdict{}, causes: map[string]string{}}
		f.members[id] = m
	}
	return m
}

func (f *Fleet) applyWorkload(owner key, name string, event Event) *member {
	m := f.member(owner)
	delete(m.workloads, name)
	if unfinished, ok := rollout(event.Object); ok && !event.Deleted {
		m.workloads[name] = unfinished
	}
	return m.because(name, replicaFailure(event.Object), event.Deleted)
}

// because notes why pods do not run, or that nothing says so any more.
func (m *member) because(name, cause string, gone bool) *member {
	delete(m.causes, name)
	if cause != "" && !gone {
		m.causes[name] = cause
	}
	return m
}

// ownerOf returns the KServe object that a workload belongs to.
func ownerOf(workload Object) (key, bool) {
	namespace := StringAt(workload, "metadata", "namespace")
	references, _ := At(workload, "metadata", "ownerReferences").([]any)
	for _, reference := range references {
		if strings.HasPrefix(StringAt(reference, "apiVersion"), Group+"/") {
			return key{StringAt(reference, "kind"), namespace, StringAt(reference, "name")}, true
		}
	}
	return key{}, false
}

// Results returns the verdicts on all objects at the time now, in the order in which they were first seen.
func (f *Fleet) Results(now time.Time) []Result {
	results := []Result{}
	for _, m := range f.ordered() {
		results = append(results, f.compared(f.result(m, now), now))
	}
	return results
}

// ordered returns the objects in the order in which they were first seen.
func (f *Fleet) ordered() []*member {
	var ordered []*member
	for _, m := range f.members {
		if m.object != nil {
			ordered = append(ordered, m)
		}
	}
	slices.SortFunc(ordered, func(a, b *member) int { return a.order - b.order })
	return ordered
}

// result returns the verdict on an object at the time now. The check runs only if the object has changed since it last
// ran, or if time alone may change its verdict.
func (f *Fleet) result(m *member, now time.Time) Result {
	if !m.current {
		var timed bool
		m.verdict, timed = f.ours[m.kind].assess(m.object, now)
		m.current = !timed
		f.checked++
	}
	verdict := m.verdict
	if verdict.Status == Healthy || verdict.Status == Progressing {
		verdict = m.withRollouts(verdict)
	}
	if names := slices.Sorted(maps.Keys(m.causes)); len(names) > 0 &&
		(verdict.Status == Progressing || verdict.Status == Degraded) {
		verdict.Message += fmt.Sprintf("; %s: %s", names[0], m.causes[names[0]])
	}
	return Result{m.kind, m.namespace, m.name, verdict.Status, verdict.Message, ""}
}

// compared adds the verdict of Argo CD's own check.
func (f *Fleet) compared(result Result, now time.Time) Result {
	m := f.members[key{result.Kind, result.Namespace, result.Name}]
	if check, ok := f.bundled[result.Kind]; ok && m.bundled == "" {
		m.bundled = check.Assess(m.object, now).Status
	}
	result.Bundled = m.bundled
	return result
}

// withRollouts lowers a verdict to the one of the service's workloads. The first failed rollout wins over the first
// unfinished one.
func (m *member) withRollouts(verdict Verdict) Verdict {
	for _, name := range slices.Sorted(maps.Keys(m.workloads)) {
		if unfinished := m.workloads[name]; unfinished.Status == Degraded || verdict.Status == Healthy {
			verdict = unfinished
		}
		if verdict.Status == Degraded {
			break
		}
	}
	return verdict
}
