package yamldoc

import "strconv"

// Tree is a parsed document. It does not change; Apply returns a new one.
type Tree struct {
	Root *Node // nil for a document without content

	text
	json     bool
	aliases  map[*Node][]*Node // of an anchored node, in document order
	expanded extent
	lost     []Comment
}

// Bytes returns the document. Do not modify it.
func (t *Tree) Bytes() []byte { return t.body }

// Position returns the line and column of a byte offset into the document, such as Node.Start. Both count from 1,
// columns in runes.
func (t *Tree) Position(offset int) (line, col int) { return t.position(offset) }

// Expanded returns what the aliases of the document expand to: the number of nodes, and the bytes of their strings.
func (t *Tree) Expanded() (nodes, bytes int) { return t.expanded.nodes, t.expanded.bytes }

// Get returns the node at a path below n: a string step selects a key of a mapping, an int step an item of a sequence.
// It follows aliases and merge keys, so the result is never an Alias. The result is nil if nothing is there. n may be
// nil.
func (n *Node) Get(steps ...any) *Node {
	n = n.resolve()
	for _, step := range steps {
		if n == nil {
			return nil
		}
		switch s := step.(type) {
		case string:
			n = n.lookup(s)
		case int:
			if n.Kind != Sequence || s < 0 || s >= len(n.Items) {
				return nil
			}
			n = n.Items[s]
		}
		n = n.resolve()
	}
	return n
}

// Has reports whether the mapping has the key, even if its value is null. n may be nil.
func (n *Node) Has(key string) bool { return n.Get(key) != nil }

// Str returns the decoded value of a scalar, or "" for a null, another kind of node or nil.
func (n *Node) Str() string {
	n = n.resolve()
	if n == nil || n.Kind != Scalar || n.tag == tagNull {
		return ""
	}
	return n.Value
}

// IsNull reports whether n is nil or a null.
func (n *Node) IsNull() bool {
	n = n.resolve()
	return n == nil || n.Kind == Scalar && n.tag == tagNull
}

// Int returns the value of an integer scalar. ok is false for any other node, nil included, and for an integer that
// does not fit.
func (n *Node) Int() (value int, ok bool) {
	n = n.resolve()
	if n == nil || n.Kind != Scalar || n.tag != tagInt {
		return 0, false
	}
	v, err := strconv.ParseInt(n.Value, 0, 0)
	return int(v), err == nil
}

// lookup returns the value of a key, explicit or merged, or nil.
func (n *Node) lookup(key string) *Node {
	if n.Kind != Mapping {
		return nil
	}
	if e := n.entry(key); e != nil {
		return e.Value
	}
	if n.barrier == 0 {
		return nil
	}
	for _, e := range n.Entries {
		if e.Key.tag != tagMerge {
			continue
		}
		from := e.Value.resolve()
		if from.Kind == Mapping {
			return from.lookup(key)
		}
		for _, item := range from.Items {
			if v := item.resolve().lookup(key); v != nil {
				return v
			}
		}
	}
	return nil
}
