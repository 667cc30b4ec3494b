package yamldoc

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// yamlLines returns the offsets at which lines start, as yaml.v3 counts lines.
func yamlLines(body []byte) []int {
	lines := make([]int, 1, len(body)/24+2)
	lines[0] = bomLen(body)
	for i := 0; i < len(body); {
		if c := body[i]; c == '\n' || c == '\r' || c == 0xc2 || c == 0xe2 {
			if n := breakLen(body[i:]); n > 0 {
				i += n
				lines = append(lines, i)
				continue
			}
		}
		i++
	}
	return lines
}

// offset finds the byte at a position of yaml.v3, whose columns count runes from 1.
func (t *Tree) offset(line, col int) int {
	at := t.lines[min(line, len(t.lines))-1]
	for ; col > 1 && at < len(t.body); col-- {
		if t.body[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRune(t.body[at:])
		at += size
	}
	return at
}

// lineStart is the offset at which the line of at starts.
func (t *Tree) lineStart(at int) int {
	return t.lines[max(0, sort.SearchInts(t.lines, at+1)-1)]
}

// lineAfter is the offset of the line that follows text which ends at end. Text that ends with a line break, as block
// scalars do, is followed by the line at end.
func (t *Tree) lineAfter(end int) int {
	if end > 0 && afterBreak(t.body, end) {
		return end
	}
	return skipLine(t.body, end)
}

// column is the number of runes before at on its line.
func (t *Tree) column(at int) int { return utf8.RuneCount(t.body[t.lineStart(at):at]) }

// startsLine tells whether only blanks stand before at on its line.
func (t *Tree) startsLine(at int) bool {
	start := t.lineStart(at)
	return skipBlank(t.body[:at], start) == at
}

// at is the byte at an offset, or 0 behind the end.
func (t *Tree) at(i int) byte {
	if i < len(t.body) {
		return t.body[i]
	}
	return 0
}

// skipProps skips an anchor and a tag that start at i, before limit; it returns the offset after them and that of what
// follows.
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

// closeFlow sets the end of a flow collection behind its bracket. A mapping of one pair in a flow sequence has none.
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

// scalarEnd sets the end of a scalar from its start; indent is the column of the block collection around it.
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
		n.End = t.blockScalarEnd(n.Start, indent)
	default:
		n.End = t.plainEnd(n.Start, n.Value)
	}
	if n.End > len(t.body) {
		return errUnlocated
	}
	return nil
}

// plainEnd walks over the characters of a plain scalar; between them the document may have other white space. The end
// is behind the document if the value is not there.
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

// spaceLen is the length of the blank or line break that text starts with, or 0.
func spaceLen(text []byte) int {
	if len(text) > 0 && isBlank(text[0]) {
		return 1
	}
	return breakLen(text)
}

// headerEnd is the offset after the indicators of the block scalar at start.
func (t *Tree) headerEnd(start int) int {
	for start++; start < len(t.body) && strings.IndexByte("+-123456789", t.body[start]) >= 0; start++ {
	}
	return start
}

// blockScalarEnd finds the end of a block scalar as yaml.v3 does (scannerc.go, yaml_parser_scan_block_scalar): that of
// the last line of its content, with the line break, and for the indicator + that of the blank lines after it.
func (t *Tree) blockScalarEnd(start, parent int) int {
	end := skipLine(t.body, start)
	keep, indent := false, 0
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
		end = skipLine(t.body, at)
		at, col = t.skipIndent(end, indent)
	}
	if keep {
		return at - col
	}
	return end
}

// skipIndent skips blank lines from the line start at, and up to indent spaces of the line that follows, all if indent
// is 0. It returns where that ends, and the column.
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

// deepest is the largest column reached by spaces alone on the lines from the line start at to end.
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
		at = skipLine(t.body, next)
	}
	return most
}
