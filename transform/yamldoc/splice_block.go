package yamldoc

import (
	"bytes"
	"strings"
)

// block edits a block collection that keeps or gains at least one entry.
func (s *splicer) block(n *Node, children []child, added []*plan) {
	kept := -1       // the last child that is not removed
	var tail *ending // its end, once it is needed
	for i := 0; i < len(children); i++ {
		c := children[i]
		if !c.removed() {
			kept, tail = i, nil
		}
		switch {
		case c.plan == nil:
		case c.plan.remove:
			s.path = c.plan.path
			if !s.startsLine(c.start) {
				i = s.removeFirst(children, i)
				continue
			}
			next := s.lineAfter(c.n.End)
			s.remove(s.lineStart(c.start), next)
			if kept >= 0 && tail == nil {
				tail = s.endOf(children[kept].n, children[kept].plan, n.indent)
			}
			if kept >= 0 && tail.open {
				s.closeGap(next, s.column(c.start), tail)
			}
		default:
			if c.key != nil {
				s.path = c.plan.path
				s.renameKey(c)
			}
			if c.plan.set || len(c.plan.kids) > 0 {
				s.visit(c.slot, c.plan)
			}
		}
	}
	if len(added) > 0 {
		s.append(n, children[len(children)-1], added)
	}
}

// removeFirst removes child i, which is on the line of an outer item's dash, and those to be removed after it. What
// follows moves up to that line. It returns the index of the last child that it removed.
func (s *splicer) removeFirst(children []child, i int) int {
	start := children[i].start
	for {
		next := s.skipBlankLines(s.lineAfter(children[i].n.End))
		if i+1 == len(children) || !children[i+1].removed() || next != children[i+1].start {
			s.remove(start, next)
			return i
		}
		i++
	}
}

// ending describes the end of a value. An open end is a block scalar, of which the lines after it may become part.
type ending struct {
	open   bool
	keep   bool // whether blank lines become part of it
	indent int  // column from which on text becomes part of it
}

// endOf returns the end of n with the edits of p, in a block collection at column indent.
func (s *splicer) endOf(n *Node, p *plan, indent int) *ending {
	if p != nil && (p.set || len(p.added(n)) > 0) {
		return &ending{}
	}
	switch {
	case n.Style == Literal || n.Style == Folded:
		_, column, keep := s.blockScalar(n.Start, indent)
		return &ending{true, keep, column}
	case n.Style == Block:
		children := s.children(n, p)
		for i := len(children) - 1; i >= 0; i-- {
			if c := children[i]; !c.removed() {
				return s.endOf(c.n, c.plan, n.indent)
			}
		}
	}
	return &ending{}
}

// closeGap keeps the lines from the line start at on from becoming part of the block scalar that now precedes them. It
// removes blank lines or the blanks on them and indents the first comment to column indent, where that is needed.
func (s *splicer) closeGap(at, indent int, tail *ending) {
	for at < len(s.body) {
		text, next := skipBlank(s.body, at), s.nextLine(at)
		switch {
		case s.at(text) == '#':
			if s.column(text) >= tail.indent {
				s.replace(at, text, strings.Repeat(" ", indent))
			}
			tail.open = false
			return
		case text < len(s.body) && breakLen(s.body[text:]) == 0:
			return
		case tail.keep:
			s.remove(at, next)
		case text-at > tail.indent || bytes.IndexByte(s.body[at:text], '\t') >= 0:
			s.remove(at, text)
		}
		at = next
	}
}

