package yamldoc

import "sync"

// slabs are the memory for the nodes of one tree: a few large pieces instead of many small ones.
type slabs struct {
	nodes   slab[Node]
	parts   slab[Parts]
	entries slab[Entry]
	items   slab[*Node]
}

// builder collects the entries and items of collections that are not yet complete, the innermost last.
type builder struct {
	slabs
	*stacks
}

// stacks are the memory for what a builder collects. The next builder takes it over.
type stacks struct {
	openEntries []Entry
	openItems   []*Node
}

var stackPool = sync.Pool{New: func() any { return new(stacks) }}

// newBuilder returns a builder, to be closed after use.
func newBuilder() builder { return builder{stacks: stackPool.Get().(*stacks)} }

// close gives the memory of the stacks to the next builder.
func (b *builder) close() {
	b.openEntries, b.openItems = b.openEntries[:0], b.openItems[:0]
	stackPool.Put(b.stacks)
}

// takeEntries returns the open entries from first on, which are those of the innermost mapping.
func (b *builder) takeEntries(first int) []Entry {
	taken := b.entries.take(len(b.openEntries) - first)
	copy(taken, b.openEntries[first:])
	b.openEntries = b.openEntries[:first]
	return taken
}

// takeItems returns the open items from first on, which are those of the innermost sequence.
func (b *builder) takeItems(first int) []*Node {
	taken := b.items.take(len(b.openItems) - first)
	copy(taken, b.openItems[first:])
	b.openItems = b.openItems[:first]
	return taken
}

// pieces are the first pieces of the slabs of a tree. Spare ones have only zero values.
type pieces struct {
	nodes   []Node
	parts   []Parts
	entries []Entry
	items   []*Node
}

// spare has the pieces of released trees.
var spare = sync.Pool{New: func() any { return new(pieces) }}

// reuse lets the slabs begin with spare pieces. Their sizes are set before.
func (s *slabs) reuse() *pieces {
	first := spare.Get().(*pieces)
	s.nodes.begin(&first.nodes)
	s.parts.begin(&first.parts)
	s.entries.begin(&first.entries)
	s.items.begin(&first.items)
	return first
}

// Release gives the memory of the tree to the next Parse. Nobody may use the tree afterwards, nor its nodes. Their texts
// stay valid.
func (t *Tree) Release() {
	t.Root = nil
	if first := t.pieces; first != nil {
		t.pieces = nil
		clear(first.nodes)
		clear(first.parts)
		clear(first.entries)
		clear(first.items)
		spare.Put(first)
	}
}

// slab hands out values from pieces of memory. The first piece has room for size values, the next ones for an eighth.
type slab[T any] struct {
	size  int
	begun bool
	free  []T
}

// begin makes a spare piece the first one, or a new one if it has no room for size values.
func (s *slab[T]) begin(piece *[]T) {
	if len(*piece) < s.size {
		*piece = make([]T, s.size)
	}
	s.free, s.size, s.begun = *piece, s.size/8, true
}

// take returns n zero values that are adjacent in memory.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = make([]T, max(s.size, n))
		if !s.begun {
			s.size, s.begun = s.size/8, true
		}
	}
	values := s.free[:n:n]
	s.free = s.free[n:]
	return values
}

func (s *slab[T]) one() *T { return &s.take(1)[0] }
