package yamldoc

import (
	"fmt"
	"strconv"
	"strings"
)

// Path leads from the root of a document to a node: a string selects a mapping's key, an int a sequence's item.
type Path []any

// String gives the path as people write it: spec.predictor.containers[0].
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

// With returns a new path that goes on from p.
func (p Path) With(steps ...any) Path {
	return append(p[:len(p):len(p)], steps...)
}

// Op says what an Edit does.
type Op uint8

// The logical edits.
const (
	OpSet Op = iota + 1
	OpDelete
	OpRename
)

// Edit is a logical change against the document as it came. All edits of a document name paths of that same baseline:
// to replace the entry `exec: {...}` by `httpGet: {...}` where it stands, rename the path ending in exec and set it.
type Edit struct {
	Op    Op
	Path  Path
	To    string // the new key, for OpRename
	Value any    // for OpSet: string, bool, int, []any or Map
}

// Map is an ordered mapping as a value of an Edit.
type Map []Field

// Field is one key of a Map.
type Field struct {
	Key   string
	Value any
}

// Set makes value stand at path; missing mappings on the way are made.
func Set(path Path, value any) Edit { return Edit{Op: OpSet, Path: path, Value: value} }

// Delete removes the entry or item at path.
func Delete(path Path) Edit { return Edit{Op: OpDelete, Path: path} }

// Rename gives the mapping entry at path another key and leaves its place and value.
func Rename(path Path, to string) Edit { return Edit{Op: OpRename, Path: path, To: to} }

// Error is a fault at a position of a document or stream.
type Error struct {
	Line, Col int // 1-based; columns count runes
	Msg       string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }
