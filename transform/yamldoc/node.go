package yamldoc

import (
	"slices"
	"strings"
)

// Kind is the kind of a Node.
type Kind uint8

// The kinds of nodes.
const (
	Scalar   Kind = iota + 1
	Mapping       // has Entries
	Sequence      // has Items
	Alias         // has a Target
)

// Style is the notation of a Node.
type Style uint8

// The styles of scalars, then those of collections. A JSON document has DoubleQuoted and Plain scalars and Flow
// collections. An Alias is Plain.
const (
	Plain        Style = iota
	SingleQuoted       // 'text'
	DoubleQuoted       // "text"
	Literal            // | and lines
	Folded             // > and lines
	Block              // a line per entry, by indentation
	Flow               // {} or []
)

// Node is a value in a document, with the position of its bytes. Parse makes nodes; treat them as read-only. A Mapping
// has Entries and a Sequence has Items, both in document order.
type Node struct {
	Kind  Kind
	Style Style

	barrier barrier // of a Mapping
	tag     tag
	lead    int32 // bytes from the anchor or tag to Start, 0 without them

	Value string // the decoded value of a Scalar; the name of the anchor for an Alias

	// Start and End are byte offsets into the document: of the first byte, after anchor and tag, and after the last
	// byte. A block scalar ends after its line break. For a null without text, as in "key:", both are the same.
	Start, End int

	*collection // the fields Entries and Items
}

// collection has the fields of a Node that most scalars do not need. Those share one, which saves half of the memory.
type collection struct {
	Entries []Entry // of a Mapping, in document order
	Items   []*Node // of a Sequence, in document order

	indent  int     // of a block collection: the column of its keys or dashes, from 0
	keyBits uint64  // of a Mapping that is not wide: a bit for each key, see keyBit
	extras  *extras // nil for most nodes
}

var noCollection collection

// extras are the fields that few nodes need.
type extras struct {
	anchor string  // without &
	target *Node   // the node that an Alias refers to
	tag    string  // if Node.tag is tagOther
	sorted []int32 // of a wide Mapping: the indexes of its entries in the order of their keys
}

// makeExtras returns the extras, which it makes if there are none.
func (n *Node) makeExtras() *extras {
	if n.extras == nil {
		n.extras = &extras{}
	}
	return n.extras
}

// Anchor returns the name of the node's anchor, without &, or "".
func (n *Node) Anchor() string {
	if n.extras == nil {
		return ""
	}
	return n.extras.anchor
}

// Target returns the node that an Alias refers to, else nil.
func (n *Node) Target() *Node {
	if n.extras == nil {
		return nil
	}
	return n.extras.target
}

// Entry is a key of a Mapping and its value. Neither is nil.
type Entry struct {
	Key, Value *Node
	colon      int // byte offset after the colon, or the end of the key if there is none
}

// barrier is what keeps entries of a mapping from being edited.
type barrier uint8

const (
	mergeKey   barrier = iota + 1 // it has a merge key
	complexKey                    // it has a key that is not text on one line before its colon
)

// props returns the byte offset of the anchor or tag before Start, else Start.
func (n *Node) props() int { return n.Start - int(n.lead) }

// setOffsets sets the offsets of a node.
func (n *Node) setOffsets(props, start, end int) {
	n.lead, n.Start, n.End = int32(start-props), start, end
}

func (n *Node) resolve() *Node {
	for n != nil && n.Kind == Alias {
		n = n.Target()
	}
	return n
}

// narrow is the number of children up to which a search from the first to the last is fast enough.
const narrow = 16

// key returns the value of the key of entry i, and whether it is a scalar.
func (n *Node) key(i int) (text string, ok bool) {
	k := n.Entries[i].Key.resolve()
	return k.Value, k.Kind == Scalar
}

// indexKeys prepares the search for keys. It returns the indexes of the first key that occurs twice, or -1.
func (n *Node) indexKeys() (first, second int) {
	if len(n.Entries) <= narrow {
		for i := range n.Entries {
			text, ok := n.key(i)
			bit := keyBit(text)
			for j := 0; j < i && ok && n.keyBits&bit != 0; j++ {
				if earlier, scalar := n.key(j); scalar && earlier == text {
					return j, i
				}
			}
			n.keyBits |= bit
		}
		return -1, -1
	}
	order := make([]int32, 0, len(n.Entries))
	for i := range n.Entries {
		if _, ok := n.key(i); ok {
			order = append(order, int32(i))
		}
	}
	n.makeExtras().sorted = order
	slices.SortStableFunc(order, func(i, j int32) int { return n.compareKey(i, n.Entries[j].Key.resolve().Value) })
	first, second = -1, -1
	for k := 1; k < len(order); k++ {
		i, j := int(order[k-1]), int(order[k])
		a, _ := n.key(i)
		if b, _ := n.key(j); a == b && (second < 0 || j < second) {
			first, second = i, j
		}
	}
	return first, second
}

// keyBit returns one of 64 bits for a key. Most rules look for keys that a mapping does not have, and most of those
// have another bit than all of its keys.
func keyBit(key string) uint64 {
	if key == "" {
		return 1
	}
	return 1 << ((uint(len(key))*7 + uint(key[0]) + uint(key[len(key)-1])*3) & 63)
}

func (n *Node) compareKey(i int32, text string) int {
	own, _ := n.key(int(i))
	return strings.Compare(own, text)
}

// entry returns the entry of a key, without merge keys, or nil.
func (n *Node) entry(key string) *Entry {
	if n.extras != nil && n.extras.sorted != nil {
		order := n.extras.sorted
		i, found := slices.BinarySearchFunc(order, key, n.compareKey)
		if !found {
			return nil
		}
		return n.Entries[order[i]].named(key)
	}
	if n.keyBits&keyBit(key) == 0 {
		return nil
	}
	for i := range n.Entries {
		if e := n.Entries[i].named(key); e != nil {
			return e
		}
	}
	return nil
}

// named returns the entry if it has the key and is no merge key, else nil.
func (e *Entry) named(key string) *Entry {
	k := e.Key
	if k.Kind == Alias {
		k = k.resolve()
	}
	if k.Value == key && k.Kind == Scalar && k.tag != tagMerge {
		return e
	}
	return nil
}
