package yamldoc

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPlainRandom compares what plainParser reads with what yaml.v3 reads, in random documents of which plainParser
// reads most.
func TestPlainRandom(t *testing.T) {
	const documents = 10_000
	read := 0
	for seed := range uint64(documents) {
		w := &plainWriter{Rand: rand.New(rand.NewPCG(seed, 0))}
		if comparePlain(t, []byte(w.document())) {
			read++
		}
	}
	if read < documents/4 {
		t.Errorf("reads only %d of %d documents", read, documents)
	}
}

// plainWriter writes random documents.
type plainWriter struct {
	*rand.Rand
	text strings.Builder
	odd  int // one of so many places is odd
}

func (w *plainWriter) one(list ...string) string { return list[w.IntN(len(list))] }

func (w *plainWriter) isOdd() bool { return w.IntN(w.odd) == 0 }

func (w *plainWriter) document() string {
	w.odd = []int{1000, 100, 40, 15, 5}[w.IntN(5)]
	w.between(0)
	if w.IntN(8) == 0 {
		w.sequence(w.one("", "", " ", "  "), 0)
	} else {
		w.mapping(w.one("", "", "", " ", "  "), 0)
	}
	text := w.text.String()
	if w.IntN(6) == 0 {
		text = strings.TrimRight(text, "\n")
	}
	if w.isOdd() {
		text += w.one("---", "...", "# end", "   ", "\n\n", "  \n ", "\n---\n", " #", "\n  #")
	}
	for range 3 {
		if w.isOdd() && len(text) > 0 {
			at := w.IntN(len(text))
			end := min(len(text), at+w.IntN(3))
			text = text[:at] + w.one("", " ", "  ", "\n", "\n\n", "#", " #", "- ", ": ", ":", "-", "?", "? ", "|", ">",
				"'", `"`, "[", "]", "{", "}", ",", "\t", "\r\n",
				"&a ", "*a", "!!str ", "!", "%", "@", "`", "\\", "\u00a0", "\u0085", "\u2028", "é", "\ufeff", "---\n",
				"\n---", "\n...", "0", "~", "<<: ") + text[end:]
		}
	}
	return text
}

// between writes blank lines and comments.
func (w *plainWriter) between(column int) {
	for w.IntN(4) == 0 {
		switch w.IntN(3) {
		case 0:
			w.text.WriteString(strings.Repeat(" ", w.IntN(6)*w.IntN(2)) + "\n")
		default:
			indent := column
			if w.IntN(2) == 0 {
				indent = w.IntN(10)
			}
			w.text.WriteString(strings.Repeat(" ", indent) + "#" + w.one("", " c", "c: d", " - x", "#", " é\u00a0",
				"|", " '") + w.one("", " ") + "\n")
		}
	}
}

func (w *plainWriter) end() {
	w.text.WriteString(w.one("", "", "", "", "", " ", "  ", " # c", "  #", " #c: d", " # 'a", "   # - |") + "\n")
}

func (w *plainWriter) count(depth int) int {
	if depth > 5 {
		return 1
	}
	return 1 + w.IntN(4)
}

// start starts the line of an entry or item, unless the first one is behind a dash.
func (w *plainWriter) start(indent string, i int) {
	if i > 0 {
		w.between(len(indent))
	}
	if w.text.Len() == 0 || strings.HasSuffix(w.text.String(), "\n") {
		w.text.WriteString(indent)
	}
}

func (w *plainWriter) mapping(indent string, depth int) {
	used := map[string]bool{}
	for i := range w.count(depth) {
		w.start(indent, i)
		if w.isOdd() {
			w.text.WriteString(w.one(" ", "  ", "? ", "- ", "&a ", "!!str ", "<<: *a\n", "# "))
		}
		key := w.key()
		if used[key] && w.IntN(20) > 0 {
			key += fmt.Sprint(i)
		}
		used[key] = true
		w.text.WriteString(key)
		if w.isOdd() {
			w.text.WriteString(" ")
		}
		w.text.WriteString(":")
		if w.isOdd() {
			w.text.WriteString(w.one(":", "\t", "|", "a", ",", " :", " - "))
		}
		w.value(indent, depth, false)
	}
}

