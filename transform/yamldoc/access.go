package yamldoc

// Entry returns the key and value at one step below the node. An item of a sequence has no key; value is nil where there
// is nothing, or where the key comes from a merge.
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

// Strings returns the values of a sequence of scalars; what is no scalar gives "".
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

// Equal tells whether two nodes decode to the same value: how they are written and the order of keys do not count.
func (n *Node) Equal(other *Node) bool {
	a, b := n.resolve(), other.resolve()
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || len(a.Entries) != len(b.Entries) || len(a.Items) != len(b.Items) {
		return false
	}
	for _, e := range a.Entries {
		if counterpart := b.entry(e.Key.resolve().Value); counterpart == nil || !e.Value.Equal(counterpart.Value) {
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
