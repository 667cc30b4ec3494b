package yamldoc

import (
	"slices"
	"strconv"
	"strings"
)

// Path leads from the root of a document to a node. Each step is a string, the key of a mapping, or an int, the index
// of an item in a sequence, from 0.
type Path []any

// String returns the path in the usual form, for example spec.predictor.containers[0].
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(s) + "]")
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

// With returns a new path with steps added. It leaves p as it is.
func (p Path) With(steps ...any) Path {
	return append(p[:len(p):len(p)], steps...)
}

// Overlaps reports whether one of the paths leads through the other, or both lead to the same node.
func (p Path) Overlaps(q Path) bool {
	n := min(len(p), len(q))
	return slices.Equal(p[:n], q[:n])
}

// Op is the kind of an Edit.
type Op uint8

// The kinds of edits.
const (
	OpSet    Op = iota + 1 // sets a value; see Set
	OpDelete               // deletes an entry or item; see Delete
	OpRename               // renames a key; see Rename
)

// Edit is a logical change to a document. Use Set, Delete and Rename to make one.
//
// All edits of one Apply name paths in the same, unedited document. To replace the entry `exec: {...}` with
// `httpGet: {...}` in its place, rename the path that ends in exec to httpGet, and set that same path.
type Edit struct {
	Op    Op
	Path  Path
	To    string // for OpRename: the new key
	Value any    // for OpSet: string, bool, int, []any or Map, nested as needed
}

// Map is an ordered mapping, as the value of an Edit. Its keys must differ.
type Map []Field

// Field is a key of a Map and its value: a string, bool, int, []any or Map.
type Field struct {
	Key   string
	Value any
}

// Set returns an edit that sets path to value, a string, bool, int, []any or Map. It replaces the value that is there,
// or adds an entry at the end of the mapping, or an item right after the last one of the sequence. It creates mappings
// and sequences that are missing or null on the way.
func Set(path Path, value any) Edit { return Edit{Op: OpSet, Path: path, Value: value} }

// Delete returns an edit that deletes the entry or item at path. If nothing is there, it changes nothing. A collection
// that is left without entries becomes {} or [].
func Delete(path Path) Edit { return Edit{Op: OpDelete, Path: path} }

// Rename returns an edit that gives the mapping entry at path the key to. The entry keeps its place and value.
func Rename(path Path, to string) Edit { return Edit{Op: OpRename, Path: path, To: to} }