func (w *plainWriter) sequence(indent string, depth int) {
	for i := range w.count(depth) {
		w.start(indent, i)
		if w.isOdd() {
			w.text.WriteString(w.one(" ", "? ", "-", "#"))
		}
		w.text.WriteString("-")
		w.value(indent, depth, true)
	}
}

// value writes what follows a colon or a dash.
func (w *plainWriter) value(indent string, depth int, item bool) {
	kind := w.IntN(10)
	if depth > 7 && kind < 4 {
		kind = 5
	}
	deeper := indent + w.one(" ", "  ", "  ", "  ", "    ")
	if w.isOdd() {
		deeper = w.one(indent, indent+"         ", "", " ")
	}
	if kind < 4 && item && !w.isOdd() {
		spaces := w.one(" ", " ", " ", "  ", "   ")
		w.text.WriteString(spaces)
		deeper = indent + " " + spaces
		if kind < 3 {
			w.mapping(deeper, depth+1)
		} else {
			w.sequence(deeper, depth+1)
		}
		return
	}
	switch {
	case kind < 3:
		w.end()
		w.between(len(deeper))
		w.mapping(deeper, depth+1)
	case kind < 4:
		w.end()
		w.between(len(deeper))
		if !item && w.IntN(2) == 0 {
			deeper = indent
		}
		w.sequence(deeper, depth+1)
	case kind == 4 && !item:
		w.end() // null
	case kind == 5:
		w.text.WriteString(w.one(" ", " ", "  "))
		w.literal(deeper)
	case kind == 6:
		w.text.WriteString(w.one(" ", " ", "  "))
		w.flow(depth)
		w.after()
		w.end()
	default:
		w.text.WriteString(w.one(" ", " ", "  "))
		w.text.WriteString(w.scalar(false))
		w.after()
		w.end()
		if w.isOdd() {
			w.text.WriteString(deeper + "continued\n")
		}
	}
}

func (w *plainWriter) after() {
	if w.isOdd() {
		w.text.WriteString(w.one("#c", " x", ": b", ":", " : b", ",", " ,", "]", "}", "'", `"`, " -", " |", "\t",
			"\t# c", ":b", "\\"))
	}
}

func (w *plainWriter) literal(indent string) {
	w.text.WriteString(w.one("|", "|", "|-"))
	if w.isOdd() {
		w.text.WriteString(w.one("+", "2", "1-", "-1", "9", " x", "#", "\t"))
	}
	w.end()
	if w.isOdd() {
		w.text.WriteString(w.one("\n", "   \n", "# c\n", indent+"  \n"))
	}
	for range 1 + w.IntN(5) {
		switch w.IntN(6) {
		case 0:
			w.text.WriteString(w.one("", "", indent, indent+"  ", " ", "  ", indent+" ") + "\n")
		case 1:
			w.text.WriteString(indent + w.one(" ", "  ", "    ") + w.line() + "\n")
		default:
			w.text.WriteString(indent + w.line() + "\n")
		}
		if w.isOdd() && len(indent) > 0 {
			w.text.WriteString(indent[1:] + w.one("# c", "x", "a: b", "- c", "") + "\n")
		}
	}
}

func (w *plainWriter) line() string {
	return w.one("a", "#!/bin/sh", "a: b", "- c", "--- ", "---", "...", "'", `"x`, "# c", "é\u00a0", "{", "x ",
		"|", "<<: *a", "&a b", "%Y", "a\\", "  x")
}

func (w *plainWriter) flow(depth int) {
	open, shut := "[", "]"
	isMap := w.IntN(2) == 0
	if isMap {
		open, shut = "{", "}"
	}
	w.text.WriteString(open + w.one("", "", " ", "  "))
	if n := w.IntN(4); depth < 8 && n > 0 {
		for i := range n {
			if i > 0 {
				w.text.WriteString(w.one(",", ", ", ", ", ",  ", " , "))
			}
			if isMap {
				w.text.WriteString(w.key() + w.one("", "", fmt.Sprint(i)) + ":" + w.one(" ", " ", " ", "  "))
				if w.isOdd() {
					continue
				}
			}
			if w.IntN(4) == 0 {
				w.flow(depth + 1)
			} else {
				w.text.WriteString(w.scalar(true))
			}
			if w.isOdd() {
				w.text.WriteString(w.one(",", " #c", "\n", ":", ": b", " x", "'", "\n  ", "#", "["))
			}
		}
		w.text.WriteString(w.one("", "", " ", "  "))
	}
	w.text.WriteString(shut)
}

