package transform

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// File is a piece of the input: a source file, or an object that a renderer made.
type File struct {
	Path     string // as messages show it; it need not exist on disk
	Data     []byte // YAML documents or JSON; Run does not change it, and the result refers to it
	Renderer string // empty for a source file, else what made the object, for example kustomize

	// FindOrigin returns what Origin does, for a rendered object. It is called only if a message needs it.
	FindOrigin func() string

	// FindLine returns the line in that file of what is at a path in the rendered object, or of the last part of the path
	// that is there; 0 if the renderer does not know.
	FindLine func(at yamldoc.Path) int
}

// Origin returns the source file of a rendered object. It is empty where it is not known.
func (f *File) Origin() string {
	if f.FindOrigin == nil {
		return ""
	}
	return f.FindOrigin()
}

// OriginOf returns where in the source file is what a rendered object has at a path. The line is 0 where only the file is
// known; the path of the file is empty where that isn't known either.
func (f *File) OriginOf(at yamldoc.Path) Place {
	place := Place{Path: f.Origin()}
	if place.Path != "" && f.FindLine != nil {
		place.Line = f.FindLine(at)
	}
	return place
}

// Object is a manifest: a document, or an item of a List in a document.
type Object struct {
	File       *File
	APIVersion string // an item of a typed List that has none gets the List's
	Kind       string // likewise: an item of a FooList that has none is a Foo
	Name       string // metadata.name; empty with generateName
	Namespace  string // metadata.namespace, else Config.Namespace

	// Node is the object itself. Paths in findings and edits start here. It is for rules: nil once Run has returned.
	Node *yamldoc.Node

	doc          *document
	index        int          // among the objects of the document
	prefix       yamldoc.Path // from the document's root to the object
	generateName string
}

// Get returns the node at the path below the object, nil if there is none. Steps are keys as strings and indexes of
// sequences as ints, as in [yamldoc.Path]. The methods of a nil node work: it has no value and no children.
func (o *Object) Get(path ...any) *yamldoc.Node { return o.Node.Get(path...) }

// Group returns the API group without the version. It is empty for the core group.
func (o *Object) Group() string {
	group, _, found := strings.Cut(o.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// GroupKind returns the object's kind with its API group.
func (o *Object) GroupKind() GroupKind { return GroupKind{o.Group(), o.Kind} }

// Annotation returns the value of an annotation, empty if the object does not have it.
func (o *Object) Annotation(key string) string {
	return o.Get("metadata", "annotations", key).Str()
}

// String returns Kind namespace/name, as messages name the object. Without a namespace it is Kind name, and an object
// with generateName has a * after it.
func (o *Object) String() string {
	name := o.Name
	if name == "" {
		name = o.generateName + "*"
	}
	if o.Namespace == "" {
		return o.Kind + " " + name
	}
	return o.Kind + " " + o.Namespace + "/" + name
}

// Edits returns edits of the object, as [Finding] takes them.
func (o *Object) Edits(edits ...yamldoc.Edit) []Edit {
	all := make([]Edit, len(edits))
	for i, e := range edits {
		all[i] = Edit{Object: o, Edit: e}
	}
	return all
}

// offset returns where in the document's body the path leads: to the last key on it that exists.
func (o *Object) offset(path []any) int {
	node, at := o.Node, o.Node.Start
	for _, step := range path {
		key, value := node.Entry(step)
		if value == nil {
			break
		}
		node, at = value, value.Start
		if key != nil {
			at = key.Start
		}
	}
	return at
}

// position returns the 1-based line and column of the path in the file.
func (o *Object) position(path []any) (line, col int) {
	line, col = o.doc.tree.Position(o.offset(path))
	return o.doc.source.Line + line - 1, col
}
