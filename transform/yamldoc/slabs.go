package yamldoc

import (
	"slices"
	"sync"
)

// slabs are the memory for the nodes of one tree: a few large pieces instead of many small ones.
type slabs struct {
	nodes   slab[Node]
	below   slab[children]
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

// slab hands out values from pieces of memory. The first piece has room for size values, the next ones for an eighth.
type slab[T any] struct {
	size  int
	begun bool
	free  []T
}

// take returns n zero values that are adjacent in memory.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = slices.Grow([]T(nil), max(s.size, n))
		s.free = s.free[:cap(s.free)] // the allocator rounds up
		if !s.begun {
			s.size, s.begun = s.size/8, true
		}
	}
	values := s.free[:n:n]
	s.free = s.free[n:]
	return values
}

func (s *slab[T]) one() *T { return &s.take(1)[0] }
