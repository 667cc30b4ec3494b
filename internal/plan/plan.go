// Package plan says what KServe makes of manifests and of a change of them. A program with KServe's own code, which
// this package starts, makes the objects; the package compares and shows them.
package plan

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Effect is what a change does to an object.
type Effect string

// The effects. An object has none where there is no change to compare with.
const (
	Made      Effect = "made"
	Changed   Effect = "changed"
	Replaced  Effect = "replaced"
	Deleted   Effect = "deleted"
	Unchanged Effect = "unchanged"
)

// Plan is what KServe makes of manifests.
type Plan struct {
	Release  string    `json:"release"`
	For      string    `json:"for,omitempty"` // the release that is meant, if the program is of another one
	Services []Service `json:"services"`
	Refused  []Problem `json:"refused,omitempty"`
	Compared bool      `json:"compared"` // whether there is a change
	// Warnings are the controllers' about what belongs to no service.
	Warnings []Problem `json:"warnings,omitempty"`
	// Later are the services that change when KServe looks at them again, compared with Services. What goes wrong with
	// them in either is only there.
	Later []Service `json:"later,omitempty"`

	made []Object // all objects, for the output yaml
}

// Service is an object of KServe and what it makes.
type Service struct {
	Node
	Place    string    `json:"place,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// Stuck reports whether the service ends without its workload.
	Stuck bool `json:"stuck,omitempty"`
}

// Node is an object in the tree of a service.
type Node struct {
	Reference
	Effect   Effect   `json:"effect,omitempty"`
	Facts    []string `json:"facts,omitempty"`
	Diff     string   `json:"diff,omitempty"`     // unified, of the object as YAML
	Restarts []string `json:"restarts,omitempty"` // the fields because of which its pods restart
	Children []Node   `json:"children,omitempty"`
}

// Problem is what goes wrong with an object, in the words of who says so.
type Problem struct {
	Object  Reference `json:"object"`
	Place   string    `json:"place,omitempty"`
	Verdict Verdict   `json:"verdict,omitempty"` // of what is refused in a plan, and of no other
	By      string    `json:"by"`                // one of these, or "modelStatus", or "event" or "condition" with a name
	Message string    `json:"message"`
}

// Verdict is what becomes of an object that is not as its manifest has it.
type Verdict string

// The verdicts.
const (
	IsRefused      Verdict = "is refused"
	IsNotDeleted   Verdict = "is not deleted"
	IsDeletedAgain Verdict = "is deleted again"
	DoesNotWork    Verdict = "does not work"
)

// IsFailure reports whether a controller ends with an error, never comes to an end, or waits for a configuration that is
// missing.
func (p Problem) IsFailure() bool {
	return p.By == Controller || p.By == NeverSettles || p.By == presets
}

// Who says what goes wrong.
const (
	apiServer    = "API server"
	collector    = "garbage collector"
	finalizer    = "finalizer"
	Controller   = "controller"
	NeverSettles = "never settles"
	presets      = "condition PresetsCombined"
)

// What is said of an object that KServe deletes, and how that begins which is said of one on which its controller fails.
const (
	deletes      = "KServe's own controller deletes it"
	deletesLater = "KServe's own controller deletes it at its next look"
	collects     = "the objects that own it are not there: take out metadata.ownerReferences"
	Fails        = "its controller fails: "
)

// New compares the states of an answer. The manifests are those of the request, in order, and the namespace is its own.
func New(answer *Answer, previous, manifests []Manifest, namespace string) *Plan {
	state := &answer.State
	p := &Plan{Release: answer.Release, Compared: answer.Previous != nil, made: state.Objects}
	index := NewIndex(slices.Concat(manifests, previous), namespace)
	before, now := newForest(cmp.Or(answer.Previous, &State{})), newForest(state)
	p.judge(state, now, index)
	reports := newReports(state)
	p.Services = p.services(before, now, reports, index)
	p.tellRest(reports, now, index)
	if answer.Later != nil {
		then := newForest(answer.Later)
		p.Later = p.changed(p.services(now, then, newReports(answer.Later), index))
		for _, g := range answer.Later.Gone {
			if now.has(g.Object) {
				p.refuse(index, g.Object, IsDeletedAgain, Controller, deletesLater)
			}
		}
	}
	return p
}

// refuse adds an object that is not as its manifest has it.
func (p *Plan) refuse(index Index, r Reference, verdict Verdict, by, message string) {
	p.Refused = append(p.Refused, Problem{r, index.Place(r), verdict, by, message})
}

// judge adds what is not accepted, deleted again, or not deleted.
func (p *Plan) judge(state *State, now *forest, index Index) {
	for _, r := range state.Refused {
		message := r.Message
		if r.Deleted {
			message = "the deletion is refused: " + message
		}
		p.refuse(index, r.Object, IsRefused, apiServer, message)
	}
	for _, g := range state.Gone {
		if g.Collected {
			p.refuse(index, g.Object, IsDeletedAgain, collector, collects)
		} else {
			p.refuse(index, g.Object, IsDeletedAgain, Controller, deletes)
		}
	}
	for _, r := range now.order {
		o := now.objects[r]
		if at(o, "metadata", "deletionTimestamp") != nil {
			waits := list("the deletion waits for the finalizer", at(o, "metadata", "finalizers"))
			p.refuse(index, referenceOf(o), IsNotDeleted, finalizer, strings.Join(waits, ""))
		}
	}
}

// tellRest adds what the controllers say that has not been told: it is about objects that belong to no service.
func (p *Plan) tellRest(reports *reports, now *forest, index Index) {
	state := reports.state
	for _, e := range state.Errors {
		if !reports.told[e] {
			p.refuse(index, e.Object, DoesNotWork, Controller, Fails+e.Message)
		}
	}
	for _, f := range state.Fights {
		if !reports.disputed[f.Object] {
			p.refuse(index, f.Object, DoesNotWork, Controller, NeverSettles+": "+f.message(state.Fights))
		}
	}
	for _, e := range state.Events {
		of := func(err Event) bool {
			return err.Object.Groupless() == e.Object.Groupless() && alike(err.Message, e.Message)
		}
		if !reports.told[e] && !slices.ContainsFunc(state.Errors, of) {
			about := now.withGroup(e.Object)
			p.Warnings = append(p.Warnings, Problem{
				Object: about, Place: index.Place(about), By: "event " + e.Reason, Message: e.Message,
			})
		}
	}
}

// services returns those of two states, with the reports about them in the second.
func (p *Plan) services(before, now *forest, reports *reports, index Index) []Service {
	all := []Service{}
	for _, root := range roots(before, now) {
		service := Service{Node: p.node(before, now, root, nil), Place: index.Place(root)}
		service.Problems = reports.tell(now, root)
		if o := now.objects[root]; o != nil {
			service.Stuck = reports.isStuck(now, o, &service.Node)
			if service.Stuck && len(service.Problems) == 0 || lacksConfig(o) {
				service.Problems = append(service.Problems, conditions(o)...)
			}
		}
		all = append(all, service)
	}
	return all
}

// changed returns the services that are not as in the plan, with what is not said of them there.
func (p *Plan) changed(later []Service) (all []Service) {
	was := map[Reference]Service{}
	for _, s := range p.Services {
		was[s.Reference] = s
	}
	for _, s := range later {
		old := was[s.Reference]
		s.Stuck = s.Stuck && !old.Stuck
		s.Problems = without(s.Problems, old.Problems)
		if s.differs() {
			all = append(all, s)
		}
	}
	return all
}

// Add adds what another run for the same release made, without what both made.
func (p *Plan) Add(other *Plan) {
	p.Services, p.Later = union(p.Services, other.Services), union(p.Later, other.Later)
	p.Refused = append(p.Refused, without(other.Refused, p.Refused)...)
	p.Warnings = append(p.Warnings, without(other.Warnings, p.Warnings)...)
	printed := map[string]bool{}
	for _, o := range p.made {
		printed[text(Plain(o))] = true
	}
	for _, o := range other.made {
		if !printed[text(Plain(o))] {
			p.made = append(p.made, o)
		}
	}
}

// union returns the services of two runs, in order.
func union(a, b []Service) []Service {
	had := map[Reference][]Service{}
	for _, s := range a {
		had[s.Reference] = append(had[s.Reference], s)
	}
	for _, s := range b {
		if !slices.ContainsFunc(had[s.Reference], func(old Service) bool { return reflect.DeepEqual(old, s) }) {
			had[s.Reference] = append(had[s.Reference], s)
			a = append(a, s)
		}
	}
	slices.SortStableFunc(a, func(a, b Service) int { return compare(a.Reference, b.Reference) })
	return a
}

// without returns the problems that the others do not have.
func without(problems, others []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return slices.Contains(others, p) })
}

// Failed counts what is refused, the services that end without their workload, and those on which KServe fails, now or
// when it looks at them again.
func (p *Plan) Failed() int {
	n := len(p.Refused)
	for _, s := range slices.Concat(p.Services, p.Later) {
		if s.breaks() {
			n++
		}
	}
	return n
}

// breaks reports whether a service ends without its workload, or KServe fails on it.
func (s *Service) breaks() bool { return s.Stuck || s.fails() }

// fails reports whether a controller fails on the service, be there a workload or not: what it still has to do is not done.
func (s *Service) fails() bool {
	return slices.ContainsFunc(s.Problems, Problem.IsFailure)
}

// Versionless returns a reference with the group and a slash in place of the version: an object is the same in all
// versions of its group.
func (r Reference) Versionless() Reference {
	group, _, grouped := strings.Cut(r.APIVersion, "/")
	r.APIVersion = ""
	if grouped {
		r.APIVersion = group + "/"
	}
	return r
}

// group is that of KServe's kinds.
const group = "serving.kserve.io/"

// services are the kinds that make others.
var services = []string{
	"InferenceService", "LLMInferenceService", "InferenceGraph", "TrainedModel", "LocalModelCache", "LocalModelNamespaceCache",
}

func isService(o Object) bool {
	version, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	return strings.HasPrefix(version, group) && slices.Contains(services, kind)
}

// roots returns the services of both states, in order.
func roots(before, now *forest) []Reference {
	all := map[Reference]bool{}
	for _, f := range []*forest{before, now} {
		for _, r := range f.order {
			if isService(f.objects[r]) {
				all[r] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), compare)
}

func compare(a, b Reference) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.APIVersion, b.APIVersion))
}

// node returns an object with what it owns in either state, but for what it is below: objects may own each other.
func (p *Plan) node(before, now *forest, r Reference, above []Reference) Node {
	old, is := before.objects[r], now.objects[r]
	f, shown := now, is
	if shown == nil {
		f, shown = before, old
	}
	n := Node{Reference: referenceOf(shown), Facts: facts(f, shown)}
	if p.Compared {
		n.Effect, n.Diff, n.Restarts = change(old, is)
	}
	below := slices.Clone(before.children[r])
	for _, child := range now.children[r] {
		if !slices.Contains(below, child) {
			below = append(below, child)
		}
	}
	slices.SortFunc(below, compare)
	above = append(slices.Clip(above), r)
	for _, child := range below {
		if child.Kind != "Pod" && !slices.Contains(above, child) {
			n.Children = append(n.Children, p.node(before, now, child, above))
		}
	}
	return n
}
