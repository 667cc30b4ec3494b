package yamldoc

import (
	"fmt"
	"strings"
)

// UnsafeError says that an edit can't be made without the danger of changing something else.
type UnsafeError struct {
	Path      Path
	Reason    string // what is in the way and what to write instead
	Line, Col int    // of what is in the way
}

func (e *UnsafeError) Error() string {
	where := fmt.Sprintf("%d:%d: ", e.Line, e.Col)
	if len(e.Path) > 0 {
		where += e.Path.String() + ": "
	}
	return where + e.Reason
}

// Check tells whether Apply can make an edit by itself. It fails with an *UnsafeError for a value behind an alias, in or
// under an anchored node that an alias uses, in a mapping with a merge key or a complex key, with a tag of the document's
// own or indented no deeper than what it belongs to, and for a path that leads through something that is no mapping or
// sequence.
func (t *Tree) Check(e Edit) error {
	unsafe := func(n *Node, i int, format string, args ...any) error {
		line, col := t.Position(n.props)
		return &UnsafeError{Path: e.Path[:i:i], Reason: fmt.Sprintf(format, args...), Line: line, Col: col}
	}
	if t.Root == nil || len(e.Path) == 0 {
		return &UnsafeError{Path: e.Path, Reason: "the document as a whole can't be edited", Line: 1, Col: 1}
	}
	n := t.Root
	for i, step := range e.Path {
		if reason := t.closed(n); reason != "" {
			return unsafe(n, i, "%s", reason)
		}
		switch s := step.(type) {
		case string:
			if n.Kind != Mapping && !n.IsNull() {
				return unsafe(n, i, "this is no mapping, so it has no key %s", s)
			}
		case int:
			if n.Kind != Sequence && !n.IsNull() || s < 0 || s > len(n.Items) {
				return unsafe(n, i, "there is no item %d here", s)
			}
		}
		next := n.child(step)
		if next == nil {
			for j := i + 1; j < len(e.Path); j++ {
				if step, isItem := e.Path[j].(int); isItem && step > 0 {
					return unsafe(n, i, "there is no item %d of %s", step, e.Path[:j])
				}
			}
			if e.Op == OpRename {
				return unsafe(n, i, "there is no %v to rename", step)
			}
			return nil
		}
		if s, isKey := step.(string); isKey && t.aliased[n.entry(s).Key] {
			return unsafe(n, i, "the key %s has an anchor that is used elsewhere: write the key out there", s)
		}
		if t.outdented(n, next) {
			return unsafe(next, i+1, "this is indented no deeper than what it belongs to: indent it")
		}
		if e.Op == OpRename && i == len(e.Path)-1 {
			if n.Kind != Mapping {
				return unsafe(n, i, "an item has no key to rename")
			}
			if other := n.entry(e.To); other != nil && e.To != step {
				return unsafe(other.Key, i, "the key %s is there already", e.To)
			}
			return nil
		}
		n = next
	}
	return t.checkTarget(n, func(n *Node, format string, args ...any) error { return unsafe(n, len(e.Path), format, args...) })
}

// closed says why nothing below n can be edited, or "".
func (t *Tree) closed(n *Node) string {
	switch {
	case n.Kind == Alias:
		return fmt.Sprintf("this is the alias *%s: write the value out here", n.Value)
	case t.aliased[n]:
		return fmt.Sprintf("the anchor &%s is used elsewhere as *%s: write the value out there", n.Anchor, n.Anchor)
	case n.ownTag():
		return fmt.Sprintf("this has the tag %s: remove it", n.Tag)
	case n.Kind == Mapping && n.Style == Flow && t.at(n.Start) != '{':
		return "this is a mapping without braces in a flow sequence: put braces around it"
	}
	for i, e := range n.Entries {
		switch {
		case e.Key.Tag == "!!merge":
			return "this mapping has a merge key (<<): write the merged keys out here"
		case t.complex(n, i):
			return "this mapping has a complex key: write keys as plain or quoted text on one line"
		}
	}
	return ""
}

// outdented tells whether a value on a line of its own stands no deeper than the block collection n that it is in, where
// YAML allows only a sequence in a mapping.
func (t *Tree) outdented(n, value *Node) bool {
	return n.Style == Block && value.props < value.End && t.startsLine(value.props) && t.column(value.props) <= n.indent &&
		!(n.Kind == Mapping && value.Kind == Sequence && value.Style == Block)
}

// ownTag tells whether n has a tag that its content would not get without it.
func (n *Node) ownTag() bool {
	switch n.Kind {
	case Mapping:
		return n.Tag != "!!map"
	case Sequence:
		return n.Tag != "!!seq"
	case Scalar:
		return !strings.HasPrefix(n.Tag, "!!")
	}
	return false
}

// complex tells whether key i of a mapping is something else than text on one line in front of its colon.
func (t *Tree) complex(n *Node, i int) bool {
	key := n.Entries[i].Key
	if key.Kind != Scalar || key.Start == key.End || key.ownTag() || t.lineStart(key.props) != t.lineStart(key.End) ||
		key.Style == Literal || key.Style == Folded || key.End-key.props >= maxSimpleKey {
		return true
	}
	if n.Style == Block {
		return t.column(key.props) != n.indent // behind a question mark
	}
	before := n.Start + 1
	if i > 0 {
		before = skipSpace(t.body, n.Entries[i-1].Value.End) + len(",")
	}
	return skipSpace(t.body, before) != key.props
}

// checkTarget reports what keeps a node from being replaced or removed.
func (t *Tree) checkTarget(n *Node, unsafe func(*Node, string, ...any) error) error {
	switch {
	case t.aliased[n]:
		return unsafe(n, "the anchor &%s is used elsewhere as *%s: write the value out there", n.Anchor, n.Anchor)
	case n.ownTag():
		return unsafe(n, "this has the tag %s: remove it", n.Tag)
	}
	for _, e := range n.Entries {
		if err := t.checkTarget(e.Key, unsafe); err != nil {
			return err
		}
		if err := t.checkTarget(e.Value, unsafe); err != nil {
			return err
		}
	}
	for _, item := range n.Items {
		if err := t.checkTarget(item, unsafe); err != nil {
			return err
		}
	}
	return nil
}
