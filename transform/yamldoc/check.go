package yamldoc

import (
	"fmt"
	"strings"
)

// Check returns nil if Apply can make the edits together, else an *UnsafeError. It refuses
//   - an edit of the whole document or of an empty one;
//   - a value that aliases share, if one of these aliases can't be written out: a key, what a merge key (<<) merges, or
//     an alias of a large value;
//   - a value in a mapping with a merge key (<<), with a complex key (one that is not short text on one line before its
//     colon), or without braces in a flow sequence;
//   - a value at, below or above a node with a custom tag;
//   - a value on a line of its own that is not indented more than its parent;
//   - a path through a node that is not a mapping, sequence or null;
//   - an item after the end of a sequence, other than the one right after its last;
//   - a rename of a missing entry, of an item, or to a key that the mapping already has.
func (t *Tree) Check(edits ...Edit) error {
	t, own, _, err := t.writeOut(edits)
	if err != nil {
		return err
	}
	return t.checkAll(own)
}

// checkAll checks the edits in a tree in which no alias keeps them from being made.
func (t *Tree) checkAll(edits []Edit) error {
	for _, e := range edits {
		if err := t.check(e); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) check(e Edit) error {
	unsafe := func(n *Node, i int, format string, args ...any) error {
		line, col := t.Position(n.props())
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
				return unsafe(n, i, "this is not a mapping, so it has no key %s", s)
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
		if t.outdented(n, next) {
			return unsafe(next, i+1, "this is not indented more than its parent: indent it")
		}
		if e.Op == OpRename && i == len(e.Path)-1 {
			if n.Kind != Mapping {
				return unsafe(n, i, "an item has no key to rename")
			}
			if other := n.entry(e.To); other != nil && e.To != step {
				return unsafe(other.Key, i, "the key %s already exists", e.To)
			}
			return nil
		}
		n = next
	}
	for below := range n.all() {
		if below.ownTag() {
			return unsafe(below, len(e.Path), "this has the tag %s: remove it", below.Tag())
		}
	}
	return nil
}

// closed returns why nothing below n can be edited, or "".
func (t *Tree) closed(n *Node) string {
	switch {
	case n.ownTag():
		return fmt.Sprintf("this has the tag %s: remove it", n.Tag())
	case n.Kind == Mapping && n.Style == Flow && t.at(n.Start) != '{':
		return "this is a mapping without braces in a flow sequence: put braces around it"
	}
	switch n.barrier {
	case mergeKey:
		return "this mapping has a merge key (<<): write the merged keys out here"
	case complexKey:
		return "this mapping has a complex key: write keys as plain or quoted text on one line"
	}
	return ""
}

// outdented reports whether a value on a line of its own is not indented more than the block collection n that contains
// it. YAML allows that only for a sequence in a mapping.
func (t *Tree) outdented(n, value *Node) bool {
	return n.Style == Block &&
		value.props() < value.End && t.startsLine(value.props()) && t.column(value.props()) <= n.indent &&
		!(n.Kind == Mapping && value.Kind == Sequence && value.Style == Block)
}

// ownTag reports whether n has a tag that its content would not get by itself.
func (n *Node) ownTag() bool {
	switch n.Kind {
	case Mapping:
		return n.tag != tagMap
	case Sequence:
		return n.tag != tagSeq
	case Scalar:
		return !strings.HasPrefix(n.Tag(), "!!")
	}
	return false
}

// complex reports whether key i of a mapping is anything but text on one line before its colon.
func (t *Tree) complex(n *Node, i int) bool {
	key := n.Entries[i].Key
	if key.Kind != Scalar || key.Start == key.End || key.ownTag() || t.lineStart(key.props()) != t.lineStart(key.End) ||
		key.Style == Literal || key.Style == Folded || key.End-key.props() >= maxSimpleKey {
		return true
	}
	if n.Style == Block {
		return t.column(key.props()) != n.indent // after a question mark
	}
	before := n.Start + 1
	if i > 0 {
		before = skipSpace(t.body, n.Entries[i-1].Value.End) + len(",")
	}
	return skipSpace(t.body, before) != key.props()
}
