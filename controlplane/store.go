package controlplane

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
)

// store has the objects, and indexes so that no question takes longer the more objects of others there are.
type store struct {
	objects map[key]object // not to be changed
	labels  map[key]labels.Set
	byKind  map[schema.GroupKind]set
	byLabel map[label]set
	byOwner map[types.UID]set
	uids    map[types.UID]key
}

type set map[key]struct{}

// label is one of the objects of a kind. Their namespace is the one without a name.
type label struct {
	schema.GroupKind
	name, value string
}

func newStore() *store {
	return &store{
		objects: map[key]object{}, labels: map[key]labels.Set{}, byKind: map[schema.GroupKind]set{},
		byLabel: map[label]set{}, byOwner: map[types.UID]set{}, uids: map[types.UID]key{},
	}
}

func (s *store) put(k key, o object) {
	s.remove(k)
	meta := metaOf(o)
	s.objects[k], s.labels[k], s.uids[meta.GetUID()] = o, meta.GetLabels(), k
	add(s.byKind, k.GroupKind, k)
	add(s.byLabel, label{k.GroupKind, "", k.namespace}, k)
	for name, value := range s.labels[k] {
		add(s.byLabel, label{k.GroupKind, name, value}, k)
	}
	for _, owner := range meta.GetOwnerReferences() {
		add(s.byOwner, owner.UID, k)
	}
}

func (s *store) remove(k key) {
	o, found := s.objects[k]
	if !found {
		return
	}
	delete(s.byLabel[label{k.GroupKind, "", k.namespace}], k)
	for name, value := range s.labels[k] {
		delete(s.byLabel[label{k.GroupKind, name, value}], k)
	}
	for _, owner := range metaOf(o).GetOwnerReferences() {
		delete(s.byOwner[owner.UID], k)
	}
	delete(s.byKind[k.GroupKind], k)
	delete(s.uids, metaOf(o).GetUID())
	delete(s.labels, k)
	delete(s.objects, k)
}

func add[I comparable](index map[I]set, at I, k key) {
	if index[at] == nil {
		index[at] = set{}
	}
	index[at][k] = struct{}{}
}

// selected returns the keys of a kind that a selector matches, in order; those of every namespace for "".
func (s *store) selected(of schema.GroupKind, namespace string, selector labels.Selector) []key {
	candidates := s.byKind[of]
	narrow := func(l label) {
		if some := s.byLabel[l]; len(some) < len(candidates) {
			candidates = some
		}
	}
	if namespace != "" {
		narrow(label{of, "", namespace})
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		equal := r.Operator() == selection.Equals || r.Operator() == selection.DoubleEquals || r.Operator() == selection.In
		if values := r.Values().List(); equal && len(values) == 1 {
			narrow(label{of, r.Key(), values[0]})
		}
	}
	var keys []key
	for k := range candidates {
		if (namespace == "" || k.namespace == namespace) && (selector.Empty() || selector.Matches(s.labels[k])) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	return keys
}
