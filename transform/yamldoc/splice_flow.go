package yamldoc

import "strings"

// flow edits a flow collection that keeps or gains at least one entry.
func (s *splicer) flow(n *Node, children []child, added []*plan) {
	l := s.flowLayout(n, children)
	for i := 0; i < len(children); i++ {
		c := children[i]
		switch {
		case c.plan == nil:
		case c.plan.remove:
			s.path = c.plan.path
			i = s.removeFlow(children, i)
		default:
			if c.key != nil {
				s.renameKey(c)
			}
			if c.plan.set || len(c.plan.kids) > 0 {
				c.flow, c.l = true, &l
				if s.ownLine(n, c) {
					c.margin = l.eol + s.margin(c.start)
				}
				s.visit(c.slot, c.plan)
			}
		}
	}
	if len(added) > 0 {
		s.appendFlow(n, l, children[len(children)-1], added)
	}
}

// flowLayout returns the layout of a flow collection.
func (s *splicer) flowLayout(n *Node, children []child) layout {
	l := s.layoutAt(n)
	for i, c := range children {
		if c.key != nil && c.n.props() < c.n.End {
			colon := string(s.body[c.key.End:c.n.props()])
			if strings.Trim(colon, " \t") == ":" && (l.json || colon[len(colon)-1] != ':') {
				l.colon = colon
			}
		}
		if l.json && l.colon == ":" {
			l.comma = ","
		}
		if i > 0 && !s.ownLine(n, c) {
			if comma := s.comma(children[i-1]); comma >= 0 {
				l.comma = string(s.body[comma:c.start])
			}
		}
		if s.ownLine(n, c) {
			if unit, ok := strings.CutPrefix(s.margin(c.start), s.margin(n.Start)); ok && unit != "" {
				l.unit = unit
			}
		}
	}
	return l
}

// ownLine reports whether an entry of a flow collection is the first on its line.
func (s *splicer) ownLine(n *Node, c child) bool {
	return s.startsLine(c.start) && s.lineStart(c.start) > n.Start
}

// comma returns the offset of the comma after an entry, or -1.
func (s *splicer) comma(c child) int {
	if at := skipSpace(s.body, c.n.End); s.at(at) == ',' {
		return at
	}
	return -1
}

// lineEnds reports whether nothing but a comment follows an offset on its line.
func (s *splicer) lineEnds(at int) bool {
	at = skipBlank(s.body, at)
	return at == len(s.body) || s.body[at] == '#' || breakLen(s.body[at:]) > 0
}

// removeFlow removes child i and the children after it that are to be removed too. It returns the index of the last
// one.
func (s *splicer) removeFlow(children []child, i int) int {
	j := i
	for j+1 < len(children) && children[j+1].removed() {
		j++
	}
	first, last := children[i], children[j]
	end, comma := last.n.End, s.comma(last)
	if comma >= 0 {
		end = comma + 1
	}
	own := s.ownLine(first.parent, first)
	switch {
	case own && s.lineEnds(end):
		s.remove(s.lineStart(first.start), s.lineAfter(end))
	case j+1 < len(children):
		to := skipBlank(s.body, end)
		if s.at(to) == '#' {
			to = s.nextLine(to)
			for to > end && breakLen(s.body[to-1:]) > 0 {
				to--
			}
		}
		s.remove(first.start, to)
	default:
		if i > 0 && !own {
			prev := s.comma(children[i-1])
			if comma >= 0 || s.endsColon(prev) {
				prev++
			}
			s.remove(prev, end)
			return j
		}
		s.remove(first.start, end)
	}
	if j+1 == len(children) && comma < 0 && i > 0 {
		prev := s.comma(children[i-1])
		switch {
		case s.endsColon(prev):
		case s.at(prev+1) == '#':
			s.replace(prev, prev+1, " ") // a comment begins after a blank or a comma
		default:
			s.remove(prev, prev+1)
		}
	}
	return j
}

// endsColon reports whether there is a colon right before a comma. The colon is part of the key only because the comma
// follows: before a line end it would be an indicator.
func (s *splicer) endsColon(comma int) bool { return s.at(comma-1) == ':' }

// appendFlow adds entries at the end of a flow collection that has some.
func (s *splicer) appendFlow(n *Node, l layout, last child, added []*plan) {
	end, comma := last.n.End, s.comma(last)
	empty := last.n.Start == end
	tag := empty && last.n.props() < end
	colon := empty && last.key != nil && last.head > last.key.End ||
		last.item && last.n.Kind == Mapping && s.at(end-1) == ':'
	if tag || colon {
		// Without a blank, the colon would become part of the key, or the comma part of the tag.
		if isBlank(s.at(end)) {
			end++
		} else {
			s.insert(end, " ")
		}
	}
	own := s.ownLine(n, last)
	margin := ""
	if own && l.json {
		margin = l.eol + s.margin(last.start)
	}
	var texts []string
	keyQuotes, quotes := quotesOf(n.keys()), quotesFor(nil, n)
	for _, k := range added {
		if n.Kind == Sequence {
			texts = append(texts, l.flow(k.value, quotes, margin))
		} else {
			texts = append(texts, l.flowEntry(k.step().(string), k.value, keyQuotes, quotes, margin))
		}
	}
	tail := max(end, comma+1)
	if !s.lineEnds(tail) {
		separator := l.comma
		if own {
			separator = "," + l.eol + s.margin(last.start)
		}
		s.insert(end, separator+strings.Join(texts, separator))
		return
	}
	// The bracket is on a later line: a comment after the last entry stays with that entry.
	indent := s.margin(last.start)
	if !own {
		indent = s.margin(n.Start) + l.unit
	}
	lines := indent + strings.Join(texts, ","+l.eol+indent)
	if comma >= 0 {
		lines += ","
	} else {
		s.insert(end, ",")
	}
	s.insert(s.lineAfter(tail), lines+l.eol)
}

// putFlow sets a slot of a flow collection, or the root, to value.
func (s *splicer) putFlow(at slot, value any) {
	n := at.n
	l := at.l
	if l == nil {
		whole := s.layoutAt(n)
		l = &whole
	}
	margin := at.margin
	if !l.json || (n.Kind == Mapping || n.Kind == Sequence) && n.End > n.Start+len("{}") && s.lineAfter(n.Start) >= n.End {
		margin = ""
	}
	text := l.flow(value, quotesFor(n, at.parent), margin)
	switch {
	case n.props() < n.End:
		s.replace(n.props(), n.End, text+s.gap(n.End))
	case at.key != nil && at.head == at.key.End:
		s.insert(n.Start, ": "+text)
	default:
		s.insert(n.Start, " "+text)
	}
}
