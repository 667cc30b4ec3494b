package yamldoc

import "strings"

// block edits a block collection of which at least one entry stays or is new.
func (s *splicer) block(n *Node, children []child, added []*plan) {
	for i := 0; i < len(children); i++ {
		c := children[i]
		switch {
		case c.plan == nil:
		case c.plan.remove:
			i = s.removeBlock(children, i)
		default:
			if c.key != nil {
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

// removeBlock takes the lines of child i away, and returns the last child that is gone with it.
func (s *splicer) removeBlock(children []child, i int) int {
	c := children[i]
	next := s.lineAfter(c.n.End)
	if s.startsLine(c.start) {
		s.remove(s.lineStart(c.start), next)
		for j := i - 1; j >= 0; j-- {
			if !children[j].removed() {
				if p := children[j].plan; endsOpen(children[j].n) && (p == nil || !p.set) {
					s.closeGap(next, s.column(c.start))
				}
				break
			}
		}
		return i
	}
	// The child stands on the line of the dash of an outer item: what follows moves up there.
	for {
		next = s.skipBlankLines(next)
		if i+1 == len(children) || !children[i+1].removed() || next != children[i+1].start {
			break
		}
		i++
		next = s.lineAfter(children[i].n.End)
	}
	s.remove(c.start, next)
	return i
}

// closeGap keeps blank lines and comments at the line start at from becoming part of a block scalar that now comes before
// them: blank lines go, and the first comment is indented to column indent.
func (s *splicer) closeGap(at, indent int) {
	next := s.skipBlankLines(at)
	line := s.lineStart(next)
	if next == len(s.body) {
		line = next
	}
	s.remove(at, line)
	if s.at(next) == '#' {
		s.replace(line, next, strings.Repeat(" ", indent))
	}
}

// skipBlankLines returns the offset of the first byte that is no blank or line break.
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
	for _, k := range added {
		if n.Kind == Sequence {
			lines = append(lines, s.itemLine(l, n, last, k.value))
		} else {
			lines = append(lines, l.entryText(k.step().(string), k.value, n.indent, quotesOf(n.keys()), quotesFor(nil, n)))
		}
	}
	at := s.lineAfter(last.n.End)
	switch {
	case at > 0 && afterBreak(s.body, at):
		s.insert(at, margin+strings.Join(lines, l.eol+margin)+l.eol)
	case !endsOpen(last.n):
		s.insert(at, l.eol+margin+strings.Join(lines, l.eol+margin))
	case n.Kind == Mapping:
		// A line end after a block scalar at the end of the document would be part of it.
		s.insert(last.start, strings.Join(lines, l.eol+margin)+l.eol+margin)
	default:
		line, col := s.Position(last.start)
		s.err = &UnsafeError{Path: added[0].path, Line: line, Col: col, Reason: "the last item has no line end: add one"}
	}
}

// itemLine writes an item with as much space after the dash as the last one has.
func (s *splicer) itemLine(l layout, n *Node, last child, value any) string {
	gap := 1
	if width := last.n.props - last.head; width > 0 && s.lineStart(last.n.props) == s.lineStart(last.start) {
		gap = width
	}
	return "-" + strings.Repeat(" ", gap) + l.itemText(value, n.indent+1+gap, quotesFor(nil, n))
}

// endsOpen tells whether the last value in n is a block scalar.
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
	l := s.layoutAt(n)
	if at.parent != nil {
		l = s.layoutAt(at.parent)
	}
	l.eol = s.lineEnd(max(at.head, n.props))
	if isBlockValue(value) && !(n.Style == Flow && len(n.Entries)+len(n.Items) > 0) {
		s.putLines(at, value, l)
		return
	}
	text := l.inline(value, quotesFor(n, at.parent))
	switch {
	case n.props == n.End:
		s.insert(n.Start, " "+text)
	case at.head >= 0 && n.Style != Block && s.startsLine(n.props) && strings.Contains(s.margin(n.props), "\t"):
		// Where a value is indented with a tab, not every other value can stand.
		s.insert(at.head, " "+text)
		s.remove(s.lineStart(n.props), s.lineAfter(n.End))
	case n.Style == Literal || n.Style == Folded:
		end := s.headerEnd(n.Start)
		s.replace(n.props, end, text+s.gap(end))
		s.remove(skipLine(s.body, n.Start), n.End)
	case n.Style != Block:
		s.replace(n.props, n.End, text+s.gap(n.End))
	case !s.startsLine(n.Start):
		s.replaceCompact(n, text, l)
	case at.head < 0:
		start := s.lineStart(n.props)
		s.replace(start, s.lineAfter(n.End), s.comments(n, n.indent)+text+l.eol)
	default:
		s.replace(at.head, s.propsEnd(at), " "+text)
		s.replace(s.lineStart(n.Start), s.lineAfter(n.End), s.comments(n, n.indent))
	}
}

// gap is the blank that a comment needs which stands right behind a bracket, quote or block indicator.
func (s *splicer) gap(at int) string {
	if s.at(at) == '#' {
		return " "
	}
	return ""
}

// propsEnd is the offset after the anchor and tag of the value, or after the colon or dash.
func (s *splicer) propsEnd(at slot) int {
	if at.n.props == at.n.Start {
		return at.head
	}
	end, _ := s.skipProps(at.n.props, at.n.Start)
	return end
}

// putLines makes value, a collection that is not empty, stand at a slot as block lines.
func (s *splicer) putLines(at slot, value any, l layout) {
	n := at.n
	ownLine := n.props < n.End && s.startsLine(n.Start)
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
		s.replaceLines(s.lineStart(n.Start), n.End, s.comments(n, indent)+lines, l)
	case n.Style == Literal || n.Style == Folded:
		end := s.headerEnd(n.Start)
		s.replace(at.head, end, s.gap(end))
		s.replaceLines(skipLine(s.body, n.Start), n.End, lines, l)
	default:
		s.replace(at.head, n.End, s.gap(n.End))
		after := s.lineAfter(n.End)
		s.replaceLines(after, after, lines, l)
	}
}

// replaceLines replaces the lines from start to that of end. Where the document ends without a line end, so does what
// replaces its end.
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

// putItem is putLines for an item of a sequence.
func (s *splicer) putItem(at slot, value any, l layout, ownLine bool) {
	n := at.n
	indent := at.parent.indent + len("- ")
	if n.props < n.End {
		indent = s.column(n.props)
	}
	text := l.blockText(value, indent, Plain)
	switch {
	case n.props == n.End:
		s.insert(n.Start, " "+text)
	case ownLine && n.Style == Block && n.props == n.Start:
		s.replaceLines(s.lineStart(n.Start), n.End, s.comments(n, indent)+strings.Repeat(" ", indent)+text+l.eol, l)
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
	s.replace(n.props, end, text)
	if n.Style == Block {
		if comments := s.comments(n, n.indent); comments != "" {
			s.replaceLines(s.lineAfter(end), s.lineAfter(end), comments, l)
		}
	}
}

// comments returns the comment lines inside a block collection, indented to a column.
func (s *splicer) comments(n *Node, indent int) string {
	var b strings.Builder
	for at := s.lineAfter(n.Start); at < n.End; at = skipLine(s.body, at) {
		if text := skipBlank(s.body, at); s.at(text) == '#' && !n.textAt(at) {
			b.WriteString(strings.Repeat(" ", indent))
			b.Write(s.body[text:skipLine(s.body, text)])
		}
	}
	return b.String()
}

// textAt tells whether the offset is inside a scalar below n.
func (n *Node) textAt(at int) bool {
	if n.Kind == Scalar {
		return n.Start < at && at < n.End
	}
	for _, e := range n.Entries {
		if e.Key.textAt(at) || e.Value.textAt(at) {
			return true
		}
	}
	for _, item := range n.Items {
		if item.textAt(at) {
			return true
		}
	}
	return false
}
