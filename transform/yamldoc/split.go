package yamldoc

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Document is one document of a stream, as slices of the stream's bytes.
type Document struct {
	// Head is the part before the content: a byte order mark, directives and the separator line. It may be empty.
	Head []byte
	// Body is the content up to the next separator line or, in concatenated JSON, up to the next value. It may be
	// empty, or hold only comments.
	Body []byte
	// Line is the line of the stream, from 1, on which Body starts.
	Line int
}

// Split cuts a stream into documents without copying: the Head and Body of all documents, one after the other, are data
// again. A separator is a line of `---`, optionally followed by blanks and a comment. Empty input yields no documents.
//
// It fails with an *Error for data that is not UTF-8, and for a stream of which Kubernetes' decoder would lose or
// misread a part (apimachinery pkg/util/yaml/decoder.go): content on a separator line, a line that starts with `---x`,
// a separator after a line break that only YAML has, content after a bare `...` or after a JSON value, and a directive
// in a later document.
func Split(data []byte) ([]Document, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if err := checkEncoding(data); err != nil {
		return nil, err
	}
	s := splitter{data: data, body: bomLen(data), line: 1, ellipsis: bytes.Index(data, []byte("..."))}
	for {
		sep, err := s.nextSeparator()
		if err != nil {
			return nil, err
		}
		if sep < 0 {
			return s.docs, s.emit(len(data))
		}
		end, err := s.separatorEnd(sep)
		if err != nil {
			return nil, err
		}
		if s.separated || sep != s.body && !onlyDirectives(data[s.body:sep]) {
			if err := s.emit(sep); err != nil {
				return nil, err
			}
		}
		s.line += countLines(data[s.body:end])
		s.body, s.separated = end+bomLen(data[end:]), true
	}
}

// splitter is the state of Split.
type splitter struct {
	data       []byte
	docs       []Document
	head, body int  // offsets of its Head and Body
	line       int  // line of body
	separated  bool // whether a separator was seen
	ellipsis   int  // offset of the next three dots, or -1
	json       span // the JSON objects at the start of a body, where inJSON looked for them
}

// nextSeparator returns the offset of the next separator line at or after the line start s.body, or -1.
func (s *splitter) nextSeparator() (int, error) {
	for at := s.body; ; at += len("---") {
		i := bytes.Index(s.data[at:], []byte("---"))
		if i < 0 {
			return -1, nil
		}
		at += i
		switch {
		case at == s.body || s.data[at-1] == '\n':
			return at, nil
		case afterBreak(s.data, at) && endsWord(s.data, at+3) && !s.inJSON(at, len(s.data)):
			return 0, faultIn(s.data, at,
				"Kubernetes does not recognize this separator: end the line before it with LF or CRLF")
		case bytes.HasSuffix(s.data[:at], []byte("\n"+bom)):
			return 0, faultIn(s.data, at,
				"Kubernetes does not recognize this separator: remove the byte order mark before it")
		}
		for at+3 < len(s.data) && s.data[at+3] == '-' {
			at++
		}
	}
}

// inJSON reports whether an offset is inside of the JSON objects with which the text from s.body to limit starts.
// There, a line break that only YAML has is part of a string.
func (s *splitter) inJSON(at, limit int) bool {
	if s.json.end == 0 || s.json.start != s.body {
		s.json = span{s.body, s.body}
		for {
			start := skipSpace(s.data[:limit], s.json.end)
			if start == limit || s.data[start] != '{' {
				break
			}
			end := objectEnd(s.data[:limit], start)
			if end < 0 || !json.Valid(s.data[start:end]) {
				break
			}
			s.json.end = end
		}
	}
	return at < s.json.end
}

// separatorEnd returns the offset after the separator line at sep.
func (s *splitter) separatorEnd(sep int) (int, error) {
	line, next := s.data[sep:], len(s.data)
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, next = line[:i], sep+i+1
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	text := skipBlank(line, len("---"))
	switch {
	case text == len(line), line[text] == '#' && text > len("---"):
		return next, nil
	case text > len("---"):
		return 0, faultIn(s.data, sep+text,
			"content on a separator line, which Kubernetes refuses: move it to the next line")
	}
	return 0, faultIn(s.data, sep, "a line that starts with --- but is not a separator, which Kubernetes refuses: "+
		"indent it, or put a space before a comment")
}

// emit adds the document that ends at end. Concatenated JSON becomes one document per value.
func (s *splitter) emit(end int) error {
	text := s.data[s.body:end]
	content := skipSpace(text, 0)
	if content < len(text) && text[content] == '%' {
		msg := "a directive without a separator line after it: remove it"
		if s.separated {
			msg = directiveLater
		}
		return faultIn(s.data, s.body+content, msg)
	}
	if at := s.contentAfterEnd(end); at >= 0 {
		return faultIn(s.data, at, "content after `...`, which Kubernetes drops silently: separate documents with ---")
	}
	next, err := nextValue(text, content)
	for ; next > 0 && err == nil; next, err = nextValue(text, 0) {
		s.add(s.body + next)
		text = s.data[s.body:end]
	}
	if err != nil {
		return faultIn(s.data, s.body+next, err.Error())
	}
	s.add(end)
	return nil
}

const directiveLater = "a directive in a later document, which Kubernetes refuses: remove it"

func (s *splitter) add(end int) {
	if len(s.docs) == 64 {
		s.docs = slices.Grow(s.docs, 64*len(s.data)/s.body)
	}
	s.docs = append(s.docs, Document{Head: s.data[s.head:s.body], Body: s.data[s.body:end], Line: s.line})
	s.line += countLines(s.data[s.body:end])
	s.head, s.body = end, end
}

// onlyDirectives reports whether text contains directives, and otherwise only blanks and comments.
func onlyDirectives(text []byte) bool {
	found := false
	for i := skipSpace(text, 0); i < len(text); i = skipSpace(text, skipLine(text, i)) {
		if text[i] != '%' {
			return false
		}
		found = true
	}
	return found
}

// contentAfterEnd returns the offset of content between a document end marker and end, or -1.
func (s *splitter) contentAfterEnd(end int) int {
	for s.ellipsis >= 0 && s.ellipsis < end {
		at := s.ellipsis
		if endMarker(s.data[:end], at) && !s.inJSON(at, end) {
			if next := skipSpace(s.data[:end], at+3); next < end && !endMarker(s.data[:end], next) {
				return next
			}
		}
		if s.ellipsis = bytes.Index(s.data[at+1:], []byte("...")); s.ellipsis >= 0 {
			s.ellipsis += at + 1
		}
	}
	return -1
}

// endMarker reports whether there is a document end marker at an offset.
func endMarker(text []byte, at int) bool {
	return bytes.HasPrefix(text[at:], []byte("...")) && afterBreak(text, at) && endsWord(text, at+3)
}

// afterBreak reports whether an offset is the start of a line in YAML.
func afterBreak(text []byte, at int) bool {
	before := text[:at]
	return at == 0 || before[at-1] == '\n' || before[at-1] == '\r' || bytes.HasSuffix(before, []byte("\u0085")) ||
		bytes.HasSuffix(before, []byte("\u2028")) || bytes.HasSuffix(before, []byte("\u2029"))
}

// endsWord reports whether there is a blank, a line break or the end of text at an offset.
func endsWord(text []byte, at int) bool {
	return at == len(text) || isBlank(text[at]) || breakLen(text[at:]) > 0
}

// bomLen returns the length of the byte order marks at the start of data. Concatenated files have several.
func bomLen(data []byte) (n int) {
	for bytes.HasPrefix(data[n:], []byte(bom)) {
		n += len(bom)
	}
	return n
}
