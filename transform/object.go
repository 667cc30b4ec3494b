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

	// Namespace is that of objects that name none, empty for Config.Namespace.
	Namespace string

	// Application is the Argo CD Application whose source has the file. It is empty where that is not known.
	Application string

	// Values is the file with values beside a chart that the object was rendered with, for messages. It is empty where the
	// chart or an Application says which values there are.
	Values string

	// Live says that the file may be what a cluster answers, so that an object in it may be live: see Object.IsLive.
	Live bool

	// Untracked says that the caller knows better than a live object of which Application it is: of none.
	Untracked bool

	// FindOrigin returns what Origin does, for a rendered object. It is called only if a message needs it.
	FindOrigin func() string

	// FindAffixes returns what the renderer put around the name of an object, none where it is not known. It may be nil,
	// and is called only if a rule needs it.
	FindAffixes func() Affixes

	// FindSource returns where an entry of a rendered object comes from: the entry has a path from the object's root, and
	// a line in Data. It is nil where only the origin is known, and called only if a message needs it.
	FindSource func(at yamldoc.Path, line int) Source

	// FindPatches returns the files with patches that name a rendered object, which no longer match when it gets another
	// name in its source. It may be nil, and is called only if a message needs it.
	FindPatches func() []string
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

// Affixes are a prefix and a suffix of a name, as those of kustomize's namePrefix and nameSuffix.
type Affixes struct{ Prefix, Suffix string }

// Affixes returns what the renderer put around the name of an object.
func (f *File) Affixes() Affixes {
	if f.FindAffixes == nil {
		return Affixes{}
	}
	return f.FindAffixes()
}

// Origin returns the source file of a rendered object. It is empty where it is not known.
func (f *File) Origin() string {
	if f.FindOrigin == nil {
		return ""
	}
	return f.FindOrigin()
}

// Object is a manifest: a document, or an item of a List in a document. It never changes: after a repair there is
// another Object for it in another [Snapshot].
type Object struct {
	File       *File
	APIVersion string // an item of a typed List that has none gets the List's
	Kind       string // likewise: an item of a FooList that has none is a Foo
	Name       string // metadata.name; empty with generateName
	Namespace  string // metadata.namespace, else Config.Namespace

	doc          *document    // nil for an object that no file has
	ordinal      int          // among the objects of the snapshot; the same in the snapshots of a run
	prefix       yamldoc.Path // from the document's root to the object
	node         *yamldoc.Node
	generateName string
}

func newObject(d *document, prefix yamldoc.Path, node *yamldoc.Node, apiVersion, kind, namespace string) *Object {
	metadata := node.Get("metadata")
	return &Object{
		File: d.file, APIVersion: apiVersion, Kind: kind, Name: metadata.Get("name").Str(),
		Namespace:    cmp.Or(metadata.Get("namespace").Str(), namespace),
		generateName: metadata.Get("generateName").Str(), doc: d, prefix: prefix, node: node,
	}
}

// Node returns the object itself. Paths in reports and edits start here.
func (o *Object) Node() *yamldoc.Node { return o.node }

// Get returns the node at the path below the object, nil if there is none. Steps are keys as strings and indexes of
// sequences as ints, as in [yamldoc.Path]. The methods of a nil node work: it has no value and no children.
func (o *Object) Get(path ...any) *yamldoc.Node { return o.node.Get(path...) }

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

// IsLive reports whether a cluster answered the object, and nobody wrote it: the file may be an answer, and the API
// server has given the object a uid and a resourceVersion.
func (o *Object) IsLive() bool {
	return o.File.Live && o.Get("metadata", "uid").Str() != "" && o.Get("metadata", "resourceVersion").Str() != ""
}

// Where Argo CD notes which Application it applies an object for: by default in the annotation, and up to 2.14 in the
// label (common/common.go@v3.5.7 and @v2.14.21).
const (
	TrackingAnnotation = "argocd.argoproj.io/tracking-id" // application:group/kind:namespace/name
	TrackingLabel      = "app.kubernetes.io/instance"
)

// helmRelease is an annotation of what Helm has applied, whose charts give the label to everything
// (setMetadataVisitor in pkg/action/validate.go of helm.sh/helm/v4@v4.3.1).
const helmRelease = "meta.helm.sh/release-name"

// Tracked returns the Application in the annotations of an object, or without one in its label if Helm has not applied
// the object. KServe copies both to what it makes, so the annotation has to name the object itself; of an object without
// a namespace Argo CD notes that of the Application's destination (UnstructuredToAppInstanceValue in
// util/argo/resource_tracking.go@v3.5.7). It is empty where no Application is named.
func Tracked(annotation func(key string) string, label string, kind GroupKind, namespace, name string) string {
	id := annotation(TrackingAnnotation)
	if id == "" {
		if annotation(helmRelease) != "" {
			return ""
		}
		return label
	}
	app, of, _ := strings.Cut(id, ":")
	of, isKind := strings.CutPrefix(of, kind.Group+"/"+kind.Kind+":")
	in, of, _ := strings.Cut(of, "/")
	if !isKind || of != name || in != namespace && namespace != "" {
		return ""
	}
	return app
}

// Application returns the Argo CD Application that the object is of: that of its file, or the one that a live object
// names. It is empty where that is not known.
func (o *Object) Application() string {
	if o.File.Application != "" || o.File.Untracked || !o.IsLive() {
		return o.File.Application
	}
	metadata := o.Get("metadata")
	return Tracked(o.Annotation, metadata.Get("labels", TrackingLabel).Str(), o.GroupKind(),
		metadata.Get("namespace").Str(), o.Name)
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

// SourceName returns the name of the object without what a renderer put around it.
func (o *Object) SourceName() string {
	affixes := o.File.Affixes()
	return strings.TrimSuffix(strings.TrimPrefix(o.Name, affixes.Prefix), affixes.Suffix)
}

// Edits returns edits of the object, as [Report] takes them.
func (o *Object) Edits(edits ...yamldoc.Edit) []Edit {
	all := make([]Edit, len(edits))
	for i, e := range edits {
		all[i] = Edit{Object: o, Edit: e}
	}
	return all
}

// offset returns where in the document's body the path leads: to the last key on it that exists.
func (o *Object) offset(path []any) int {
	node := o.node
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
	line, col = o.doc.tree.Position(o.offset(path))
	return o.doc.source.Line + line - 1, col
}

// Source returns the line where the object begins, or the one that a renderer made it from.
func (o *Object) Source() Source {
	line, _ := o.position(nil)
	if o.File.Renderer == "" {
		return Source{Path: o.File.Path, Line: line}
	}
	return o.File.source(nil, line)
}

// lastLine returns the line of the file on which the deepest node on the path that exists ends.
func (o *Object) lastLine(path []any) int {
	node := o.node
	for _, step := range path {
		_, value := node.Entry(step)
		if value == nil {
			break
		}
		node = value
	}
	line, _ := o.doc.tree.Position(max(node.Start, node.End-1))
	return o.doc.source.Line + line - 1
}
