package transform

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// File is a piece of the render: a source file, or an object that a renderer made.
type File struct {
	Path     string // as it is shown in messages
	Data     []byte
	Renderer string // "" for a source file, else kustomize or helm
	Origin   string // the source file of a rendered object, where known
}

// Object is a manifest: a document, or an item of a List in one.
type Object struct {
	File       *File
	APIVersion string
	Kind       string
	Name       string
	Namespace  string // with the default of the options filled in
	Node       *yamldoc.Node

	doc    *document
	prefix yamldoc.Path // from the document's root to the object
}

// Get returns the node at the path below the object, or nil.
func (o *Object) Get(path ...any) *yamldoc.Node { return o.Node.Get(path...) }

// Group is the API group, empty for the core group.
func (o *Object) Group() string {
	group, _, found := strings.Cut(o.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Annotation returns the value of an annotation, empty when absent.
func (o *Object) Annotation(key string) string {
	return o.Get("metadata", "annotations", key).Str()
}

// String names the object as messages do: Kind namespace/name.
func (o *Object) String() string {
	name := o.Name
	if name == "" {
		name = o.Get("metadata", "generateName").Str() + "*"
	}
	if o.Namespace == "" {
		return o.Kind + " " + name
	}
	return o.Kind + " " + o.Namespace + "/" + name
}

// offset is where in the document's body the path stands: at its last key that is there.
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

// position is the 1-based line and column in the file of the path.
func (o *Object) position(path []any) (line, col int) {
	line, col = o.doc.tree.Position(o.offset(path))
	return o.doc.source.Line + line - 1, col
}
