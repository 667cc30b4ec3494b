package transform

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/internal/scan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// document is one document of a snapshot, or several objects one after the other that concern no rule.
type document struct {
	file    *File
	source  yamldoc.Document
	content content
	count   int // of its objects
	aliased aliased

	tree    *yamldoc.Tree // nil unless rules may concern the document
	ordinal int           // among those that have a tree
	objects []*Object
	ignores []*ignore // what people accept in it
}

// aliased is what the aliases of a document expand to: the number of nodes, and the bytes of their strings.
type aliased struct{ nodes, size int }

// newDocument classifies a document of a file. It parses the document if rules may concern it, or if its bytes do not
// show what it is.
func (e *engine) newDocument(file *File, source scan.Document, screen *scan.Screen) (*document, error) {
	d := &document{file: file, source: source.Document}
	body := source.Body
	plain := scan.PlainObject(body)
	switch {
	case source.Passed > 0:
		d.content, d.count = object, source.Passed
		return d, nil
	case plain:
		d.content, d.count = object, 1
	case scan.Blank(body):
		d.content = nothing
		return d, nil
	}
	tree, err := yamldoc.Parse(body)
	if err == nil {
		d.aliased.nodes, d.aliased.size = tree.Expanded()
		err = readable(tree)
	}
	if err == nil && !plain {
		d.content, err = contentOf(tree, screen)
	}
	if d.content == object && !plain {
		walkObjects(tree.Root, nil, "", "", func(yamldoc.Path, *yamldoc.Node, string, string) { d.count++ })
	}
	if err != nil {
		return nil, inputError(file, d.source.Line, err)
	}
	if d.content == object && screen.Selects(body) {
		err = e.setTree(d, tree)
	}
	return d, err
}

// setTree gives a document its tree, with the objects in it and what people accept there.
func (e *engine) setTree(d *document, tree *yamldoc.Tree) error {
	d.tree = tree
	d.collect(cmp.Or(d.file.Namespace, e.Namespace))
	return e.findIgnores(d)
}

// withTree returns the document with another tree.
func (e *engine) withTree(d *document, tree *yamldoc.Tree) (*document, error) {
	after := &document{file: d.file, source: d.source, content: d.content, count: d.count, ordinal: d.ordinal}
	after.source.Body = tree.Bytes()
	if err := e.setTree(after, tree); err != nil {
		return nil, err
	}
	if len(after.objects) != len(d.objects) {
		return nil, bug("the edits add or remove objects")
	}
	for i, o := range after.objects {
		o.ordinal = d.objects[i].ordinal
	}
	return after, nil
}

// collect finds the objects in the document's tree.
func (d *document) collect(namespace string) {
	walkObjects(d.tree.Root, nil, "", "", func(prefix yamldoc.Path, node *yamldoc.Node, apiVersion, kind string) {
		d.objects = append(d.objects, newObject(d, prefix, node, apiVersion, kind, namespace))
	})
}

// walkObjects calls visit for the object at node, or for the items of a List at any depth. As in Argo CD, whatever has
// items is a List, and a List may be empty. The items of a typed list may leave out apiVersion and kind; then the
// arguments count.
func walkObjects(node *yamldoc.Node, prefix yamldoc.Path, apiVersion, kind string,
	visit func(prefix yamldoc.Path, node *yamldoc.Node, apiVersion, kind string),
) {
	if node == nil || node.Kind != yamldoc.Mapping {
		return
	}
	if v := decoded(node.Get("apiVersion")); v != "" {
		apiVersion = v
	}
	if v := decoded(node.Get("kind")); v != "" {
		kind = v
	}
	items, listed := node.Get("items"), node.Has("items")
	switch {
	case listed && items.Kind == yamldoc.Sequence:
		for i := range items.Items {
			walkObjects(items.Get(i), prefix.With("items", i), apiVersion, strings.TrimSuffix(kind, "List"), visit)
		}
	case kind == "List", listed && items.IsNull() && strings.HasSuffix(kind, "List"):
	default:
		visit(prefix, node, apiVersion, kind)
	}
}

// decoded returns the string of a scalar as Kubernetes reads it, which decodes !!binary.
func decoded(n *yamldoc.Node) string {
	if n == nil || n.Tag() != "!!binary" {
		return n.Str()
	}
	value, err := base64.StdEncoding.DecodeString(n.Value)
	if err != nil {
		return ""
	}
	return string(value)
}

// line returns the line of the file on which the document's content starts.
func (d *document) line() int {
	line := d.source.Line
	for text := range bytes.Lines(d.source.Body) {
		if text = bytes.TrimSpace(text); len(text) > 0 && text[0] != '#' {
			break
		}
		line++
	}
	return line
}
