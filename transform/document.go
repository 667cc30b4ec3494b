package transform

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// document is one document of the render, or several objects one after the other that concern no rule. While a repair
// is proved, its body, tree and ignores are those of the edited text, as are the names and facts of its objects.
type document struct {
	file     *File
	source   *yamldoc.Document
	content  content
	selected bool  // rules may concern it
	keeps    bool  // its tree
	edited   bool  // its text is the edited one
	count    int32 // of its objects

	trees   *trees
	tree    atomic.Pointer[yamldoc.Tree] // nil while nobody looks at the document
	objects []*Object
	aliased *aliased       // what its aliases stand for, once it was parsed; nil without any
	ignores []*ignore      // what people accept in it; nil until suppress looks
	change  yamldoc.Change // of the body by the edits, nil without any
	revised *revision      // while it is edited, nil if the edits revise nothing but the text
}

// revision is what the edits of a document change apart from its text.
type revision struct {
	lost    []yamldoc.Comment
	ignores []*ignore // as they came
	renamed []renamed
}

// renamed is an object that has other names after the edits.
type renamed struct {
	object *Object
	came   names
}

// examine finds out what the document is, and parses it if rules may concern it or if its bytes do not tell.
func (d *document) examine(s *screen, namespace string) error {
	if d.content == object {
		return nil
	}
	body := d.source.Body
	plain := plainObject(body) > 0
	switch {
	case plain:
		d.content, d.count = object, 1
		d.selected = s.document(body)
	case blank(body):
		d.content = nothing
	}
	if d.content == nothing {
		return nil
	}
	tree, err := yamldoc.Parse(body)
	if err == nil {
		if nodes, bytes := tree.Expanded(); nodes > 0 {
			d.aliased = &aliased{nodes, bytes}
		}
		err = readable(tree)
	}
	if err != nil {
		return inputError(d.file, d.source.Line, err)
	}
	if !plain {
		if d.content, err = contentOf(tree, s); err != nil {
			return inputError(d.file, d.source.Line, err)
		}
		d.selected = d.content == object && s.document(body)
		walkObjects(tree.Root, nil, "", "", func(yamldoc.Path, *yamldoc.Node, string, string) { d.count++ })
	}
	if d.selected {
		d.collect(tree.Root, namespace)
		d.adopt(tree)
	}
	return nil
}

// body returns the text of the document.
func (d *document) body() []byte {
	if !d.edited {
		return d.source.Body
	}
	return d.change.Apply(d.source.Body)
}

// parse parses the document, whose nodes somebody is about to read, and finds its objects.
func (d *document) parse(namespace string) error {
	tree, err := yamldoc.Parse(d.body())
	if err != nil {
		return inputError(d.file, d.source.Line, err)
	}
	d.collect(tree.Root, namespace)
	d.keep(tree)
	d.findFacts()
	return nil
}

// adopt notes the facts in the document's tree, which nothing else uses, then keeps or releases it.
func (d *document) adopt(tree *yamldoc.Tree) {
	d.tree.Store(tree)
	d.findFacts()
	if !d.trees.admit(d) {
		d.tree.Store(nil)
		tree.Release()
	}
}

func (d *document) findFacts() {
	if d.trees.facts != nil {
		for _, o := range d.objects {
			o.facts = d.trees.facts(o)
		}
	}
}

// collect adds the objects below node.
func (d *document) collect(node *yamldoc.Node, namespace string) {
	walkObjects(node, nil, "", "", func(prefix yamldoc.Path, node *yamldoc.Node, apiVersion, kind string) {
		o := &Object{File: d.file, doc: d, prefix: prefix}
		o.setNames(namesOf(node, apiVersion, kind, namespace))
		d.objects = append(d.objects, o)
	})
}

// edit makes the document the one that edits give, with its tree and the change of its body. The error is about edits
// that add or remove objects.
func (d *document) edit(tree *yamldoc.Tree, change yamldoc.Change, namespace string) error {
	var edited []names
	walkObjects(tree.Root, nil, "", "", func(_ yamldoc.Path, node *yamldoc.Node, apiVersion, kind string) {
		edited = append(edited, namesOf(node, apiVersion, kind, namespace))
	})
	if len(edited) != len(d.objects) {
		return errors.New("the edits add or remove objects")
	}
	d.drop()
	revised := revision{lost: tree.Lost(), ignores: d.ignores}
	for i, o := range d.objects {
		if came := o.names(); came != edited[i] {
			revised.renamed = append(revised.renamed, renamed{o, came})
			o.setNames(edited[i].clone()) // a part of the edited text would keep all of it in memory
		}
	}
	d.edited, d.change, d.ignores = true, change, nil
	if len(revised.lost)+len(revised.ignores)+len(revised.renamed) > 0 {
		d.revised = &revised
	}
	d.adopt(tree)
	return nil
}

// unedit makes the document the one that came. The change stays, as the output.
func (d *document) unedit() {
	if !d.edited {
		return
	}
	d.drop()
	d.edited, d.ignores = false, nil
	if d.revised == nil {
		return
	}
	d.ignores = d.revised.ignores
	for _, r := range d.revised.renamed {
		r.object.setNames(r.came)
	}
	d.revised = nil
}

// restore makes the document the one that came, without edits.
func (d *document) restore() {
	d.unedit()
	d.change = nil
}

// walkObjects calls visit for the object at node, or for the items of a List at any depth. As in Argo CD, what has
// items is a List, and a List may have none. The items of a typed list may leave out apiVersion and kind, which are
// given.
func walkObjects(node *yamldoc.Node, prefix yamldoc.Path, apiVersion, kind string,
	visit func(prefix yamldoc.Path, node *yamldoc.Node, apiVersion, kind string),
) {
	if node == nil || node.Kind != yamldoc.Mapping {
		return
	}
	if v := text(node.Get("apiVersion")); v != "" {
		apiVersion = v
	}
	if v := text(node.Get("kind")); v != "" {
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

// text returns the text of a scalar as Kubernetes reads it, which decodes !!binary.
func text(n *yamldoc.Node) string {
	if n == nil || n.Tag() != "!!binary" {
		return n.Str()
	}
	decoded, err := base64.StdEncoding.DecodeString(n.Value)
	if err != nil {
		return ""
	}
	return string(decoded)
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

// blank reports whether the body has no content: only white space, comments and document ends.
func blank(body []byte) bool {
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && string(line) != "..." {
			return false
		}
	}
	return true
}
