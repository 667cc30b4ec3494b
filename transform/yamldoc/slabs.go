package yamldoc

// slabs are the memory for the nodes of one tree: a few large pieces instead of many small ones.
type slabs struct {
	nodes   slab[Node]
	parts   slab[Parts]
	entries slab[Entry]
	items   slab[*Node]
}

// slab hands out values from pieces of memory. The first piece has room for size values.
type slab[T any] struct {
	size int
	free []T
}

// take returns n zero values that are adjacent in memory.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.size = max(s.size, n)
		s.free = make([]T, s.size)
	}
	values := s.free[:n:n]
	s.free = s.free[n:]
	return values
}

func (s *slab[T]) one() *T { return &s.take(1)[0] }
