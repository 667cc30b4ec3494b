package yamldoc

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// maxWritten is the number of nodes that all aliases that are written out may have together.
const maxWritten = 1000

// writeOut returns a tree with the same value in which no alias keeps the edits from being made: each alias on the path
// of an edit, and each that shares what an edit changes, is replaced with a copy of its value. If there is no such
// alias, the tree is t. It also returns the edits without those that an alias shares with its anchor, and the comments
// that this removes.
func (t *Tree) writeOut(edits []Edit) (*Tree, []Edit, []Comment, error) {
	if len(t.aliases) == 0 || t.Root == nil {
		return t, edits, nil, nil
	}
	w := aliasWriter{Tree: t, leaving: map[*Node]bool{}, following: map[*Node]bool{}, wanted: map[*Node]bool{}}
	for _, e := range edits {
		if n := t.Root.descend(e.Path); n != nil && e.replaces(n) {
			for below := range n.all() {
				w.leaving[below] = true
			}
		}
	}
	edits = w.follow(edits)
	for _, e := range edits {
		if err := w.want(e); err != nil {
			return nil, nil, nil, err
		}
	}
	if len(w.wanted) == 0 {
		return t, edits, nil, nil
	}
	plain, lost, err := w.write()
	return plain, edits, lost, err
}

// descend returns the node at a path without following aliases, or nil.
func (n *Node) descend(path Path) *Node {
	for _, step := range path {
		if n = n.child(step); n == nil {
			return nil
		}
	}
	return n
}

// aliasWriter finds the aliases that keep edits from being made, and writes them out.
type aliasWriter struct {
	*Tree
	leaving   map[*Node]bool // the nodes that the edits delete or replace
	following map[*Node]bool // the aliases that get their edits with their anchors
	wanted    map[*Node]bool // the aliases to be written out
	size      int            // of the values of those
}