// skipBlankLines returns the offset of the first byte that is not a blank or a line break.
func (s *splicer) skipBlankLines(at int) int {
	for at < len(s.body) {
		n := spaceLen(s.body[at:])
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// append adds entries at the end of a block collection.
func (s *splicer) append(n *Node, last child, added []*plan) {
	l := s.layoutAt(n)
	l.eol = s.lineEnd(max(last.start, last.n.End-1))
	margin := strings.Repeat(" ", n.indent)
	var lines []string
	keyQuotes, quotes := quotesOf(n.keys()), quotesFor(nil, n)
	for _, k := range added {
		if n.Kind == Sequence {
			lines = append(lines, s.itemLine(l, n, last, k.value, quotes))
		} else {
			lines = append(lines, l.entryText(k.step().(string), k.value, n.indent, keyQuotes, quotes))
		}
	}
	at := s.lineAfter(last.n.End)
	switch {
	case at > 0 && afterBreak(s.body, at):
		s.insert(at, margin+strings.Join(lines, l.eol+margin)+l.eol)
	case !endsOpen(last.n):
		s.insert(at, l.eol+margin+strings.Join(lines, l.eol+margin))
	case n.Kind == Mapping:
		// A line end added after a block scalar at the end of the document would become part of it.
		s.insert(last.start, strings.Join(lines, l.eol+margin)+l.eol+margin)
	default:
		line, col := s.Position(last.start)
		s.err = &UnsafeError{
			Path: added[0].path, Line: line, Col: col, Reason: "the last item has no line end: add one",
		}
	}
}

// itemLine formats an item with as much space after the dash as the last item has.
func (s *splicer) itemLine(l layout, n *Node, last child, value any, quotes Style) string {
	gap := 1
	if width := last.n.props() - last.head; width > 0 && s.lineStart(last.n.props()) == s.lineStart(last.start) {
		gap = width
	}
	return "-" + strings.Repeat(" ", gap) + l.itemText(value, n.indent+1+gap, quotes)
}

// endsOpen reports whether the last value in n is a block scalar.
func endsOpen(n *Node) bool {
	switch {
	case n.Style == Literal || n.Style == Folded:
		return true
	case n.Style == Block && n.Kind == Mapping:
		return endsOpen(n.Entries[len(n.Entries)-1].Value)
	case n.Style == Block:
		return endsOpen(n.Items[len(n.Items)-1])
	}
	return false
}

// putBlock replaces the value of a slot in a block collection.
func (s *splicer) putBlock(at slot, value any) {
	n := at.n
	around := n
	if at.parent != nil {
		around = at.parent
	}
	l := s.layoutAt(around)
	l.eol = s.lineEnd(max(at.head, n.props()))
	if isBlockValue(value) && !(n.Style == Flow && len(n.Entries)+len(n.Items) > 0) {
		s.putLines(at, value, l)
		return
	}
	text := l.inline(value, quotesFor(n, at.parent))
	switch {
	case n.props() == n.End:
		s.insert(n.Start, " "+text)
	case at.head >= 0 && n.Style != Block && s.startsLine(n.props()) && strings.Contains(s.margin(n.props()), "\t"):
		// Not every value may follow a tab.
		s.insert(at.head, " "+text)
		s.remove(s.lineStart(n.props()), s.lineAfter(n.End))
	case n.Style == Literal || n.Style == Folded:
		end := s.headerEnd(n.Start)
		s.replace(n.props(), end, text+s.gap(end))
		s.remove(s.nextLine(n.Start), n.End)
	case n.Style != Block:
		s.replace(n.props(), n.End, text+s.gap(n.End))
	case !s.startsLine(n.Start):
		s.replaceCompact(n, text, l)
	case at.head < 0:
		start := s.lineStart(n.props())
		s.replace(start, s.lineAfter(n.End), s.commentLines(n, n.indent)+text+l.eol)
	default:
		s.replace(at.head, s.propsEnd(at), " "+text)
		s.replace(s.lineStart(n.Start), s.lineAfter(n.End), s.commentLines(n, n.indent))
	}
}

// gap returns the blank that a comment right after a bracket, quote or block indicator needs.
func (s *splicer) gap(at int) string {
	if s.at(at) == '#' {
		return " "
	}
	return ""
}

// propsEnd returns the offset after the anchor and tag of the value, or after the colon or dash.
func (s *splicer) propsEnd(at slot) int {
	if at.n.props() == at.n.Start {
		return at.head
	}
	end, _ := s.skipProps(at.n.props(), at.n.Start)
	return end
}

// putLines sets a slot to value, a non-empty collection, as block lines.
func (s *splicer) putLines(at slot, value any, l layout) {
	n := at.n
	ownLine := n.props() < n.End && s.startsLine(n.Start)
	if at.item {
		s.putItem(at, value, l, ownLine)
		return
	}
	indent := l.below(at.parent.indent, value)
	if _, isMap := value.(Map); n.Style == Block && isMap == (n.Kind == Mapping) {
		indent = n.indent
	}
	margin := strings.Repeat(" ", indent)
	lines := margin + l.blockText(value, indent, Plain) + l.eol
	switch {
	case ownLine:
		if end := s.propsEnd(at); end > at.head {
			s.remove(at.head, end)
		}
		s.replaceLines(s.lineStart(n.Start), n.End, s.commentLines(n, indent)+lines, l)
	case n.Style == Literal || n.Style == Folded:
		end := s.headerEnd(n.Start)
		s.replace(at.head, end, s.gap(end))
		s.replaceLines(s.nextLine(n.Start), n.End, lines, l)
	default:
		s.replace(at.head, n.End, s.gap(n.End))
		after := s.lineAfter(n.End)
		s.replaceLines(after, after, lines, l)
	}
}

// replaceLines replaces the lines from start to the one at end. A document without a final line end does not get one.
func (s *splicer) replaceLines(start, end int, lines string, l layout) {
	end = s.lineAfter(end)
	if end == len(s.body) && !afterBreak(s.body, end) {
		lines = strings.TrimSuffix(lines, l.eol)
	}
	if !afterBreak(s.body, start) {
		lines = l.eol + lines
	}
	s.replace(start, end, lines)
}

// putItem does what putLines does, for an item of a sequence.
func (s *splicer) putItem(at slot, value any, l layout, ownLine bool) {
	n := at.n
	indent := at.parent.indent + len("- ")
	if n.props() < n.End {
		indent = s.column(n.props())
	}
	text := l.blockText(value, indent, Plain)
	switch {
	case n.props() == n.End:
		s.insert(n.Start, " "+text)
	case ownLine && n.Style == Block && n.props() == n.Start:
		s.replaceLines(s.lineStart(n.Start), n.End, s.commentLines(n, indent)+strings.Repeat(" ", indent)+text+l.eol, l)
	default:
		s.replaceCompact(n, text, l)
	}
}

// replaceCompact replaces a value that starts on the line of its dash.
func (s *splicer) replaceCompact(n *Node, text string, l layout) {
	end := n.End
	if afterBreak(s.body, end) {
		text += l.eol
	}
	s.replace(n.props(), end, text)
	if n.Style == Block {
		if comments := s.commentLines(n, n.indent); comments != "" {
			s.replaceLines(s.lineAfter(end), s.lineAfter(end), comments, l)
		}
	}
}

// commentLines returns the lines of a block collection with nothing but a comment, indented to a column.
func (s *splicer) commentLines(n *Node, indent int) string {
	var b strings.Builder
	for _, c := range s.commentsFrom(n.Start) {
		if c.start >= n.End {
			break
		}
		if s.startsLine(c.start) {
			if s.moved == nil {
				s.moved = map[int]bool{}
			}
			s.moved[c.start] = true
			b.WriteString(strings.Repeat(" ", indent))
			b.Write(s.body[c.start:s.nextLine(c.start)])
		}
	}
	return b.String()
}
