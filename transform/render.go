package transform

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Render is the input as objects. Rules and Config.Index read it, several at the same time; they must not change it.
type Render struct {
	objects    []*Object
	kinds      map[GroupKind][]*Object
	unselected []*document
	namespace  string
	named      func() map[uint64]*Object // by a hash of their identity; built at the first call
}

// identity is what makes two manifests the same object, in every version of its API group.
type identity struct {
	kind            GroupKind
	namespace, name string
}

func newRender(selected, unselected []*document, namespace string) *Render {
	r := &Render{kinds: map[GroupKind][]*Object{}, unselected: unselected, namespace: namespace}
	for _, d := range selected {
		r.objects = append(r.objects, d.objects...)
		for _, o := range d.objects {
			any := GroupKind{o.Group(), AnyKind}
			r.kinds[o.GroupKind()] = append(r.kinds[o.GroupKind()], o)
			r.kinds[any] = append(r.kinds[any], o)
		}
	}
	r.named = sync.OnceValue(func() map[uint64]*Object {
		named := make(map[uint64]*Object, len(r.objects))
		for _, o := range r.objects {
			_, key := lookUp(named, o.identity())
			named[key] = o
		}
		return named
	})
	return r
}

// Object returns an object of those that [Render.All] returns by its kind, namespace and name, nil if there is none.
func (r *Render) Object(kind GroupKind, namespace, name string) *Object {
	o, _ := lookUp(r.named(), identity{kind, namespace, name})
	return o
}

var seed = maphash.MakeSeed()

// lookUp returns the object with the identity, nil if there is none, and its key. Another object that has the same hash
// has the next key.
func lookUp(named map[uint64]*Object, id identity) (o *Object, key uint64) {
	for key = maphash.Comparable(seed, id); ; key++ {
		if o = named[key]; o == nil || o.identity() == id {
			return o, key
		}
	}
}

func (o *Object) identity() identity { return identity{o.GroupKind(), o.Namespace, o.Name} }

// Objects returns the objects of the kinds, in the order of the kinds and then of the input. It finds all objects of
// kinds that a rule of the catalogue names, and of others only those that [Render.All] returns.
func (r *Render) Objects(kinds ...GroupKind) []*Object {
	var objects []*Object
	for _, kind := range kinds {
		objects = append(objects, r.kinds[kind]...)
	}
	return objects
}

// All returns every object that was parsed, in the order of the input: those in documents that may hold an object of a
// kind that a rule names, or that have a word that a rule mentions.
func (r *Render) All() []*Object { return slices.Clip(r.objects) }

// Holding returns the objects of [Render.All] that may hold what a caller searches for. It leaves out those whose
// document has no nodes in memory and for whose text, that of the whole document, mayHold returns false. Which documents
// have nodes in memory changes from call to call.
func (r *Render) Holding(mayHold func(o *Object, text []byte) bool) (objects []*Object) {
	for _, o := range r.objects {
		if o.doc.tree.Load() != nil || mayHold(o, o.doc.body()) {
			objects = append(objects, o)
		}
	}
	return objects
}

// Search calls visit for each object of the input: those that were parsed, and those in the documents that were not
// parsed because they concern no rule. Of these it parses the ones whose text, as mayHold reports, may hold what is
// searched for; a text may hold what a part of it may. It returns the texts of those that cannot be read.
func (r *Render) Search(mayHold func(text []byte) bool, visit func(*Object)) (unreadable [][]byte) {
	for _, o := range r.objects {
		visit(o)
	}
	kept := &trees{} // of this search alone, without facts
	for _, d := range r.unselected {
		if !mayHold(d.source.Body) { // most files hold nothing, and need not be split
			continue
		}
		sources, err := yamldoc.Split(d.source.Body)
		if err != nil {
			unreadable = append(unreadable, d.source.Body)
		}
		for _, source := range sources {
			if !mayHold(source.Body) {
				continue
			}
			source.Line += d.source.Line - 1
			read := &document{file: d.file, source: &source, trees: kept}
			if read.parse(r.namespace) != nil {
				unreadable = append(unreadable, source.Body)
			}
			for _, o := range read.objects {
				visit(o)
			}
		}
	}
	return unreadable
}
