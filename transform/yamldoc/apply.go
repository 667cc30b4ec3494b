package yamldoc

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// Apply returns a new tree with the edits made, and leaves t as it is. Every edit names a path in t. Edits that change
// nothing are ignored; if no other is left, Apply returns t itself. Where an alias shares what an edit changes, Apply
// first writes a copy of the value in place of the alias, so that only the path of the edit changes. An alias stays if
// the edits below it are the same as below its anchor.
//
// It fails with an *UnsafeError if Check refuses the edits or there is no safe place for a new item, and with a
// *ConflictError if two edits contradict each other. A tab in white space is unsafe too, where yaml.v3 accepts it after
// the old value but not after the new one. Apply also fails if an edit sets a value that can't be written, and with an
// *InternalError if the new document, parsed again, is not t with the edits made.
func (t *Tree) Apply(edits []Edit) (*Tree, error) {
	plain, own, first, err := t.writeOut(edits)
	if err != nil {
		return nil, err
	}
	if err := plain.checkAll(own); err != nil {
		return nil, err
	}
	p, err := merge(own)
	if err != nil {
		return nil, err
	}
	if !p.against(plain.Root) {
		return t, nil
	}
	body, lost, err := plain.splice(own, p)
	if err != nil {
		return nil, err
	}
	result, err := plain.reparse(body)
	if err != nil {
		return nil, err
	}
	if len(own) < len(edits) {
		if p, err = merge(edits); err != nil {
			return nil, err
		}
		p.against(plain.Root)
	}
	if err := verify(plain.Root, p, result.Root); err != nil {
		return nil, err
	}
	if plain != t && len(lost) > 0 {
		t.relocate(lost, plain, first)
	}
	result.lost = append(first, lost...)
	return result, nil
}

// reparse parses the edited document.
func (t *Tree) reparse(out []byte) (*Tree, error) {
	tree, err := Parse(out)
	if err == nil {
		return tree, nil
	}
	if tab := bytes.IndexByte(t.body, '\t'); tab >= 0 {
		line, col := t.Position(tab)
		return nil, &UnsafeError{Reason: "a tab stands in the way of the edit: use spaces", Line: line, Col: col}
	}
	return nil, bug("the edited document can't be parsed: %w", err)
}

// splice returns the document with the edits of plan p, and the comments that they remove. If a collection both gains
// and loses entries, it gains them first, so that there is always an entry to take the layout from.
func (t *Tree) splice(edits []Edit, p *plan) ([]byte, []Comment, error) {
	if !p.mixed(t.Root) {
		return t.patch(p)
	}
	additions, _, err := t.patch(p.additions(t.Root))
	if err != nil {
		return nil, nil, err
	}
	grown, err := t.reparse(additions)
	if err != nil {
		return nil, nil, err
	}
	rest, err := merge(edits)
	if err != nil || !rest.against(grown.Root) {
		return additions, nil, err
	}
	body, lost, err := grown.patch(rest)
	if err != nil {
		return nil, nil, err
	}
	if len(lost) > 0 {
		t.relocate(lost, grown, nil)
	}
	return body, lost, nil
}

// relocate turns the positions of comments in another version of the document into those in t. The other version has
// the comments of t, without those that are gone.
func (t *Tree) relocate(lost []Comment, other *Tree, gone []Comment) {
	before := slices.DeleteFunc(t.comments(), func(at span) bool {
		line, col := t.Position(at.start)
		return slices.ContainsFunc(gone, func(c Comment) bool { return c.Line == line && c.Col == col })
	})
	i := 0
	for k, at := range other.comments() {
		if line, col := other.Position(at.start); line == lost[i].Line && col == lost[i].Col {
			lost[i].Line, lost[i].Col = t.Position(before[k].start)
			if i++; i == len(lost) {
				return
			}
		}
	}
}

// mixed reports whether a collection both gains and loses entries.
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

// additions returns the part of p that adds entries to collections.
func (p *plan) additions(n *Node) *plan {
	var kids []*plan
	for _, k := range p.kids {
		child := n.child(k.step())
		if child != nil {
			k = k.additions(child)
		}
		if child == nil || len(k.kids) > 0 {
			kids = append(kids, k)
		}
	}
	only := &plan{path: p.path}
	only.setKids(kids)
	return only
}

