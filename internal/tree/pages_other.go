//go:build !linux

package tree

// buffer returns an empty buffer for size bytes.
func buffer(size int64) []byte { return make([]byte, 0, size) }