func (w *plainWriter) key() string {
	if w.IntN(3) > 0 {
		return string(rune('a'+w.IntN(26))) + w.one("", "a", "1", "-x", "/y", ".z", "_", "=", "+")
	}
	return w.word()
}

func (w *plainWriter) word() string {
	if !w.isOdd() {
		return w.one("a", "1", "true", "null", "~", "1.5", "2001-01-01", "a-b", "a.b/c", "0x1F", "yes", "'a'",
			`"b c"`, "'a: b # c'", `"{"`, "''", "_", "010", "1e3", ".5", "0o7", "x=y", "'1'")
	}
	return w.one("a", "1", "-1", "true", "null", "~", "<<", "=", ".", "..", "...", "---", "--", "-", "-a", "a-",
		"2001-01-01", "2001-01-01T00:00:00Z", "0x1F",
		"0o7", "010", "08", "1_000", "1e3", ".5", "5.", "+1", "+.inf", ".nan", ".NaN", ".Inf", "-.INF", "yes", "No",
		"on", "OFF", "y", "N", "Null", "NULL", "TRUE", "True", "0b11", "0b2", "1:20", "12:30:45",
		"a.b/c", "é", "a=b", "=a", "+", "1.2.3", "1e", "0x", "_1", "1__", "_", "0b", "+0x1", "-0o17",
		"9999999999999999999", "18446744073709551616", "1.0e+400", "-0", "0.0",
		"''", `""`, "'a'", `"b c"`, `'a: b'`, `"# c"`, `'"'`, `"'"`, `'a b' `, `"é"`, `'- a'`, `"{"`, `"a\n"`,
		`'it''s'`, `" a "`, "'1'", `"~"`, `"<<"`,
		strings.Repeat("k", 1+w.IntN(3)*w.IntN(600)), `"`+strings.Repeat("q", 1+w.IntN(3)*w.IntN(600))+`"`)
}

func (w *plainWriter) scalar(flow bool) string {
	if flow || w.IntN(2) == 0 || !w.isOdd() {
		if !flow && w.IntN(3) == 0 {
			return w.one("a b", "a:b", "a#b", "a, b", "http://x:80/y?z=1#f", "é è", "1 2", "日本", "a'b", `a"b`,
				"a - b", "$x {y} [z]", "~ ~", "2001-01-01 10:00:00", "2001-01-01 1")
		}
		if flow && w.isOdd() {
			return w.one("a:b", "a:80", "http://x/y", "a:", ":a", "a::b", "a:b:c", "-:", "-,", "a#b", "a b",
				"a/b:c-d.e", "a*", "a%", "x{", "é")
		}
		return w.word()
	}
	return w.one("a b", "a: b", "a:b", "a#b", "a #b", "a # b", "- a", "-a b", "? a", "?a", ":a", ": a", "a:",
		"a,b", "a, b", "[a", "a]", "a}", "{", "x{y}", "&a", "*a", "!a", "!!str 1", "%a", "@a", "`a",
		"a'b", `a"b`, "'a' b", `"a" b`, "|", ">", "|a", ">a", "-", "--", "a -", "a - b", "http://x:80/y?z=1#f",
		"a\u00a0", "é è", "日本", "1 2", "1 ", "~ ~", "null x", "2001-01-01 10:00:00", "2001-01-01 1",
		"2001-01-01 10:00:00.5 +1", "0x 1", "<< a", "<<", "a \\ b", "\\", "$x", "${x}", "=", "^", "(a)", ";",
		"a  b", "a\tb", "--- a", "...", "... a", "1,000", "\U0001F600", "\ufffd", strings.Repeat("v",
			w.IntN(3000)),
		strings.Repeat("v w ", w.IntN(500)), `"`+strings.Repeat("v w ", w.IntN(500))+`"`)
}
