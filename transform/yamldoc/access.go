package yamldoc

import "iter"

// Entry returns the key and the value at one step below n: a string selects a key of a mapping, an int an item of a
// sequence. It follows aliases to n but, unlike Get, neither merge keys nor an alias that is the value itself. key is
// nil for an item of a sequence; both are nil if there is no such entry. n may be nil.
func (n *Node) Entry(step any) (key, value *Node) {
	n = n.resolve()
	if n == nil {
		return nil, nil
	}
	switch s := step.(type) {
	case string:
		if n.Kind == Mapping {
			if e := n.entry(s); e != nil {
				return e.Key, e.Value
			}
		}
	case int:
		if n.Kind == Sequence && s >= 0 && s < len(n.Items) {
			return nil, n.Items[s]
		}
	}
	return nil, nil
}

// Strings returns the scalars of a sequence. An item that is null or not a scalar gives "". The result is nil if n is
// not a sequence.
func (n *Node) Strings() []string {
	n = n.resolve()
	if n == nil || n.Kind != Sequence {
		return nil
	}
	values := make([]string, len(n.Items))
	for i, item := range n.Items {
		values[i] = item.Str()
	}
	return values
}

// List returns the items of a sequence, none for any other node. n may be nil.
func (n *Node) List() []*Node {
	if n = n.resolve(); n == nil {
		return nil
	}
	return n.Items
}

// Equal reports whether two nodes decode to the same value. Style and the order of keys make no difference. Two nil
// nodes are equal.
func (n *Node) Equal(other *Node) bool {
	a, b := n.resolve(), other.resolve()
	if a == b || a == nil || b == nil {
		return a == b
	}
	if !a.alike(b) {
		return false
	}
	for _, e := range a.Entries {
		if counterpart := b.counterpart(e.Key); counterpart == nil || !e.Value.Equal(counterpart.Value) {
			return false
		}
	}
	for i := range a.Items {
		if !a.Items[i].Equal(b.Items[i]) {
			return false
		}
	}
	return true
}

// counterpart returns the entry with the same key, which may also be a merge key or a collection, or nil.
func (n *Node) counterpart(key *Node) *Entry {
	if text := key.resolve(); text.Kind == Scalar && text.tag != tagMerge {
		return n.entry(text.Value)
	}
	for i := range n.Entries {
		if n.Entries[i].Key.Equal(key) {
			return &n.Entries[i]
		}
	}
	return nil
}

// Walk calls visit for the mapping or sequence n and for every one below it, parents first. The trail begins with
// start, the path of n, and is valid until visit returns. Walk does not follow aliases: what they stand for is visited
// where it is written.
func (n *Node) Walk(start Path, visit func(at *Trail, n *Node)) {
	AlongTrail(start, func(at *Trail) { n.walk(at, visit) })
}

func (n *Node) walk(at *Trail, visit func(*Trail, *Node)) {
	if n == nil || n.Kind != Mapping && n.Kind != Sequence {
		return
	}
	visit(at, n)
	at.Each(n, func(child *Node) { child.walk(at, visit) })
}

// Children yields the entries of a mapping and the items of a sequence with their steps, keys as strings and indexes as
// ints. Other nodes have none.
func (n *Node) Children() iter.Seq2[any, *Node] {
	return func(yield func(any, *Node) bool) {
		if n == nil {
			return
		}
		for _, e := range n.Entries {
			if !yield(e.Key.Value, e.Value) {
				return
			}
		}
		for i, item := range n.Items {
			if !yield(i, item) {
				return
			}
		}
	}
}

// all yields n and every node below it, keys included, parents first. It does not follow aliases.
func (n *Node) all() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.yieldAll(yield) }
}

func (n *Node) yieldAll(yield func(*Node) bool) bool {
	if !yield(n) {
		return false
	}
	for _, e := range n.Entries {
		if !e.Key.yieldAll(yield) || !e.Value.yieldAll(yield) {
			return false
		}
	}
	for _, item := range n.Items {
		if !item.yieldAll(yield) {
			return false
		}
	}
	return true
}
