package yamldoc

import "strings"

// skipProps skips an anchor and a tag that start at i, before limit. It returns the offset after them and the offset of
// what follows.
func (t *Tree) skipProps(i, limit int) (end, next int) {
	for end, next = i, i; next < limit; next = skipSpace(t.body, end) {
		switch t.at(next) {
		case '&':
			for end = next + 1; isAnchorChar(t.at(end)); end++ {
			}
		case '!':
			for end = next + 1; !endsWord(t.body, end); end++ {
			}
		default:
			return end, next
		}
	}
	return end, next
}

func isAnchorChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

// closeFlow sets the end of a flow collection after its bracket. A mapping of one pair in a flow sequence has none.
func (t *Tree) closeFlow(n *Node, open, shut byte) {
	if t.at(n.Start) != open {
		return
	}
	for i := n.End; i < len(t.body); i = skipSpace(t.body, i+1) {
		i = skipSpace(t.body, i)
		if t.at(i) == shut {
			n.End = i + 1
			return
		}
	}
}

// scalarEnd sets the end of a scalar. indent is the column of the block collection around it.
func (t *Tree) scalarEnd(n *Node, indent int) error {
	switch n.Style {
	case SingleQuoted:
		for n.End = n.Start + 1; n.End < len(t.body); n.End++ {
			if t.body[n.End] != '\'' {
				continue
			}
			if t.at(n.End+1) != '\'' {
				break
			}
			n.End++
		}
		n.End++
	case DoubleQuoted:
		for n.End = n.Start + 1; n.End < len(t.body) && t.body[n.End] != '"'; n.End++ {
			if t.body[n.End] == '\\' {
				n.End++
			}
		}
		n.End++
	case Literal, Folded:
		n.End, _, _ = t.blockScalar(n.Start, indent)
	default:
		n.End = t.plainEnd(n.Start, n.Value)
	}
	if n.End > len(t.body) {
		return errUnlocated
	}
	return nil
}

// plainEnd returns the end of the plain scalar at start. The white space in the document may differ from that in value.
// If the value is not there, the end is after the document.
func (t *Tree) plainEnd(start int, value string) (end int) {
	end = start
	for at, rest := start, []byte(value); len(rest) > 0; {
		if n := spaceLen(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		for n := 1; n > 0 && at < len(t.body); at += n {
			n = spaceLen(t.body[at:])
		}
		if t.at(at) != rest[0] {
			return len(t.body) + 1
		}
		at, rest = at+1, rest[1:]
		end = at
	}
	return end
}

// spaceLen returns the length of the blank or line break at the start of text, or 0.
func spaceLen(text []byte) int {
	if len(text) > 0 && isBlank(text[0]) {
		return 1
	}
	return breakLen(text)
}

// headerEnd returns the offset after the indicators of the block scalar at start.
func (t *Tree) headerEnd(start int) int {
	for start++; start < len(t.body) && strings.IndexByte("+-123456789", t.body[start]) >= 0; start++ {
	}
	return start
}

// blockScalar returns the end of a block scalar as yaml.v3 finds it (scannerc.go, yaml_parser_scan_block_scalar): the
// end of the last line of its content, with the line break, or of the blank lines after it for the indicator +. It also
// returns the column of the content, and whether there is that indicator. parent is the column of the block collection
// around.
func (t *Tree) blockScalar(start, parent int) (end, indent int, keep bool) {
	end = t.nextLine(start)
	for _, c := range t.body[start+1 : t.headerEnd(start)] {
		switch {
		case c == '+':
			keep = true
		case c != '-':
			indent = max(0, parent) + int(c-'0')
		}
	}
	at, col := t.skipIndent(end, indent)
	if indent == 0 {
		indent = max(t.deepest(end, at), parent+1, 1)
	}
	for at < len(t.body) && col == indent {
		end = t.nextLine(at)
		at, col = t.skipIndent(end, indent)
	}
	if keep {
		end = at - col
	}
	return end, indent, keep
}

// skipIndent skips blank lines from the line start at, then up to indent spaces of the next line, or all of them if
// indent is 0. It returns the offset and column after them.
func (t *Tree) skipIndent(at, indent int) (next, col int) {
	for {
		col = 0
		for (indent == 0 || col < indent) && t.at(at) == ' ' {
			at, col = at+1, col+1
		}
		n := 0
		if at < len(t.body) {
			n = breakLen(t.body[at:])
		}
		if n == 0 {
			return at, col
		}
		at += n
	}
}

// deepest returns the largest number of leading spaces on the lines from the line start at to end.
func (t *Tree) deepest(at, end int) int {
	most := 0
	for at <= end {
		next, col := at, 0
		for t.at(next) == ' ' {
			next, col = next+1, col+1
		}
		most = max(most, col)
		if next >= end {
			break
		}
		at = t.nextLine(next)
	}
	return most
}