// patch returns the document with one plan, and the comments that this removes.
func (t *Tree) patch(p *plan) ([]byte, []Comment, error) {
	pooled := childPool.Get().(*[]child)
	s := splicer{Tree: t, edited: (*pooled)[:0]}
	defer func() {
		*pooled = s.edited
		childPool.Put(pooled)
	}()
	s.visit(slot{n: t.Root, head: -1, flow: t.Root.Style != Block}, p)
	if s.err != nil {
		return nil, nil, s.err
	}
	slices.SortStableFunc(s.cuts, func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	out, at := make([]byte, 0, len(t.body)+len(t.body)/8), 0
	for _, c := range s.cuts {
		if c.start < at {
			return nil, nil, bug("edits overlap at byte %d", c.start)
		}
		out = append(append(out, t.body[at:c.start]...), c.text...)
		at = c.end
	}
	return append(out, t.body[at:]...), s.lostComments(), nil
}

// splicer collects the byte changes for a plan.
type splicer struct {
	*Tree
	cuts     []cut
	path     Path   // of the plan that is being made
	comments []span // of the document, once they are searched for
	searched bool
	gone     []gone                // the entries and items that are removed
	moved    map[int]bool          // offsets of comments that are cut and written again; nil for none
	measured map[*Node]indentation // of block collections; nil for none
	edited   []child               // the children of the collection being visited and of those around it
	err      error
}

var childPool = sync.Pool{New: func() any { return new([]child) }}

// cut replaces bytes with text.
type cut struct {
	start, end int
	text       string
	path       Path // of the edit
}

// gone is an entry or item that is removed.
type gone struct {
	start int
	path  Path
}

func (s *splicer) replace(start, end int, text string) {
	s.cuts = append(s.cuts, cut{start, end, text, s.path})
}
func (s *splicer) insert(at int, text string) { s.replace(at, at, text) }
func (s *splicer) remove(start, end int)      { s.replace(start, end, "") }

// slot is a place for a value.
type slot struct {
	n      *Node
	head   int     // offset after the colon or dash before the value, -1 at the root
	item   bool    // whether it is an item of a sequence
	flow   bool    // whether it is in flow style
	parent *Node   // the collection that contains it
	key    *Node   // the key that it belongs to
	l      *layout // of the parent, in flow style
	margin string  // in flow style: line break and indentation if entries of the parent are on their own lines
}

// child is a slot of a collection and the plan for it.
type child struct {
	slot
	start int // offset of the key or dash
	plan  *plan
}

func (c child) removed() bool { return c.plan != nil && c.plan.remove }

// children returns the slots of n.
func (s *splicer) children(n *Node, p *plan) []child {
	first := len(s.edited)
	for _, e := range n.Entries {
		var k *plan
		if e.Key.Kind == Scalar {
			k = p.kid(e.Key.Value)
		}
		s.edited = append(s.edited, child{slot{n: e.Value, head: e.colon, parent: n, key: e.Key}, e.Key.props(), k})
	}
	end := n.Start
	for i, item := range n.Items {
		c := child{slot{n: item, item: true, parent: n}, item.props(), p.kid(i)}
		if n.Style == Block {
			c.start = skipSpace(s.body, end)
			c.head = c.start + len("-")
			end = item.End
		}
		s.edited = append(s.edited, c)
	}
	return s.edited[first:len(s.edited):len(s.edited)]
}

// added returns the plans that add an entry to n.
func (p *plan) added(n *Node) (kids []*plan) {
	for _, k := range p.kids {
		if n.child(k.step()) == nil {
			kids = append(kids, k)
		}
	}
	return kids
}

// visit makes the edits of p to a slot and below it.
func (s *splicer) visit(at slot, p *plan) {
	s.path = p.edit()
	if p.set {
		s.put(at, p.value)
		return
	}
	first := len(s.edited)
	children := s.children(at.n, p)
	defer func() { s.edited = s.edited[:first] }()
	added := p.added(at.n)
	kept := len(added)
	for _, c := range children {
		if c.removed() {
			s.gone = append(s.gone, gone{c.start, c.plan.path})
		} else {
			kept++
		}
	}
	switch {
	case len(p.kids) == 0:
	case kept == 0:
		s.path = p.kids[0].edit()
		s.put(at, emptied(at.n))
	case at.n.Style == Block:
		s.block(at.n, children, added)
	default:
		s.flow(at.n, children, added)
	}
}

// emptied returns the value of a collection that loses all entries.
func emptied(n *Node) any {
	if n.Kind == Mapping {
		return Map{}
	}
	return []any{}
}

// put sets a slot to value.
func (s *splicer) put(at slot, value any) {
	if at.flow {
		s.putFlow(at, value)
	} else {
		s.putBlock(at, value)
	}
}

// quotesFor returns the quotes for a value that replaces n or, if n is nil, joins the values of parent.
func quotesFor(n, parent *Node) Style {
	switch {
	case n != nil && (n.Style == SingleQuoted || n.Style == DoubleQuoted):
		return n.Style
	case n != nil && !n.IsNull() || parent == nil:
		return Plain
	}
	return quotesOf(parent.strings())
}

// renameKey renames the key of a child if its plan says so.
func (s *splicer) renameKey(c child) {
	if to := c.plan.rename; to != "" {
		quotes := Plain
		if c.key.Style == SingleQuoted || c.key.Style == DoubleQuoted {
			quotes = c.key.Style
		}
		s.replace(c.key.props(), c.key.End, scalarText(to, quotes, c.parent.Style == Flow))
	}
}
