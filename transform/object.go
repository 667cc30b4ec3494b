package transform

import (
	"cmp"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// File is a piece of the input: a source file, or an object that a renderer made.
type File struct {
	Path     string // as messages show it; it need not exist on disk
	Data     []byte // YAML documents or JSON; Run does not change it, and the result refers to it
	Renderer string // empty for a source file, else what made the object, for example kustomize

	// Application is the Argo CD Application whose source has the file. It is empty where that is not known.
	Application string

	// FindOrigin returns what Origin does, for a rendered object. It is called only if a message needs it.
	FindOrigin func() string

	// FindSource returns where an entry of a rendered object comes from: the entry has a path from the object's root, and
	// a line in Data. It is nil where only the origin is known, and called only if a message needs it.
	FindSource func(at yamldoc.Path, line int) Source
}

// Source is a line that a renderer made an entry from.
type Source struct {
	Path  string // of the file
	Line  int    // 0 if it is not known
	Value string // the name of the chart's value that the line prints, such as image.tag; empty for none
}

// String returns path:line, or the path if the line is not known.
func (s Source) String() string {
	if s.Line == 0 {
		return s.Path
	}
	return Place{s.Path, s.Line}.String()
}

// Origin returns the source file of a rendered object. It is empty where it is not known.
func (f *File) Origin() string {
	if f.FindOrigin == nil {
		return ""
	}
	return f.FindOrigin()
}

// Object is a manifest: a document, or an item of a List in a document. While [Run] verifies a repair, its names and
// nodes are those of the repaired text. Afterwards they are again those that came.
type Object struct {
	File       *File
	APIVersion string // an item of a typed List that has none gets the List's
	Kind       string // likewise: an item of a FooList that has none is a Foo
	Name       string // metadata.name; empty with generateName
	Namespace  string // metadata.namespace, else Config.Namespace

	doc          *document
	prefix       yamldoc.Path // from the document's root to the object
	generateName string
	facts        any // what Facts returns, or nil
}

// Node returns the object itself. Paths in findings and edits start here. Rules must not keep it from one call to the
// next: in a large input, nodes are read again when a rule looks at them.
func (o *Object) Node() *yamldoc.Node {
	if o.doc == nil {
		return nil
	}
	return o.doc.parsed().Root.Get(o.prefix...)
}

// Get returns the node at the path below the object, nil if there is none. Steps are keys as strings and indexes of
// sequences as ints, as in [yamldoc.Path]. The methods of a nil node work: it has no value and no children.
func (o *Object) Get(path ...any) *yamldoc.Node { return o.Node().Get(path...) }

// Facts returns what Config.Facts returned for the object. It is nil without one, and for what [Render.Search] finds.
func (o *Object) Facts() any {
	if o.facts == nil && o.doc != nil && o.doc.trees.facts != nil {
		return o.doc.trees.facts(o)
	}
	return o.facts
}

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

// names are what identifies an object.
type names struct{ apiVersion, kind, name, namespace, generateName string }

// namesOf returns the names of the object at node, which are parts of the document's text.
func namesOf(node *yamldoc.Node, apiVersion, kind, namespace string) names {
	metadata := node.Get("metadata")
	return names{
		apiVersion, kind, metadata.Get("name").Str(), cmp.Or(metadata.Get("namespace").Str(), namespace),
		metadata.Get("generateName").Str(),
	}
}

func (n names) clone() names {
	return names{
		strings.Clone(n.apiVersion), strings.Clone(n.kind), strings.Clone(n.name), strings.Clone(n.namespace),
		strings.Clone(n.generateName),
	}
}

func (o *Object) names() names {
	return names{o.APIVersion, o.Kind, o.Name, o.Namespace, o.generateName}
}

func (o *Object) setNames(n names) {
	o.APIVersion, o.Kind, o.Name, o.Namespace, o.generateName = n.apiVersion, n.kind, n.name, n.namespace, n.generateName
}

// offset returns where in the document's body the path leads: to the last key on it that exists.
func (o *Object) offset(path []any) int {
	node := o.Node()
	at := node.Start
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
	line, col = o.doc.parsed().Position(o.offset(path))
	return o.doc.source.Line + line - 1, col
}
