package transform

import (
	"bytes"
	"slices"
)

// Render is the input as objects. Rules and Config.Index read it, several at the same time; they must not change it.
type Render struct {
	objects    []*Object
	kinds      map[GroupKind][]*Object
	unselected []*document
	namespace  string
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
	return r
}

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

// Find reports whether an object of the input matches. It searches also the documents that were not parsed because they
// concern no rule, and parses those of them that contain all the words. If such a document cannot be read, it may hold
// the object, so the answer is true.
func (r *Render) Find(match func(*Object) bool, words ...string) bool {
	if slices.ContainsFunc(r.objects, match) {
		return true
	}
	return slices.ContainsFunc(r.unselected, func(d *document) bool {
		if !containsAll(d.source.Body, words) {
			return false
		}
		read := &document{file: d.file, source: d.source}
		return read.parse(r.namespace) != nil || slices.ContainsFunc(read.objects, match)
	})
}

func containsAll(body []byte, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !bytes.Contains(body, []byte(word)) })
}
