package yamldoc

import "strconv"

// Tree is a parsed document.
type Tree struct {
	Root *Node // nil for a document without content

	body    []byte
	json    bool
	lines   []int          // offsets at which lines start, as YAML counts them
	aliased map[*Node]bool // anchored nodes that an alias uses
}

// Bytes is the document as it is written.
func (t *Tree) Bytes() []byte { return t.body }

// Position gives the 1-based line and column, in runes, of a byte offset into the body.
func (t *Tree) Position(offset int) (line, col int) { return position(t.body, offset) }

// Get follows steps, strings for keys and ints for items, through aliases and merge keys. It returns nil where there is
// nothing, also on a nil Node; the node returned is never an alias.
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

// Has tells whether the mapping has the key, be its value null.
func (n *Node) Has(key string) bool { return n.Get(key) != nil }

// Str is the value of a scalar that is no null, else "".
func (n *Node) Str() string {
	n = n.resolve()
	if n == nil || n.Kind != Scalar || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// IsNull tells whether there is nothing, or a null.
func (n *Node) IsNull() bool {
	n = n.resolve()
	return n == nil || n.Kind == Scalar && n.Tag == "!!null"
}

// Int is the value of an integer scalar.
func (n *Node) Int() (value int, ok bool) {
	n = n.resolve()
	if n == nil || n.Kind != Scalar || n.Tag != "!!int" {
		return 0, false
	}
	v, err := strconv.ParseInt(n.Value, 0, 0)
	return int(v), err == nil
}

func (n *Node) resolve() *Node {
	for n != nil && n.Kind == Alias {
		n = n.Target
	}
	return n
}

// entry is the explicit entry of a key, or nil.
func (n *Node) entry(key string) *Entry {
	for i := range n.Entries {
		if k := n.Entries[i].Key.resolve(); k.Kind == Scalar && k.Value == key && k.Tag != "!!merge" {
			return &n.Entries[i]
		}
	}
	return nil
}

// lookup is the value of a key, explicit or merged.
func (n *Node) lookup(key string) *Node {
	if n.Kind != Mapping {
		return nil
	}
	if e := n.entry(key); e != nil {
		return e.Value
	}
	for _, e := range n.Entries {
		if e.Key.Tag != "!!merge" {
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
