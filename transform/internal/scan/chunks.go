package scan

import (
	"bytes"
	"iter"
)

// chunkSize is small enough for a processor's cache, so that several searches of a chunk read it from memory once.
const chunkSize = 24 << 10

// chunks cuts a stream between documents, into chunks of many small documents or a single large one, and returns each
// with the number of its first line. [yamldoc.Split] finds the same documents in the chunks, one after the other, as in
// the stream.
func chunks(data []byte, size int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := data
		for line := 1; len(rest) > 0; {
			chunk := rest[:chunkEnd(rest, size)]
			if !yield(line, chunk) {
				return
			}
			line += countLines(chunk)
			rest = rest[len(chunk):]
		}
	}
}

// chunkEnd returns the offset of the first separator after size bytes, or the end of the text. Directives belong to the
// document after the separator.
func chunkEnd(text []byte, size int) int {
	for at := size; at < len(text); at += len("---\n") {
		i := bytes.Index(text[at:], []byte("---\n"))
		if i < 0 {
			break
		}
		at += i
		if text[at-1] == '\n' && !onlyDirectives(text[:at]) {
			return at
		}
	}
	return len(text)
}

// onlyDirectives reports whether a text may consist of directives, white space and comments alone.
func onlyDirectives(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = trim(line)
		if len(line) > 0 && line[0] != '%' && line[0] != '#' {
			return false
		}
	}
	return true
}

// countLines counts the line ends in a text: LF, CRLF and CR.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if bytes.IndexByte(text, '\r') >= 0 {
		n += bytes.Count(text, []byte("\r")) - bytes.Count(text, []byte("\r\n"))
	}
	return n
}
