package yamldoc

import (
	"slices"
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

// alike reports whether two nodes have the same kind, tag, value and number of children. All spellings of null are one value.
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

// check notes that verify has found what p is about, and reports whether there is a plan.
func (p *plan) check() bool {
	if p == nil {
		return false
	}
	p.checked = true
	return true
}

// verify returns an error unless got is the baseline n with p applied.
func verify(n *Node, p *plan, got *Node) error {
	differs := func() error {
		return bug("the edit of %s went wrong", p.path)
	}
	switch {
	case p.set:
		if got == nil || !sameValue(p.value, got) {
			return differs()
		}
		return nil
	case got == nil || n.Kind != got.Kind || !n.sameTag(got):
		return differs()
	}
	items := got.Items
	for i, item := range n.Items {
		k := p.kid(i)
		if k.check() && k.remove {
			continue
		}
		if len(items) == 0 || k == nil && !sameNode(item, items[0]) {
			return differs()
		}
		if k != nil {
			if err := verify(item, k, items[0]); err != nil {
				return err
			}
		}
		items = items[1:]
	}
	// New entries come last, except that they come before a last entry without line end.
	entries, added := got.Entries, []Entry(nil)
	isNew := func(e Entry) bool {
		k := p.kid(e.Key.Value)
		return k != nil && k.set && n.entry(e.Key.Value) == nil
	}
	if slices.ContainsFunc(got.Entries, isNew) {
		entries = make([]Entry, 0, len(got.Entries))
		for _, e := range got.Entries {
			if isNew(e) {
				added = append(added, e)
			} else {
				entries = append(entries, e)
			}
		}
	}
	for _, e := range n.Entries {
		var k *plan
		if e.Key.Kind == Scalar && e.Key.tag != tagMerge {
			k = p.kid(e.Key.Value)
		}
		if k.check() && k.remove {
			continue
		}
		if len(entries) == 0 {
			return differs()
		}
		other := entries[0]
		entries = entries[1:]
		switch {
		case k == nil:
			if !sameNode(e.Key, other.Key) || !sameNode(e.Value, other.Value) {
				return differs()
			}
			continue
		case k.rename == "" && !sameNode(e.Key, other.Key), k.rename != "" && !sameValue(k.rename, other.Key):
			return differs()
		case k.set || len(k.kids) > 0:
			if err := verify(e.Value, k, other.Value); err != nil {
				return err
			}
		case !sameNode(e.Value, other.Value):
			return differs()
		}
	}
	for _, k := range p.kids {
		if k.checked {
			continue
		}
		var value *Node
		switch {
		case len(added) > 0 && n.Kind == Mapping && added[0].Key.Value == k.step():
			value, added = added[0].Value, added[1:]
		case len(items) > 0 && n.Kind == Sequence:
			value, items = items[0], items[1:]
		}
		if err := verify(nil, k, value); err != nil {
			return err
		}
	}
	if len(entries)+len(added)+len(items) > 0 {
		return differs()
	}
	return nil
}
