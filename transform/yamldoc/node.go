package yamldoc

// Kind says what a Node is.
type Kind uint8

// The kinds of nodes.
const (
	Scalar Kind = iota + 1
	Mapping
	Sequence
	Alias
)

// Style says how a Node is written.
type Style uint8

// The styles of scalars, then those of collections. A JSON document has DoubleQuoted and Plain scalars and Flow collections.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
	Block
	Flow
)

// Node is a value in a document together with the bytes it was written with.
type Node struct {
	Kind    Kind
	Style   Style
	Tag     string  // short form: !!str, !!int, !!float, !!bool, !!null, !!map, !!seq, or the document's own
	Value   string  // decoded value of a Scalar; the anchor's name for an Alias
	Anchor  string  // without &
	Target  *Node   // what an Alias stands for
	Entries []Entry // of a Mapping, in document order
	Items   []*Node // of a Sequence, in document order
	Start   int     // byte offset of the first byte in the document's body, after anchor and tag
	End     int     // byte offset after the last byte, of a block scalar after its line break; Start for a null that is not written
	props   int     // byte offset of the anchor or tag before Start, else Start
	indent  int     // of a block collection: the column, from 0, of its keys or dashes
}

// Entry is one key of a Mapping and its value.
type Entry struct {
	Key, Value *Node
	colon      int // byte offset after the colon, or of the key's end where there is none
}
