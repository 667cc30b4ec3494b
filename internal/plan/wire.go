package plan

import (
	"errors"
	"fmt"
	"slices"
)

// wireVersion is that of what a program of a release reads and writes.
const wireVersion = 3

// Unready are the values of the field of [Request].
var Unready = []string{"workloads", "knative", "routes"}

// Object is an object of Kubernetes, as JSON decodes it.
type Object = map[string]any

// Request is what a program of a release reads. The package controlplane has the same, with the meaning of each field.
type Request struct {
	Version   int      `json:"version"`
	Mode      string   `json:"mode,omitempty"`
	Namespace string   `json:"namespace"`
	Unready   []string `json:"unready,omitempty"`
	Cluster   []Object `json:"cluster,omitempty"`
	Previous  []Object `json:"previous,omitempty"`
	Changed   bool     `json:"changed,omitempty"`
	Stored    []Object `json:"stored"` // nil unless another release has left it
	Objects   []Object `json:"objects"`
}

// Answer is what it writes.
type Answer struct {
	Version  int      `json:"version"`
	Release  string   `json:"release"`
	Stored   []Object `json:"stored,omitempty"`
	Previous *State   `json:"previous,omitempty"`
	State    State    `json:"state"`
	Later    *State   `json:"later,omitempty"`
	// Cluster are the objects of the request's cluster that are not accepted. The states are empty then.
	Cluster []Refusal `json:"cluster,omitempty"`
}

// fault returns what an answer to a request lacks or cannot mean.
func (a *Answer) fault(request Request) error {
	for _, r := range a.Cluster {
		if r.Index < 0 || r.Index >= len(request.Cluster) {
			return errors.New("its answer names an object of the cluster that is not there")
		}
	}
	for _, i := range a.State.Unknown {
		if i < 0 || i >= len(request.Objects) {
			return errors.New("its answer names an object that is not there")
		}
	}
	switch {
	case len(a.Cluster) > 0:
	case a.State.Objects == nil:
		return errors.New("its answer has no state")
	case request.Changed && a.Previous == nil:
		return errors.New("its answer has no state before the change")
	}
	for _, state := range []*State{{Objects: a.Stored}, a.Previous, &a.State, a.Later} {
		if state != nil && state.hasNameless() {
			return errors.New("its answer has something without a kind or a name")
		}
	}
	if r, found := a.State.untold(request.Objects); found && len(a.Cluster) == 0 {
		return fmt.Errorf("its answer says nothing of %s", r)
	}
	return nil
}

// untold returns a service among the objects of a request of which the state says nothing, if there is one.
func (s *State) untold(objects []Object) (service Reference, found bool) {
	type name struct{ kind, name string } // the program may give it a namespace, and another version
	told, stored := map[int]bool{}, map[name]bool{}
	for _, r := range s.Refused {
		told[r.Index] = told[r.Index] || !r.Deleted
	}
	for _, g := range s.Gone {
		told[g.Index] = true
	}
	for _, i := range s.Unknown {
		told[i] = true
	}
	for _, o := range s.Objects {
		r := referenceOf(o)
		stored[name{r.Kind, r.Name}] = true
	}
	for i, o := range objects {
		r := referenceOf(o)
		if isService(o) && r.Name != "" && !told[i] && !stored[name{r.Kind, r.Name}] {
			return r, true
		}
	}
	return Reference{}, false
}

// hasNameless reports whether something of a state has no kind or no name. What is refused may have a generateName.
func (s *State) hasNameless() bool {
	var all []Reference
	for _, o := range s.Objects {
		all = append(all, referenceOf(o))
	}
	for _, g := range s.Gone {
		all = append(all, g.Object)
	}
	for _, e := range slices.Concat(s.Errors, s.Events) {
		all = append(all, e.Object)
	}
	for _, f := range s.Fights {
		all = append(all, f.Object, f.By)
	}
	for _, u := range s.Unowned {
		all = append(all, u.Object, u.By)
	}
	return slices.ContainsFunc(all, func(r Reference) bool { return r.Kind == "" || r.Name == "" }) ||
		slices.ContainsFunc(s.Refused, func(r Refusal) bool { return r.Object.Kind == "" })
}

// State is what the cluster has in the end.
type State struct {
	Objects []Object  `json:"objects"`
	Refused []Refusal `json:"refused,omitempty"`
	Gone    []Gone    `json:"gone,omitempty"`
	Unknown []int     `json:"unknown,omitempty"`
	Errors  []Event   `json:"errors,omitempty"`
	Events  []Event   `json:"events,omitempty"`
	Fights  []Fight   `json:"fights,omitempty"`
	Unowned []Unowned `json:"unowned,omitempty"`
}

// Unowned is an object without an owner that a controller has made for another one.
type Unowned struct {
	Object Reference `json:"object"`
	By     Reference `json:"by"`
}

// Refusal is an object that the API server, or a webhook that it asked, did not accept.
type Refusal struct {
	Index   int       `json:"index"`
	Object  Reference `json:"object"`
	Key     string    `json:"key,omitempty"`
	Deleted bool      `json:"deleted,omitempty"`
	Message string    `json:"message"`
}

// Gone is an object that was accepted, and that KServe has deleted since, or the garbage collector.
type Gone struct {
	Index     int       `json:"index"`
	Object    Reference `json:"object"`
	Collected bool      `json:"collected,omitempty"`
}

// Event is what a controller reports about an object.
type Event struct {
	Object  Reference `json:"object"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
}

// Fight is an object that a controller writes again and again.
type Fight struct {
	Object  Reference `json:"object"`
	By      Reference `json:"by"`
	Path    string    `json:"path,omitempty"`
	Deleted bool      `json:"deleted,omitempty"`
}

// Reference names an object.
type Reference struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// Groupless returns a reference as events have it: without a version and a group.
func (r Reference) Groupless() Reference {
	r.APIVersion = ""
	return r
}

func (r Reference) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}
