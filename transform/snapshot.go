package transform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/internal/scan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Snapshot is the input as objects, before or after a repair. It never changes. Rules and Config.Index read it, several
// at the same time.
type Snapshot struct {
	input     *input
	documents []*document // those that rules may concern, in the order of the input
	objects   []*Object   // in these documents; the position is Object.ordinal
	kinds     map[GroupKind][]*Object
	named     func() map[identity]*Object // built at the first call
	namespace string
	index     Index
}

// input is what all snapshots of a run have in common.
type input struct {
	files   []*File
	parts   [][]*document // of the files, as they are in the input
	passed  []*document   // with objects that concern no rule
	skipped []Place       // of the documents that are no objects
	objects int
}

// identity is what makes two manifests the same object, in every version of its API group.
type identity struct {
	kind            GroupKind
	namespace, name string
}

func (o *Object) identity() identity { return identity{o.GroupKind(), o.Namespace, o.Name} }

// Place is a line of a file.
type Place struct {
	Path string
	Line int // from 1; 0 if only the file is known
}

// String returns path:line, or the path alone if the line is not known.
func (p Place) String() string {
	if p.Line == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s:%d", p.Path, p.Line)
}

// load returns the snapshot of the files.
func (e *engine) load(ctx context.Context, files []File) (*Snapshot, error) {
	screen := e.newScreen(files)
	in := &input{}
	type unread struct {
		file   *File
		source scan.Document
	}
	var sources []unread
	for i := range files {
		file := &files[i]
		split, err := screen.Split(file.Data)
		if err != nil {
			return nil, inputError(file, 1, err)
		}
		for _, source := range split {
			sources = append(sources, unread{file, source})
		}
		in.files, in.parts = append(in.files, file), append(in.parts, make([]*document, 0, len(split)))
	}
	documents := make([]*document, len(sources))
	err := parallel(ctx, len(sources), func(i int) (err error) {
		documents[i], err = e.newDocument(sources[i].file, sources[i].source, screen)
		return err
	})
	if err == nil {
		err = bound(documents, e.MaxExpanded)
	}
	if err != nil {
		return nil, err
	}
	for i, file := range in.files {
		n := cap(in.parts[i])
		in.parts[i], documents = documents[:n:n], documents[n:]
		if err := in.classify(file, in.parts[i]); err != nil {
			return nil, err
		}
	}
	var selected []*document
	ordinal := 0
	for _, d := range slices.Concat(in.parts...) {
		in.objects += d.count
		if d.tree == nil {
			continue
		}
		d.ordinal = len(selected)
		selected = append(selected, d)
		for _, o := range d.objects {
			o.ordinal = ordinal
			ordinal++
		}
	}
	return e.snapshot(in, selected)
}

// newScreen returns the screen for what the rules and Config.Kinds name. The largest file is its sample.
func (e *engine) newScreen(files []File) *scan.Screen {
	var kinds []scan.Kind
	var mentions []string
	for _, k := range e.Kinds {
		kinds = append(kinds, scan.Kind{Group: k.Group, Kind: k.Kind})
	}
	for _, r := range e.Rules {
		for _, k := range r.Kinds {
			kinds = append(kinds, scan.Kind{Group: k.Group, Kind: k.Kind, Size: r.Size})
		}
		mentions = append(mentions, r.Mentions...)
	}
	var sample []byte
	for _, file := range files {
		if len(file.Data) > len(sample) {
			sample = file.Data
		}
	}
	return scan.NewScreen(kinds, mentions, sample)
}

// snapshot returns the snapshot with the documents, and its index.
func (e *engine) snapshot(in *input, documents []*document) (*Snapshot, error) {
	s := &Snapshot{input: in, documents: documents, kinds: map[GroupKind][]*Object{}, namespace: e.Namespace}
	for _, d := range documents {
		s.objects = append(s.objects, d.objects...)
		for _, o := range d.objects {
			kind, group := o.GroupKind(), GroupKind{o.Group(), AnyKind}
			s.kinds[kind] = append(s.kinds[kind], o)
			s.kinds[group] = append(s.kinds[group], o)
		}
	}
	s.named = sync.OnceValue(func() map[identity]*Object {
		named := make(map[identity]*Object, len(s.objects))
		for _, o := range s.objects {
			named[o.identity()] = o
		}
		return named
	})
	if e.Index == nil {
		return s, nil
	}
	return s, guarded(func() error { s.index = e.Index(s); return nil })
}

