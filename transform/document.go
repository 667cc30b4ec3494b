package transform

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// document is one document of the render. Its tree is nil when the screen rejected it.
type document struct {
	file     *File
	source   yamldoc.Document
	manifest bool
	tree     *yamldoc.Tree
	objects  []*Object
	edited   *yamldoc.Tree // what the edits make of it, nil without any
}

// parse reads the document and finds its objects.
func (d *document) parse(namespace string) error {
	tree, err := yamldoc.Parse(d.source.Body)
	if err != nil {
		return d.located(err)
	}
	d.adopt(tree, namespace)
	return nil
}

func (d *document) adopt(tree *yamldoc.Tree, namespace string) {
	d.tree = tree
	d.collect(tree.Root, nil, "", "", namespace)
}

// collect adds the object at node, or those of a List, to any depth. The items of a typed list may leave out the
// apiVersion and kind that the list's own imply.
func (d *document) collect(node *yamldoc.Node, prefix yamldoc.Path, apiVersion, kind, namespace string) {
	if node == nil || node.Kind != yamldoc.Mapping {
		return
	}
	if v := node.Get("apiVersion").Str(); v != "" {
		apiVersion = v
	}
	if v := node.Get("kind").Str(); v != "" {
		kind = v
	}
	items := node.Get("items")
	if strings.HasSuffix(kind, "List") && items != nil && items.Kind == yamldoc.Sequence {
		for i, item := range items.Items {
			d.collect(item, prefix.With("items", i), apiVersion, strings.TrimSuffix(kind, "List"), namespace)
		}
		return
	}
	o := &Object{
		File: d.file, APIVersion: apiVersion, Kind: kind, Node: node, doc: d, prefix: prefix,
		Name:      node.Get("metadata", "name").Str(),
		Namespace: node.Get("metadata", "namespace").Str(),
	}
	if o.Namespace == "" {
		o.Namespace = namespace
	}
	d.objects = append(d.objects, o)
}

// manifest reports whether the document is one: it says apiVersion, kind and metadata. A document of comments only
// counts as one too, so that its bytes stay. As in Argo CD's directory source, anything else is some other file's
// content, values of a chart for instance, and no business of the API server.
func manifest(body []byte) bool {
	if hasTopLevel(body, "apiVersion") && hasTopLevel(body, "kind") && hasTopLevel(body, "metadata") || blank(body) {
		return true
	}
	tree, err := yamldoc.Parse(body)
	if err != nil {
		return containsAll(body, "apiVersion", "kind", "metadata")
	}
	root := tree.Root
	return root.Has("apiVersion") && root.Has("kind") &&
		(root.Has("metadata") || strings.HasSuffix(root.Get("kind").Str(), "List"))
}

// blank reports whether the body has no content: only blanks, comments and document ends.
func blank(body []byte) bool {
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && string(line) != "..." {
			return false
		}
	}
	return true
}

func containsAll(body []byte, words ...string) bool {
	for _, word := range words {
		if !bytes.Contains(body, []byte(word)) {
			return false
		}
	}
	return true
}

// located turns a fault of the document into one of its file.
func (d *document) located(err error) error {
	var fault *yamldoc.Error
	if !errors.As(err, &fault) {
		return fmt.Errorf("%s: %w", d.file.Path, err)
	}
	return fmt.Errorf("%s:%d:%d: %s", d.file.Path, d.source.Line+fault.Line-1, fault.Col, fault.Msg)
}
