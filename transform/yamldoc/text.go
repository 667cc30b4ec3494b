package yamldoc

import (
	"bytes"
	"sort"
	"sync/atomic"
	"unicode/utf8"
)

// text is the bytes of a document, with an index of lines and columns that is built when it is first needed.
type text struct {
	body  []byte
	yaml  bool // lines end where yaml.v3 ends them, else where editors do
	index atomic.Pointer[lineIndex]
}

type lineIndex struct {
	lines []int // offsets at which lines start, as the document's language counts them
	shown []int // the same, as people count them
	runes []int // number of runes before every block of bytes, nil if all are ASCII
}

// indexed returns the index of the text.
func (t *text) indexed() *lineIndex {
	index := t.index.Load()
	if index == nil {
		index = newLineIndex(t.body, t.yaml)
		t.index.Store(index)
	}
	return index
}

// block is the number of bytes between two entries of text.runes.
const block = 256

func newLineIndex(body []byte, yaml bool) *lineIndex {
	t := &lineIndex{lines: make([]int, 1, bytes.Count(body, []byte("\n"))+2)}
	t.lines[0] = bomLen(body)
	if isSimple(body) {
		for i, c := range body {
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
		t.shown = t.lines
		return t
	}
	ascii := true
	var others int // lines that end with a break that only YAML has
	for i := 0; i < len(body); {
		switch c := body[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
			n := breakLen(body[i:])
			if n == 0 || !yaml {
				i++
				continue
			}
			others++
			i += n
		case c == '\n' || c == '\r':
			i += breakLen(body[i:])
		default:
			i++
			continue
		}
		t.lines = append(t.lines, i)
	}
	t.shown = t.lines
	if others > 0 {
		t.shown = make([]int, 0, len(t.lines)-others)
		for _, at := range t.lines {
			if at <= t.lines[0] || body[at-1] == '\n' || body[at-1] == '\r' {
				t.shown = append(t.shown, at)
			}
		}
	}
	if !ascii {
		t.countRunes(body)
	}
	return t
}

// isSimple reports whether all bytes are ASCII and all lines end with a line feed alone.
func isSimple(body []byte) bool {
	var all byte
	for _, c := range body {
		all |= c
	}
	return all < utf8.RuneSelf && bytes.IndexByte(body, '\r') < 0
}

func (t *lineIndex) countRunes(body []byte) {
	t.runes = make([]int, 0, len(body)/block+1)
	n := 0
	for i, c := range body {
		if i%block == 0 {
			t.runes = append(t.runes, n)
		}
		if utf8.RuneStart(c) {
			n++
		}
	}
	if len(body)%block == 0 {
		t.runes = append(t.runes, n)
	}
}

// before returns the number of runes before an offset.
func (t *text) before(at int) int {
	runes := t.indexed().runes
	if runes == nil {
		return at
	}
	n := runes[at/block]
	for _, c := range t.body[at/block*block : at] {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// offset returns the offset of a position in yaml.v3, whose columns count runes from 1.
func (t *text) offset(line, col int) int {
	index := t.indexed()
	start := index.lines[min(line, len(index.lines))-1]
	if index.runes == nil {
		return min(start+col-1, len(t.body))
	}
	want := t.before(start) + col - 1
	at := start
	if i := sort.SearchInts(index.runes, want+1) - 1; i*block > at {
		at = i * block
	}
	for n := t.before(at); at < len(t.body); at++ {
		if utf8.RuneStart(t.body[at]) {
			if n == want {
				break
			}
			n++
		}
	}
	return at
}

// position returns the line and column of an offset, as people count them.
func (t *text) position(at int) (line, col int) {
	shown := t.indexed().shown
	line = max(1, sort.SearchInts(shown, at+1))
	return line, t.before(max(at, shown[line-1])) - t.before(shown[line-1]) + 1
}

func (t *text) errorAt(at int, msg string) *Error {
	line, col := t.position(at)
	return &Error{Line: line, Col: col, Msg: msg}
}

// lineStart returns the offset of the start of the line at an offset.
func (t *text) lineStart(at int) int {
	lines := t.indexed().lines
	return lines[max(0, sort.SearchInts(lines, at+1)-1)]
}

// nextLine returns the offset of the start of the line after the one at an offset.
func (t *text) nextLine(at int) int {
	lines := t.indexed().lines
	if i := sort.SearchInts(lines, at+1); i < len(lines) {
		return lines[i]
	}
	return len(t.body)
}

// lineAfter returns the offset of the line after a value that ends at end. A value that ends with a line break, such as
// a block scalar, ends there itself.
func (t *text) lineAfter(end int) int {
	if end > 0 && t.lineStart(end) == end {
		return end
	}
	return t.nextLine(end)
}

// column returns the number of runes before an offset on its line.
func (t *text) column(at int) int { return t.before(at) - t.before(min(at, t.lineStart(at))) }

// startsLine reports whether only blanks are before an offset on its line.
func (t *text) startsLine(at int) bool {
	start := t.lineStart(at)
	return skipBlank(t.body[:at], start) == at
}

// margin returns the white space at the start of the line at an offset.
func (t *text) margin(at int) string {
	start := t.lineStart(at)
	return string(t.body[start:skipBlank(t.body, start)])
}

// at returns the byte at an offset, or 0 after the end.
func (t *text) at(i int) byte {
	if i < len(t.body) {
		return t.body[i]
	}
	return 0
}
