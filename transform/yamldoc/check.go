package yamldoc

import (
	"fmt"
	"strings"
)

// UnsafeError reports that an edit can't be made without the risk of changing something else.
type UnsafeError struct {
	Path      Path   // of the value that prevents the edit; empty for the root
	Reason    string // what prevents the edit, and what to write instead
	Line, Col int    // of what prevents the edit, 1-based; columns count runes
}

// Error returns the position, the path and the reason.
func (e *UnsafeError) Error() string {
	where := fmt.Sprintf("%d:%d: ", e.Line, e.Col)
	if len(e.Path) > 0 {
		where += e.Path.String() + ": "
	}
	return where + e.Reason
}

// Check returns nil if Apply can make the edit on its own, else an *UnsafeError. It refuses
//   - an edit of the whole document or of an empty one;
//   - a value behind an alias, or at, below or above an anchored node that an alias uses, unless the alias goes too;
//   - a value in a mapping with a merge key (<<), with a complex key (one that is not short text on one line before its
//     colon), or without braces in a flow sequence;
//   - a value at, below or above a node with a custom tag;
//   - a value on a line of its own that is not indented more than its parent;
//   - a path through a node that is not a mapping, sequence or null;
//   - an item after the end of a sequence, other than the one right after its last;
//   - a rename of a missing entry, of an item, or to a key that the mapping already has.
func (t *Tree) Check(e Edit) error { return t.Checker().Check(e) }

// Checker tells which edits one Apply can make together. An alias that goes with one edit does not keep another from
// editing the value that it stands for.
type Checker struct {
	*Tree
	gone map[*Node]bool // aliases that go
	left map[*Node]int  // number of aliases that an anchored node keeps, where some go
}

// Checker returns a Checker without edits.
func (t *Tree) Checker() *Checker { return &Checker{Tree: t} }

// Check returns nil if Apply can make the edits together with those that were added, else an *UnsafeError. See
// [Tree.Check] for what it refuses.
func (c *Checker) Check(edits ...Edit) error {
	aliases := c.add(edits)
	defer func() {
		for _, alias := range aliases {
			delete(c.gone, alias)
			c.left[alias.Target()]++
		}
	}()
	for _, e := range edits {
		if err := c.check(e); err != nil {
			return err
		}
	}
	return nil
}

// Add adds edits. It reports whether aliases go with them, so that Check may accept what it has refused.
func (c *Checker) Add(edits ...Edit) bool { return len(c.add(edits)) > 0 }

// add returns the aliases that go with edits and did not go before.
func (c *Checker) add(edits []Edit) (aliases []*Node) {
	if len(c.aliases) == 0 {
		return nil
	}
	for _, e := range edits {
		n := c.Root
		for i := 0; i < len(e.Path) && n != nil; i++ {
			n = n.child(e.Path[i])
		}
		if n != nil && (e.Op == OpDelete || e.Op == OpSet && !sameValue(e.Value, n)) {
			aliases = c.remove(n, aliases)
		}
	}
	return aliases
}

// remove appends the aliases at n and below that did not go before.
func (c *Checker) remove(n *Node, aliases []*Node) []*Node {
	if n.Kind == Alias && !c.gone[n] {
		if c.gone == nil {
			c.gone, c.left = map[*Node]bool{}, map[*Node]int{}
		}
		if _, known := c.left[n.Target()]; !known {
			c.left[n.Target()] = c.aliases[n.Target()]
		}
		c.gone[n] = true
		c.left[n.Target()]--
		return append(aliases, n)
	}
	for _, e := range n.Entries {
		aliases = c.remove(e.Value, c.remove(e.Key, aliases))
	}
	for _, item := range n.Items {
		aliases = c.remove(item, aliases)
	}
	return aliases
}

// shared reports whether an alias uses n and stays.
func (c *Checker) shared(n *Node) bool {
	if left, known := c.left[n]; known {
		return left > 0
	}
	return c.aliases[n] > 0
}

func (c *Checker) check(e Edit) error {
	unsafe := func(n *Node, i int, format string, args ...any) error {
		line, col := c.Position(n.props())
		return &UnsafeError{Path: e.Path[:i:i], Reason: fmt.Sprintf(format, args...), Line: line, Col: col}
	}
	if c.Root == nil || len(e.Path) == 0 {
		return &UnsafeError{Path: e.Path, Reason: "the document as a whole can't be edited", Line: 1, Col: 1}
	}
	n := c.Root
	for i, step := range e.Path {
		if reason := c.closed(n); reason != "" {
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
		if s, isKey := step.(string); isKey && c.shared(n.entry(s).Key) {
			return unsafe(n, i, "the key %s has an anchor that is used elsewhere: write the key out there", s)
		}
		if c.outdented(n, next) {
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
	return c.checkTarget(n, func(n *Node, format string, args ...any) error {
		return unsafe(n, len(e.Path), format, args...)
	})
}

// closed returns why nothing below n can be edited, or "".
func (c *Checker) closed(n *Node) string {
	switch {
	case n.Kind == Alias:
		return fmt.Sprintf("this is the alias *%s: write the value out here", n.Value)
	case c.shared(n):
		return fmt.Sprintf("the anchor &%s is used elsewhere as *%s: write the value out there", n.Anchor(), n.Anchor())
	case n.ownTag():
		return fmt.Sprintf("this has the tag %s: remove it", n.Tag())
	case n.Kind == Mapping && n.Style == Flow && c.at(n.Start) != '{':
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

// checkTarget returns an error if a node can't be replaced or removed.
func (c *Checker) checkTarget(n *Node, unsafe func(*Node, string, ...any) error) error {
	switch {
	case c.shared(n):
		return unsafe(n, "the anchor &%s is used elsewhere as *%s: write the value out there", n.Anchor(), n.Anchor())
	case n.ownTag():
		return unsafe(n, "this has the tag %s: remove it", n.Tag())
	}
	for _, e := range n.Entries {
		if err := c.checkTarget(e.Key, unsafe); err != nil {
			return err
		}
		if err := c.checkTarget(e.Value, unsafe); err != nil {
			return err
		}
	}
	for _, item := range n.Items {
		if err := c.checkTarget(item, unsafe); err != nil {
			return err
		}
	}
	return nil
}
