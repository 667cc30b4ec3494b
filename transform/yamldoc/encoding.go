package yamldoc

import (
	"bytes"
	"unicode/utf8"
)

const bom = "\ufeff"

// checkEncoding refuses UTF-16, UTF-32, NUL bytes and invalid UTF-8, which readers of manifests don't accept.
func checkEncoding(data []byte) error {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) ||
		bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")) {
		return &Error{Line: 1, Col: 1, Msg: "this is UTF-16 or UTF-32: save the file as UTF-8"}
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		if i < 4 {
			return &Error{Line: 1, Col: 1, Msg: "this is binary, UTF-16 or UTF-32: save the file as UTF-8"}
		}
		return faultIn(data, i, "a NUL byte: this is not a text file")
	}
	if utf8.Valid(data) {
		return nil
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return faultIn(data, i, "invalid UTF-8: save the file as UTF-8")
		}
		i += size
	}
}

// faultIn returns an Error at an offset into data, whose lines end where editors end them: with LF, CRLF or CR.
func faultIn(data []byte, offset int, msg string) *Error {
	t := text{body: data}
	return t.errorAt(offset, msg)
}

// countLines counts the line ends in data.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if bytes.IndexByte(data, '\r') >= 0 {
		n += bytes.Count(data, []byte("\r")) - bytes.Count(data, []byte("\r\n"))
	}
	return n
}

// breakLen returns the length of the YAML line break at the start of data, or 0. YAML 1.1, which Kubernetes reads, also
// has the line breaks NEL, LS and PS.
func breakLen(data []byte) int {
	switch {
	case len(data) == 0:
		return 0
	case data[0] == '\n':
		return 1
	case data[0] == '\r':
		if len(data) > 1 && data[1] == '\n' {
			return 2
		}
		return 1
	case data[0] == 0xc2 && len(data) > 1 && data[1] == 0x85:
		return 2
	case data[0] == 0xe2 && len(data) > 2 && data[1] == 0x80 && data[2]&^1 == 0xa8:
		return 3
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// skipBlank returns the offset of the first byte at or after i that is not a space or tab.
func skipBlank(data []byte, i int) int {
	for i < len(data) && isBlank(data[i]) {
		i++
	}
	return i
}

// skipLine returns the offset after the line break of the line at i.
func skipLine(data []byte, i int) int {
	for ; i < len(data); i++ {
		if n := breakLen(data[i:]); n > 0 {
			return i + n
		}
	}
	return i
}

// skipSpace returns the offset of the first byte at or after i that is not a blank, a line break or part of a comment.
func skipSpace(data []byte, i int) int {
	for i < len(data) {
		switch {
		case isBlank(data[i]):
			i++
		case data[i] == '#':
			i = skipLine(data, i)
		default:
			n := breakLen(data[i:])
			if n == 0 {
				return i
			}
			i += n
		}
	}
	return i
}
