package yamldoc

import (
	"bytes"
	"strings"
)

// layout is the style in which to write an addition.
type layout struct {
	eol     string
	mapping int // indentation of a mapping relative to the mapping around it
	list    int // indentation of the dashes of a sequence relative to its key
	json    bool
	colon   string // between key and value in flow style
	comma   string // between entries on one line in flow style
	unit    string // indentation of entries on their own lines in flow style
}

// indentation is how deep a document indents what it contains; -1 means that it does not show.
type indentation struct{ mapping, list int }

// layoutAt returns the layout of n. What n does not show comes from the rest of the document.
func (s *splicer) layoutAt(n *Node) layout {
	l := layout{eol: s.lineEnd(n.Start), mapping: 2, json: s.json, colon: ": ", comma: ", ", unit: "  "}
	own, whole := s.indentation(n), s.indentation(s.Root)
	if own.mapping < 0 {
		own.mapping = whole.mapping
	}
	if own.mapping > 0 {
		l.mapping = own.mapping
	}
	if l.list = own.list; l.list < 0 {
		l.list = whole.list
	}
	if l.list < 0 {
		l.list = l.mapping
	}
	return l
}

// indentation measures each node once.
func (s *splicer) indentation(n *Node) indentation {
	if n.Style != Block {
		return indentation{-1, -1}
	}
	measured, known := s.measured[n]
	if !known {
		measured = indentation{n.measure(Mapping), n.measure(Sequence)}
		if s.measured == nil {
			s.measured = map[*Node]indentation{}
		}
		s.measured[n] = measured
	}
	return measured
}

// measure returns the indentation of the first block collection of a kind in n or below it, relative to its key, or -1.
func (n *Node) measure(kind Kind) int {
	if n.Style != Block {
		return -1 // nothing below is in block style
	}
	if v := n.depthOf(kind); v >= 0 {
		return v
	}
	for _, e := range n.Entries {
		if v := e.Value.measure(kind); v >= 0 {
			return v
		}
	}
	for _, item := range n.Items {
		if v := item.measure(kind); v >= 0 {
			return v
		}
	}
	return -1
}

// depthOf returns the indentation of the first block collection of a kind in n, relative to its key, or -1.
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

// lineEnd returns the line break of the line at the offset, or of a line near it.
func (t *Tree) lineEnd(at int) string {
	end := t.nextLine(at)
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

// blockText formats a collection as block lines with the keys or dashes at column indent. The first line has no
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

// entryText formats an entry of a block mapping with the keys at column indent.
func (l layout) entryText(key string, value any, indent int, keyQuotes, quotes Style) string {
	k := scalarText(key, keyQuotes, false) + ":"
	if isBlockValue(value) {
		indent = l.below(indent, value)
		return k + l.eol + strings.Repeat(" ", indent) + l.blockText(value, indent, Plain)
	}
	return k + " " + l.inline(value, quotes)
}

// below returns the column for a block value of a key at column indent.
func (l layout) below(indent int, value any) int {
	if _, isList := value.([]any); isList {
		return indent + l.list
	}
	return indent + l.mapping
}

// itemText formats an item of a block sequence that starts at column indent.
func (l layout) itemText(value any, indent int, quotes Style) string {
	if isBlockValue(value) {
		return l.blockText(value, indent, Plain)
	}
	return l.inline(value, quotes)
}

// isBlockValue reports whether a value takes lines of its own in block style.
func isBlockValue(value any) bool {
	switch v := value.(type) {
	case Map:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// inline formats a value on one line of a block collection.
func (l layout) inline(value any, quotes Style) string {
	switch value.(type) {
	case Map, []any:
		return l.flow(value, quotes, "")
	}
	return scalarText(value, quotes, false)
}

// flow formats a value in flow style. margin is empty, or a line break and the indentation of the line on which the
// value starts: then each entry of a collection gets its own line.
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

// flowEntry formats an entry of a flow mapping.
func (l layout) flowEntry(key string, value any, keyQuotes, quotes Style, margin string) string {
	return scalarText(key, l.quotes(keyQuotes), true) + l.colon + l.flow(value, quotes, margin)
}

func (l layout) quotes(quotes Style) Style {
	if l.json {
		return DoubleQuoted
	}
	return quotes
}
