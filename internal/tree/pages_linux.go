package tree

import "syscall"

// manyPages is the size from which it pays to ask for huge pages.
const manyPages = 4 << 20

// buffer returns an empty buffer for size bytes. Of a large one the kernel makes
// huge pages, because thousands of page faults would take longer than reading.
func buffer(size int64) []byte {
	data := make([]byte, size)
	if size >= manyPages {
		_ = syscall.Madvise(data, syscall.MADV_HUGEPAGE)
	}
	return data[:0]
}
