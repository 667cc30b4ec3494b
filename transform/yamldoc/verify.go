package yamldoc

import (
	"strconv"
	"strings"
)

// sameValue reports whether n has the value v. It does not accept a plain string that YAML 1.1 reads as another type.
func sameValue(v any, n *Node) bool {
	n = n.resolve()
	switch v := v.(type) {
	case string:
		return n.Kind == Scalar && n.tag == tagStr && n.Value == v && (n.Style != Plain || plainSafe(v))
	case bool:
		return n.Kind == Scalar && n.tag == tagBool && strings.EqualFold(n.Value, strconv.FormatBool(v))
	case int:
		i, ok := n.Int()
		return ok && i == v
	case []any:
		if n.Kind != Sequence || len(n.Items) != len(v) {
			return false
		}
		for i := range v {
			if !sameValue(v[i], n.Items[i]) {
				return false
			}
		}
		return true
	case Map:
		if n.Kind != Mapping || len(n.Entries) != len(v) {
			return false
		}
		for _, f := range v {
			e := n.entry(f.Key)
			if e == nil || !sameValue(f.Value, e.Value) {
				return false
			}
		}
		return true
	}
	return false
}

// alike reports whether two nodes have the same kind, tag, value and number of children. All spellings of null are
// one value.
func (n *Node) alike(other *Node) bool {
	return n.Kind == other.Kind && n.sameTag(other) && (n.Value == other.Value || n.tag == tagNull) &&
		len(n.Entries) == len(other.Entries) && len(n.Items) == len(other.Items)
}

// sameNode reports whether two nodes have the same value and order of keys.
func sameNode(a, b *Node) bool {
	a, b = a.resolve(), b.resolve()
	if !a.alike(b) {
		return false
	}
	for i := range a.Entries {
		if !sameNode(a.Entries[i].Key, b.Entries[i].Key) || !sameNode(a.Entries[i].Value, b.Entries[i].Value) {
			return false
		}
	}
	for i := range a.Items {
		if !sameNode(a.Items[i], b.Items[i]) {
			return false
		}
	}
	return true
}

// expected is what the edits make of a mapping or sequence of the baseline. New content comes after the old, in the
// order of the edits, except that a new entry of a mapping may stand before old ones.
type expected struct {
	baseline   *Node // has the kind and tag
	path       Path
	old, added []content
}

// content is an entry, or an item, which has no key. A key or value that an edit sets is as in Edit. Others are a *Node
// of the baseline, an expected, or nil for a value that can't be.
type content struct{ key, value any }

// verify returns an error unless got is the baseline n with p applied.
func verify(n *Node, p *plan, got *Node) error {
	return compare(expect(n, p), got, p.path)
}

// expect returns what p makes of n, which is nil if p adds it.
func expect(n *Node, p *plan) any {
	switch {
	case p == nil:
		return n
	case p.set:
		return p.value
	case n == nil:
		return nil
	case len(p.kids) == 0:
		return n
	}
	n = n.resolve()
	result := expected{baseline: n, path: p.path, old: make([]content, 0, len(n.Items)+len(n.Entries))}
	for i, item := range n.Items {
		if k := p.kid(i); k == nil || !k.remove {
			result.old = append(result.old, content{value: expect(item, k)})
		}
	}
	for _, e := range n.Entries {
		var k *plan
		if e.Key.Kind == Scalar && e.Key.tag != tagMerge {
			k = p.kid(e.Key.Value)
		}
		switch {
		case k == nil:
			result.old = append(result.old, content{e.Key, e.Value})
		case k.rename != "":
			result.old = append(result.old, content{k.rename, expect(e.Value, k)})
		case !k.remove:
			result.old = append(result.old, content{e.Key, expect(e.Value, k)})
		}
	}
	for _, k := range p.kids {
		if n.child(k.step()) == nil {
			result.added = append(result.added, content{k.step(), expect(nil, k)})
		}
	}
	return result
}

// compare returns an error that names the path at unless got is what is wanted.
func compare(want any, got *Node, at Path) error {
	same := false
	switch want := want.(type) {
	case expected:
		return want.matches(got)
	case *Node:
		same = got != nil && sameNode(want, got)
	default:
		same = got != nil && sameValue(want, got)
	}
	if !same {
		return differs(at)
	}
	return nil
}

func (e expected) matches(got *Node) error {
	got = got.resolve()
	if got == nil || e.baseline.Kind != got.Kind || !e.baseline.sameTag(got) {
		return differs(e.path)
	}
	for _, item := range got.Items {
		if err := e.take(nil, item); err != nil {
			return err
		}
	}
	for _, entry := range got.Entries {
		if err := e.take(entry.Key, entry.Value); err != nil {
			return err
		}
	}
	if len(e.old)+len(e.added) > 0 {
		return differs(e.path)
	}
	return nil
}

// take removes the content that comes next, and returns an error unless it is the given one.
func (e *expected) take(key, value *Node) error {
	from := &e.old
	if len(e.added) > 0 && (len(e.old) == 0 || key != nil && sameValue(e.added[0].key, key)) {
		from = &e.added
	}
	if len(*from) == 0 {
		return differs(e.path)
	}
	next := (*from)[0]
	*from = (*from)[1:]
	if key != nil {
		if err := compare(next.key, key, e.path); err != nil {
			return err
		}
	}
	return compare(next.value, value, e.path)
}

func differs(at Path) error { return bug("the edits at %q went wrong", at.String()) }
