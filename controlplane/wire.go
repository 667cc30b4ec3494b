package controlplane

import "cmp"

// Version is that of [Request] and [Answer].
const Version = 3

// Request is what a program reads.
type Request struct {
	Version int `json:"version"`
	// Mode is the default deployment mode of the cluster: Standard, Knative, ModelMesh, or empty for the release's own.
	Mode string `json:"mode,omitempty"`
	// Namespace is that of objects that name none.
	Namespace string `json:"namespace"`
	// Unready are the stand-ins that do not do their part: workloads, knative, routes.
	Unready []string `json:"unready,omitempty"`
	// Cluster are objects that are in the cluster already. Those of a kind of KServe's take the place of all that the release
	// ships of it; others only of the one with their name.
	Cluster []map[string]any `json:"cluster,omitempty"`
	// Previous are the manifests before the change, if there is one: they may be none.
	Previous []map[string]any `json:"previous,omitempty"`
	Changed  bool             `json:"changed,omitempty"` // whether there is a change
	// Stored is what another release has left: the objects of its answer's state. This release then takes over from it, and
	// Previous are the manifests that they are made of.
	Stored  []map[string]any `json:"stored"`
	Objects []map[string]any `json:"objects"`
}

// Answer is what a program writes.
type Answer struct {
	Version int    `json:"version"`
	Release string `json:"release"`
	// Stored are the objects of the request's as this release reads them, without those whose kinds it does not have.
	Stored []map[string]any `json:"stored,omitempty"`
	// Previous is the state before the change: nil without one, and with Stored what this release makes of that alone.
	Previous *State `json:"previous,omitempty"`
	State    State  `json:"state"`
	// Later is what the state becomes when KServe looks at all services once more, as its controllers do every ten hours and
	// when they start: they watch little of what a service uses. It is nil unless the change writes or deletes other
	// objects than services, and that look changes something.
	Later *State `json:"later,omitempty"`
	// Cluster are the objects of the request's cluster that are not accepted. The states are empty then.
	Cluster []Refusal `json:"cluster,omitempty"`
}

// State is what the cluster has when nothing changes any more.
type State struct {
	// Objects are those of the manifests and what was made of them, in order of namespace, kind and name.
	Objects []map[string]any `json:"objects"`
	// Refused are the manifests that were not accepted, or of which every change would not be.
	Refused []Refusal `json:"refused,omitempty"`
	// Gone are the manifests that were accepted, and that are not there in the end.
	Gone []Gone `json:"gone,omitempty"`
	// Unknown are the manifests of kinds that the control plane does not have. They are by their place in the request.
	Unknown []int     `json:"unknown,omitempty"`
	Errors  []Event   `json:"errors,omitempty"` // of controllers, which try again and again
	Events  []Event   `json:"events,omitempty"` // warnings
	Fights  []Fight   `json:"fights,omitempty"`
	Unowned []Unowned `json:"unowned,omitempty"`
}

// Unowned is an object without an owner that a controller has made.
type Unowned struct {
	Object Reference `json:"object"`
	By     Reference `json:"by"` // the object that the controller has made it for
}

// Refusal is an object of the request that was not accepted.
type Refusal struct {
	Index   int       `json:"index"` // in the request; of Previous for an object that could not be deleted
	Object  Reference `json:"object"`
	Key     string    `json:"key,omitempty"`     // of a ConfigMap's data, if that is wrong
	Deleted bool      `json:"deleted,omitempty"` // whether the deletion is refused
	Message string    `json:"message"`           // of the API server
}

// Gone is an object of the request that was accepted, and that somebody has deleted since.
type Gone struct {
	Index  int       `json:"index"` // in the request
	Object Reference `json:"object"`
	// Collected reports whether it was the garbage collector, because no owner of the object is there. Else it was KServe.
	Collected bool `json:"collected,omitempty"`
}

func (s *State) refuse(index int, object Reference, err error) {
	s.Refused = append(s.Refused, Refusal{Index: index, Object: object, Message: statusOf(err).Message})
}

// Reference names an object.
type Reference struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

func (r Reference) compare(other Reference) int {
	return cmp.Or(cmp.Compare(r.Namespace, other.Namespace), cmp.Compare(r.Kind, other.Kind), cmp.Compare(r.Name, other.Name),
		cmp.Compare(r.APIVersion, other.APIVersion))
}

func (s *Server) reference(k key) Reference {
	return Reference{APIVersion: s.kinds[k.GroupKind].storage, Kind: k.Kind, Namespace: k.namespace, Name: k.name}
}