// Object returns an object of those that [Snapshot.All] returns by its kind, namespace and name, nil if there is none.
func (s *Snapshot) Object(kind GroupKind, namespace, name string) *Object {
	return s.named()[identity{kind, namespace, name}]
}

// has reports whether All returns the object. Both may be nil.
func (s *Snapshot) has(o *Object) bool {
	return s != nil && o != nil && o.ordinal < len(s.objects) && s.objects[o.ordinal] == o
}

// Objects returns the objects of the kinds, in the order of the kinds and then of the input. It finds all objects of
// kinds that a rule of the catalogue or Config.Kinds names, and of others only those that [Snapshot.All] returns.
func (s *Snapshot) Objects(kinds ...GroupKind) []*Object {
	var objects []*Object
	for _, kind := range kinds {
		objects = append(objects, s.kinds[kind]...)
	}
	return objects
}

// All returns every object that was parsed, in the order of the input: those in documents that may hold an object of a
// kind that a rule or Config.Kinds names, or that have a word that a rule mentions.
func (s *Snapshot) All() []*Object { return slices.Clip(s.objects) }

// Search calls visit for every object that was parsed, and for the objects of other documents that may hold what the
// caller looks for. It parses such a document only if mayHold reports true for its bytes; before that, it asks mayHold
// about the part of the file around the document. It returns the bytes of the documents that it cannot parse.
func (s *Snapshot) Search(mayHold func(body []byte) bool, visit func(*Object)) (unreadable [][]byte) {
	for _, o := range s.objects {
		visit(o)
	}
	for _, d := range s.input.passed {
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
			tree, err := yamldoc.Parse(source.Body)
			if err != nil {
				unreadable = append(unreadable, source.Body)
				continue
			}
			source.Line += d.source.Line - 1
			found := &document{file: d.file, source: source, tree: tree}
			found.collect(cmp.Or(d.file.Namespace, s.namespace))
			for _, o := range found.objects {
				visit(o)
			}
		}
	}
	return unreadable
}

// maxAliased is the number of nodes that the aliases of all documents together may expand to.
const maxAliased = 1_000_000

// bound returns an error if the aliases of all documents together expand to too much, even if those of each document do
// not. Readers of the output copy what an alias stands for.
func bound(documents []*document, maxSize int) error {
	var sum aliased
	for _, d := range documents {
		if d.aliased.nodes == 0 {
			continue
		}
		sum.nodes += d.aliased.nodes
		sum.size += d.aliased.size
		limit := ""
		switch {
		case sum.nodes > maxAliased:
			limit = fmt.Sprintf("%d nodes", maxAliased)
		case maxSize > 0 && sum.size > maxSize:
			limit = fmt.Sprintf("%d bytes", maxSize)
		default:
			continue
		}
		return &InputError{Path: d.file.Path, Line: d.line(), Col: 1,
			Err: errors.New("the aliases of this and earlier documents expand to more than " + limit)}
	}
	return nil
}

// classify notes which documents of a file concern no rule, and which are not objects. A document that is not an object
// is for another tool, unless the file also has objects or comes from a renderer; then it is an error.
func (in *input) classify(file *File, documents []*document) error {
	objects := slices.ContainsFunc(documents, func(d *document) bool { return d.content == object })
	for _, d := range documents {
		switch {
		case d.content == nothing, d.tree != nil:
		case d.content == object:
			in.passed = append(in.passed, d)
		case objects:
			return &InputError{Path: file.Path, Line: d.line(), Col: 1,
				Err: errors.New("not an object, in a file with objects: " + needed)}
		case file.Renderer != "":
			return &InputError{Path: file.Path, Line: d.line(), Col: 1,
				Err: errors.New("not an object: " + needed)}
		default:
			in.skipped = append(in.skipped, Place{file.Path, d.line()})
		}
	}
	return nil
}
