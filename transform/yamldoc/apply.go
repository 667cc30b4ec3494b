package yamldoc

import (
	"bytes"
	"fmt"
	"sort"
)

// Apply makes edits, all against t, and returns the new document, read again; the bytes that no edit is about are those of t.
//
// It fails with a *ConflictError if two edits contradict each other, with an *UnsafeError as Check does, and with an
// internal error if the new document, read again, is not t with these edits made.
func (t *Tree) Apply(edits []Edit) (*Tree, error) {
	for _, e := range edits {
		if err := t.Check(e); err != nil {
			return nil, err
		}
	}
	p, err := merge(edits)
	if err != nil {
		return nil, err
	}
	if !p.against(t.Root) {
		return t, nil
	}
	out, err := t.splice(edits, p)
	if err != nil {
		return nil, err
	}
	result, err := Parse(out)
	if err != nil {
		return nil, fmt.Errorf("internal error: the edited document can't be read: %w; please report it", err)
	}
	if err := verify(t.Root, p, result.Root); err != nil {
		return nil, err
	}
	return result, nil
}

// splice makes the edits of plan p. Where a collection gains and loses entries, what is new is added first, so that
// there is no moment without an entry to go by.
func (t *Tree) splice(edits []Edit, p *plan) ([]byte, error) {
	if !p.mixed(t.Root) {
		return t.patch(p)
	}
	out, err := t.patch(p.additions(t.Root))
	if err != nil {
		return nil, err
	}
	grown, err := Parse(out)
	if err != nil {
		return nil, fmt.Errorf("internal error: the edited document can't be read: %w; please report it", err)
	}
	rest, err := merge(edits)
	if err != nil || !rest.against(grown.Root) {
		return out, err
	}
	return grown.patch(rest)
}

// mixed tells whether a collection both gains and loses entries.
func (p *plan) mixed(n *Node) bool {
	gains, loses := false, false
	for _, k := range p.kids {
		child := n.child(k.step())
		gains = gains || child == nil
		loses = loses || k.remove
		if child != nil && k.mixed(child) {
			return true
		}
	}
	return gains && loses
}

// additions is the part of p that adds entries to collections.
func (p *plan) additions(n *Node) *plan {
	only := &plan{path: p.path}
	for _, k := range p.kids {
		child := n.child(k.step())
		if child != nil {
			k = k.additions(child)
		}
		if child == nil || len(k.kids) > 0 {
			only.kids = append(only.kids, k)
		}
	}
	return only
}

// patch splices one plan into the document.
func (t *Tree) patch(p *plan) ([]byte, error) {
	s := splicer{Tree: t}
	s.visit(slot{n: t.Root, head: -1, flow: t.Root.Style != Block}, p)
	if s.err != nil {
		return nil, s.err
	}
	sort.SliceStable(s.cuts, func(i, j int) bool {
		a, b := s.cuts[i], s.cuts[j]
		return a.start < b.start || a.start == b.start && a.end < b.end
	})
	var out bytes.Buffer
	at := 0
	for _, c := range s.cuts {
		if c.start < at {
			return nil, fmt.Errorf("internal error: edits overlap at byte %d; please report it", c.start)
		}
		out.Write(t.body[at:c.start])
		out.WriteString(c.text)
		at = c.end
	}
	out.Write(t.body[at:])
	return out.Bytes(), nil
}

// splicer collects the changes of bytes that a plan needs.
type splicer struct {
	*Tree
	cuts []cut
	err  error
}

// cut replaces bytes by text.
type cut struct {
	start, end int
	text       string
}

func (s *splicer) replace(start, end int, text string) {
	s.cuts = append(s.cuts, cut{start, end, text})
}
func (s *splicer) insert(at int, text string) { s.replace(at, at, text) }
func (s *splicer) remove(start, end int)      { s.replace(start, end, "") }

// slot is a place for a value.
type slot struct {
	n      *Node
	head   int    // offset after the colon or dash before the value, -1 at the root
	item   bool   // whether it is an item of a sequence
	flow   bool   // whether it is in flow style
	parent *Node  // the collection that it is in
	key    *Node  // the key that it belongs to
	l      layout // of the parent
	margin string // line break and indentation if entries of the parent have lines of their own, in flow style
}

// child is a slot of a collection with what is planned for it.
type child struct {
	slot
	start int // offset of the key or dash
	plan  *plan
}

func (c child) removed() bool { return c.plan != nil && c.plan.remove }

// children lists the slots of n.
func (s *splicer) children(n *Node, p *plan) []child {
	var list []child
	for _, e := range n.Entries {
		var k *plan
		if e.Key.Kind == Scalar {
			k = p.kid(e.Key.Value)
		}
		list = append(list, child{slot{n: e.Value, head: e.colon, parent: n, key: e.Key}, e.Key.props, k})
	}
	end := n.Start
	for i, item := range n.Items {
		c := child{slot{n: item, item: true, parent: n}, item.props, p.kid(i)}
		if n.Style == Block {
			c.start = skipSpace(s.body, end)
			c.head = c.start + len("-")
			end = item.End
		}
		list = append(list, c)
	}
	return list
}

// added lists what p adds to n.
func (p *plan) added(n *Node) (kids []*plan) {
	for _, k := range p.kids {
		if n.child(k.step()) == nil {
			kids = append(kids, k)
		}
	}
	return kids
}

// visit makes the edits of p at a slot and below it.
func (s *splicer) visit(at slot, p *plan) {
	if p.set {
		s.put(at, p.value)
		return
	}
	children := s.children(at.n, p)
	added := p.added(at.n)
	kept := len(added)
	for _, c := range children {
		if !c.removed() {
			kept++
		}
	}
	switch {
	case len(p.kids) == 0:
	case kept == 0 && at.n.Kind == Mapping:
		s.put(at, Map{})
	case kept == 0:
		s.put(at, []any{})
	case at.n.Style == Block:
		s.block(at.n, children, added)
	default:
		s.flow(at.n, children, added)
	}
}

// put makes value stand at a slot.
func (s *splicer) put(at slot, value any) {
	if at.flow {
		s.putFlow(at, value)
	} else {
		s.putBlock(at, value)
	}
}

// quotesFor chooses the quotes for a value that replaces n or, if n is nil, comes to the values of a collection.
func quotesFor(n, parent *Node) Style {
	switch {
	case n != nil && (n.Style == SingleQuoted || n.Style == DoubleQuoted):
		return n.Style
	case n != nil && !n.IsNull() || parent == nil:
		return Plain
	}
	return quotesOf(parent.strings())
}

// renameKey gives a child its new key.
func (s *splicer) renameKey(c child) {
	if to := c.plan.rename; to != "" {
		quotes := Plain
		if c.key.Style == SingleQuoted || c.key.Style == DoubleQuoted {
			quotes = c.key.Style
		}
		s.replace(c.key.props, c.key.End, scalarText(to, quotes, c.parent.Style == Flow))
	}
}