// follow notes the aliases behind which the edits are the same as below their anchors. It returns the other edits.
func (w *aliasWriter) follow(edits []Edit) (rest []Edit) {
	behind := make([]*Node, len(edits)) // the alias that each edit is behind, or nil
	below := map[*Node][]Edit{}         // of an alias or a node with an anchor, with paths from there
	for i, e := range edits {
		n := w.Root
		for j := 0; j < len(e.Path) && n != nil; j++ {
			if n.Kind == Alias || w.aliases[n] != nil {
				below[n] = append(below[n], Edit{e.Op, e.Path[j:], e.To, e.Value})
			}
			if n.Kind == Alias {
				behind[i] = n
			}
			n = n.child(e.Path[j])
		}
	}
	for i, e := range edits {
		if alias := behind[i]; alias != nil && !w.leaving[alias] && !w.leaving[alias.Target()] &&
			reflect.DeepEqual(below[alias], below[alias.Target()]) {
			w.following[alias] = true
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}

// want notes the aliases that keep the edit from being made.
func (w *aliasWriter) want(e Edit) error {
	n := w.Root
	for i, step := range e.Path {
		if n.Kind == Alias {
			return w.add(n, n, e.Path[:i:i], fmt.Sprintf("this is the alias *%s", n.Value)) // the copy has no aliases
		}
		if err := w.unshare(n, e.Path[:i:i]); err != nil {
			return err
		}
		next := n.child(step)
		if next == nil {
			return nil
		}
		if key, isKey := step.(string); isKey && e.Op != OpSet && i == len(e.Path)-1 {
			if err := w.unshare(n.entry(key).Key, e.Path[:i:i]); err != nil {
				return err
			}
		}
		n = next
	}
	if !e.replaces(n) {
		return nil
	}
	for below := range n.all() {
		if err := w.unshare(below, e.Path); err != nil {
			return err
		}
	}
	return nil
}

// replaces reports whether the edit takes out the node at its path.
func (e Edit) replaces(n *Node) bool {
	return e.Op == OpDelete || e.Op == OpSet && !sameValue(e.Value, n)
}

// unshare notes the aliases of n that stay.
func (w *aliasWriter) unshare(n *Node, at Path) error {
	for _, alias := range w.aliases[n] {
		if w.leaving[alias] || w.following[alias] {
			continue
		}
		why := fmt.Sprintf("the anchor &%s is used elsewhere as *%[1]s", n.Anchor())
		if err := w.add(alias, n, at, why); err != nil {
			return err
		}
	}
	return nil
}

// add notes an alias. The error is about the node at a path, and says why the alias would have to be written out.
func (w *aliasWriter) add(alias, about *Node, at Path, why string) error {
	if w.wanted[alias] {
		return nil
	}
	w.wanted[alias] = true
	if w.size += alias.count(maxWritten - w.size); w.size > maxWritten || !alias.copyable() {
		return w.unsafe(about, at, why)
	}
	return nil
}

func (w *aliasWriter) unsafe(n *Node, at Path, why string) error {
	where := "there"
	if n.Kind == Alias {
		where = "here"
	}
	line, col := w.Position(n.props())
	return &UnsafeError{Path: at, Reason: why + ": write the value out " + where, Line: line, Col: col}
}

// count returns the number of nodes of a value with its aliases expanded, or any number above most.
func (n *Node) count(most int) int {
	n = n.resolve()
	size := 1
	for _, e := range n.Entries {
		if size > most {
			break
		}
		size += 1 + e.Value.count(most-size)
	}
	for _, item := range n.Items {
		if size > most {
			break
		}
		size += item.count(most - size)
	}
	return size
}

// copyable reports whether a copy of the value can be written without tags, merge keys and keys that are not text.
func (n *Node) copyable() bool {
	n = n.resolve()
	if n.ownTag() || n.barrier == mergeKey {
		return false
	}
	if n.Kind == Scalar {
		switch n.tag {
		case tagStr, tagNull:
			return true
		case tagInt, tagFloat, tagBool:
			return plainTagOf(n.Value) == n.tag
		}
		return false
	}
	return !slices.ContainsFunc(n.Entries, func(e Entry) bool {
		key := e.Key.resolve()
		return key.Kind != Scalar || key.tag != tagStr || !e.Value.copyable()
	}) && !slices.ContainsFunc(n.Items, func(item *Node) bool { return !item.copyable() })
}

// plainTagOf returns the tag that a value gets without quotes.
func plainTagOf(value string) tag {
	n := yaml.Node{Kind: yaml.ScalarNode, Value: value}
	return tagOf(n.ShortTag())
}

// verbatim is a scalar that is no string, as it is written in the document.
type verbatim string

// copied returns a value as an Edit takes it.
func (n *Node) copied() any {
	n = n.resolve()
	switch {
	case n.Kind == Mapping:
		m := Map{}
		for _, e := range n.Entries {
			m = append(m, Field{e.Key.resolve().Value, e.Value.copied()})
		}
		return m
	case n.Kind == Sequence:
		items := []any{}
		for _, item := range n.Items {
			items = append(items, item.copied())
		}
		return items
	case n.tag == tagStr:
		return n.Value
	}
	return verbatim(cmp.Or(n.Value, "null"))
}

// write returns the tree with the wanted aliases written out, and the comments that this takes out.
func (w *aliasWriter) write() (*Tree, []Comment, error) {
	edits := w.copies(w.Root, nil, nil)
	for _, e := range edits {
		if err := w.check(e); err != nil {
			return nil, nil, err
		}
		delete(w.wanted, w.Root.descend(e.Path))
	}
	if len(w.wanted) > 0 {
		first := slices.MinFunc(slices.Collect(maps.Keys(w.wanted)), func(a, b *Node) int {
			return cmp.Compare(a.Start, b.Start)
		})
		why := fmt.Sprintf("the alias *%s shares the value, and is a key or merged", first.Value)
		return nil, nil, w.unsafe(first, nil, why)
	}
	p, err := merge(edits)
	if err != nil {
		return nil, nil, err
	}
	body, lost, err := w.patch(p)
	if err != nil {
		return nil, nil, err
	}
	result, err := w.reparse(body)
	if err != nil {
		return nil, nil, err
	}
	if !sameNode(w.Root, result.Root) {
		return nil, nil, bug("an alias was written out as another value")
	}
	return result, lost, nil
}

// copies appends the edits that write out the wanted aliases at n and below it.
func (w *aliasWriter) copies(n *Node, at Path, edits []Edit) []Edit {
	if w.wanted[n] {
		return append(edits, Set(at, n.copied()))
	}
	for _, e := range n.Entries {
		if e.Key.Kind == Scalar && e.Key.tag != tagMerge {
			edits = w.copies(e.Value, at.With(e.Key.Value), edits)
		}
	}
	for i, item := range n.Items {
		edits = w.copies(item, at.With(i), edits)
	}
	return edits
}
