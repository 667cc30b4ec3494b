package yamldoc

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// maxPlainDepth is the nesting up to which plainParser reads a document.
const maxPlainDepth = 50

// plainParser reads YAML as most manifests are written: block collections, scalars of one line, literal block scalars,
// and flow collections of one line. It gives up on everything else, faults included, and leaves it to yaml.v3. What it
// reads, it reads as yaml.v3 does; FuzzPlain compares the two.
type plainParser struct {
	*Tree
	builder
	source string // the document; values share its memory
	line   int    // offset of the first line that is not read yet
}

// parsePlain returns nil if it gives up.
func (t *Tree) parsePlain() *Node {
	if !plainText(t.body) {
		return nil
	}
	source := unsafe.String(unsafe.SliceData(t.body), len(t.body)) // nobody modifies the body
	p := plainParser{Tree: t, builder: newBuilder(), source: source}
	defer p.close()
	lines := strings.Count(source, "\n") + 1
	p.nodes.size, p.below.size = 2*lines+min(lines, strings.Count(source, ",")), lines/2+1
	p.entries.size, p.items.size = lines, lines/4+1
	at, column := p.content()
	if at < 0 {
		return nil
	}
	root := p.block(at, column, 0)
	if root == nil || p.line < len(p.source) {
		return nil
	}
	return root
}

// plainText reports whether a document has only characters that mean the same everywhere in it.
func plainText(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < utf8.RuneSelf {
			if c < ' ' && c != '\n' || c == 0x7f {
				return false
			}
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError || r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || isControl(r) {
			return false
		}
		i += size - 1
	}
	return true
}

// content moves to the next line that is neither blank nor a comment. It returns the offset and column of its first
// character, or -1 after the last line. The line counts as read only once a value on it is.
func (p *plainParser) content() (at, column int) {
	for p.line < len(p.source) {
		at := skipBlank(p.body, p.line)
		if c := p.at(at); c != '\n' && c != '#' && at < len(p.source) {
			return at, at - p.line
		}
		p.endLine(at)
	}
	return -1, -1
}

// endLine marks the line at an offset as read.
func (p *plainParser) endLine(at int) {
	if i := strings.IndexByte(p.source[at:], '\n'); i >= 0 {
		p.line = at + i + 1
		return
	}
	p.line = len(p.source)
}

// rest marks the line as read and reports whether it has nothing but a comment from an offset on.
func (p *plainParser) rest(at int) bool {
	start := at
	at = skipBlank(p.body, at)
	c := p.at(at)
	if c != 0 && c != '\n' && (c != '#' || at == start) {
		return false
	}
	p.endLine(at)
	return true
}

// isDash reports whether there is the dash of an item of a block sequence.
func (p *plainParser) isDash(at int) bool { return p.at(at) == '-' && p.ends(at+1) }

// ends reports whether there is a space, a line break or the end of the document.
func (p *plainParser) ends(at int) bool {
	c := p.at(at)
	return c == ' ' || c == '\n' || c == 0
}

// block reads the block collection that starts at an offset.
func (p *plainParser) block(at, column, depth int) *Node {
	if depth > maxPlainDepth {
		return nil
	}
	if column == 0 && (strings.HasPrefix(p.source[at:], "---") || strings.HasPrefix(p.source[at:], "...")) {
		return nil
	}
	if p.isDash(at) {
		return p.sequence(at, column, depth)
	}
	return p.mapping(at, column, depth)
}

func (p *plainParser) collection(kind Kind, style Style, tag tag, start int) *Node {
	n := p.nodes.one()
	*n = Node{Kind: kind, Style: style, tag: tag, Start: start, collection: p.below.one()}
	return n
}

func (p *plainParser) mapping(at, column, depth int) *Node {
	n := p.collection(Mapping, Block, tagMap, at)
	n.indent = column
	first := len(p.openEntries)
	for here := column; here == column; at, here = p.content() {
		key, colon := p.key(at)
		if key == nil {
			return nil
		}
		value := p.value(colon, column, depth)
		if value == nil {
			return nil
		}
		p.openEntries = append(p.openEntries, Entry{Key: key, Value: value, colon: colon})
		n.End = value.End
	}
	return p.complete(n, first, column)
}

// complete gives a mapping its entries. It returns nil if yaml.v3 has to find the fault in them, or if the next line
// does not belong to a collection around.
func (p *plainParser) complete(n *Node, first, column int) *Node {
	n.Entries = p.takeEntries(first)
	if _, next := p.content(); next > column {
		return nil
	}
	if _, second := n.indexKeys(); second >= 0 {
		return nil
	}
	return n
}

// value reads what follows a colon, up to the next line that is not part of it.
func (p *plainParser) value(colon, column, depth int) *Node {
	if !p.rest(colon) {
		return p.inline(skipBlank(p.body, colon), column, depth)
	}
	at, inner := p.content()
	if inner > column || inner == column && p.isDash(at) {
		return p.block(at, inner, depth+1)
	}
	return p.scalar(Plain, tagNull, "", colon, colon)
}

func (p *plainParser) sequence(at, column, depth int) *Node {
	n := p.collection(Sequence, Block, tagSeq, at)
	n.indent = column
	first := len(p.openItems)
	here := column
	for here == column && p.isDash(at) {
		start := skipBlank(p.body, at+1)
		var item *Node
		if c := p.at(start); c == 0 || c == '\n' || c == '#' {
			return nil
		}
		if p.keyEnd(start) > start || p.isDash(start) {
			item = p.block(start, column+start-at, depth+1)
		} else {
			item = p.inline(start, column, depth)
		}
		if item == nil {
			return nil
		}
		p.openItems = append(p.openItems, item)
		n.End = item.End
		at, here = p.content()
	}
	if here > column {
		return nil
	}
	n.Items = p.takeItems(first)
	return n
}

// inline reads a value that starts on the line of its key or dash and is no block collection.
func (p *plainParser) inline(at, column, depth int) *Node {
	var n *Node
	switch p.source[at] {
	case '"', '\'':
		n = p.quoted(at)
	case '[', '{':
		n = p.flow(at, depth+1)
	case '|':
		return p.literal(at, column)
	default:
		n = p.plain(at)
	}
	if n == nil || !p.rest(n.End) {
		return nil
	}
	return n
}
