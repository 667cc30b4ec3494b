package yamldoc

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestText compares the index of a document with a search from its start.
func TestText(t *testing.T) {
	parts := []string{"a", " ", "\n", "\r", "\r\n", "\u0085", "\u2028", "é", "😀", "\ufeff", strings.Repeat("x", block-1),
		strings.Repeat("ü", block/2)}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		body := []byte(strings.TrimLeft(b.String(), "\ufeff"))
		for _, yaml := range []bool{true, false} {
			text := text{body: body, yaml: yaml}
			line, col := 1, 1 // as yaml.v3 counts
			for at := 0; at <= len(body); {
				gotLine, gotCol := text.position(at)
				if wantLine, wantCol := counted(body, at); gotLine != wantLine || gotCol != wantCol {
					t.Fatalf("%q: %d is at %d:%d, not %d:%d", body, at, gotLine, gotCol, wantLine, wantCol)
				}
				if got := text.offset(line, col); yaml && got != at {
					t.Fatalf("%q: %d:%d is %d, not %d", body, line, col, got, at)
				}
				if got, want := text.nextLine(at), skipLine(body, at); yaml && got != want {
					t.Fatalf("%q: the line after %d starts at %d, not %d", body, at, got, want)
				}
				n := breakLen(body[at:])
				if line, col = line+1, 1; n == 0 {
					_, n = utf8.DecodeRune(body[at:])
					line, col = line-1, text.column(at)+2
				}
				at += max(1, n)
			}
		}
	}
}

// counted returns the line and column of an offset by counting what is before it.
func counted(body []byte, at int) (line, col int) {
	before := body[:at]
	start := bytes.LastIndexAny(before, "\r\n") + 1
	return countLines(before) + 1, utf8.RuneCount(before[start:]) + 1
}
