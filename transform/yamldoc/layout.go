package yamldoc

import (
	"bytes"
	"strings"
)

// layout is how a document is written where something is added.
type layout struct {
	eol   string
	step  int // columns by which a mapping is deeper than the mapping around it
	list  int // columns by which the dashes of a sequence are deeper than its key
	json  bool
	colon string // between key and value in flow style
	comma string // between entries on one line in flow style
	unit  string // by which entries with lines of their own are indented in flow style
}

// layoutAt finds the layout near n: that of n, else the first of the document.
func (t *Tree) layoutAt(n *Node) layout {
	l := layout{eol: t.lineEnd(n.Start), step: 2, json: t.json, colon: ": ", comma: ", ", unit: "  "}
	step := t.measure(n, (*Tree).stepOf)
	if step < 0 {
		step = t.measure(t.Root, (*Tree).stepOf)
	}
	if step > 0 {
		l.step = step
	}
	if l.list = t.measure(n, (*Tree).listOf); l.list < 0 {
		l.list = t.measure(t.Root, (*Tree).listOf)
	}
	if l.list < 0 {
		l.list = l.step
	}
	return l
}

// measure finds the first answer of at least 0 in n or below it.
func (t *Tree) measure(n *Node, of func(*Tree, *Node) int) int {
	if v := of(t, n); v >= 0 {
		return v
	}
	for _, e := range n.Entries {
		if v := t.measure(e.Value, of); v >= 0 {
			return v
		}
	}
	for _, item := range n.Items {
		if v := t.measure(item, of); v >= 0 {
			return v
		}
	}
	return -1
}

func (t *Tree) stepOf(n *Node) int { return n.depthOf(Mapping) }
func (t *Tree) listOf(n *Node) int { return n.depthOf(Sequence) }

// depthOf is by how much the first block collection of a kind is deeper than the key in n that it belongs to, or -1.
func (n *Node) depthOf(kind Kind) int {
	if n.Kind != Mapping || n.Style != Block {
		return -1
	}
	for _, e := range n.Entries {
		if e.Value.Kind == kind && e.Value.Style == Block {
			return e.Value.indent - n.indent
		}
	}
	return -1
}

// lineEnd is the line break at the end of the line of at, or of another line near it.
func (t *Tree) lineEnd(at int) string {
	end := skipLine(t.body, at)
	if !afterBreak(t.body, end) || end == 0 {
		end = t.lineStart(at)
	}
	for _, br := range []string{"\r\n", "\n", "\r"} {
		if bytes.HasSuffix(t.body[:end], []byte(br)) {
			return br
		}
	}
	return "\n"
}

// blockText writes a collection as block lines whose keys or dashes stand at column indent. The first line has no
// indentation and the last no line end.
func (l layout) blockText(value any, indent int, quotes Style) string {
	margin := l.eol + strings.Repeat(" ", indent)
	var lines []string
	switch v := value.(type) {
	case Map:
		for _, f := range v {
			lines = append(lines, l.entryText(f.Key, f.Value, indent, Plain, quotes))
		}
	case []any:
		for _, item := range v {
			lines = append(lines, "- "+l.itemText(item, indent+2, quotes))
		}
	}
	return strings.Join(lines, margin)
}

// entryText writes an entry of a block mapping whose keys stand at column indent.
func (l layout) entryText(key string, value any, indent int, keyQuotes, quotes Style) string {
	k := scalarText(key, keyQuotes, false) + ":"
	if isBlockValue(value) {
		indent = l.below(indent, value)
		return k + l.eol + strings.Repeat(" ", indent) + l.blockText(value, indent, Plain)
	}
	return k + " " + l.inline(value, quotes)
}

// below is the column for a block value of a key at column indent.
func (l layout) below(indent int, value any) int {
	if _, isList := value.([]any); isList {
		return indent + l.list
	}
	return indent + l.step
}

// itemText writes an item of a block sequence that starts at column indent.
func (l layout) itemText(value any, indent int, quotes Style) string {
	if isBlockValue(value) {
		return l.blockText(value, indent, Plain)
	}
	return l.inline(value, quotes)
}

// isBlockValue tells whether a value is written as lines in block style.
func isBlockValue(value any) bool {
	switch v := value.(type) {
	case Map:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// inline writes a value on one line of a block collection.
func (l layout) inline(value any, quotes Style) string {
	switch value.(type) {
	case Map, []any:
		return l.flow(value, quotes, "")
	}
	return scalarText(value, quotes, false)
}

// flow writes a value in flow style. A collection has a line for each of its entries if margin, a line break and the
// indentation of the line on which the value starts, is not empty.
func (l layout) flow(value any, quotes Style, margin string) string {
	open, shut := "{", "}"
	inner := ""
	if margin != "" {
		inner = margin + l.unit
	}
	var parts []string
	switch v := value.(type) {
	case Map:
		for _, f := range v {
			parts = append(parts, l.flowEntry(f.Key, f.Value, Plain, Plain, inner))
		}
	case []any:
		open, shut = "[", "]"
		for _, item := range v {
			parts = append(parts, l.flow(item, Plain, inner))
		}
	default:
		return scalarText(value, l.quotes(quotes), true)
	}
	switch {
	case len(parts) == 0:
		return open + shut
	case margin != "":
		return open + inner + strings.Join(parts, ","+inner) + margin + shut
	}
	return open + strings.Join(parts, l.comma) + shut
}

// flowEntry writes an entry of a flow mapping.
func (l layout) flowEntry(key string, value any, keyQuotes, quotes Style, margin string) string {
	return scalarText(key, l.quotes(keyQuotes), true) + l.colon + l.flow(value, quotes, margin)
}

func (l layout) quotes(quotes Style) Style {
	if l.json {
		return DoubleQuoted
	}
	return quotes
}
