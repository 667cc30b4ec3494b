package scan

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// PlainObject reports whether a document is certainly an object, and no List: its keys are plain to see, each of them
// once.
func PlainObject(body []byte) bool { return plainObject(body) > 0 }

// Blank reports whether a document has no content: only white space, comments and document ends.
func Blank(body []byte) bool {
	for line := range bytes.Lines(body) {
		text := trim(line)
		if len(text) > 0 && text[0] != '#' && (string(text) != "..." || line[0] != '.') {
			return false
		}
	}
	return true
}

// trim removes what is white space to YAML, and no control character, around a line.
func trim(line []byte) []byte { return bytes.Trim(line, " \t\r\n\u0085\u2028\u2029") }

// passes reports whether the document is certainly an object that concerns no rule and is no template.
func (s *Screen) passes(body []byte) bool {
	return PlainObject(body) && !s.Selects(body) && !templated(body)
}

// passing returns the number of documents in a text if yamldoc.Split certainly finds no fault there and each of them
// passes, else 0.
func (s *Screen) passing(text []byte) (count int) {
	if s.words.in(text) || s.obscure(text) || templated(text) || !simple(text) {
		return 0
	}
	for {
		n := plainObject(text)
		if n == 0 {
			return 0
		}
		count++
		if n == len(text) {
			return count
		}
		text = text[n+len("---\n"):]
	}
}

// simple reports whether a text is UTF-8 without a NUL byte, a carriage return, a line break that only YAML has or a
// byte order mark. All characters that start with the same byte as one of these count as it.
func simple(text []byte) bool {
	return utf8.Valid(text) && !slices.ContainsFunc([]byte("\x00\r\xc2\xe2\xef"), func(odd byte) bool {
		return bytes.IndexByte(text, odd) >= 0
	})
}

// templated reports whether {{ starts a value or a line: the mark of a template that nobody rendered.
func templated(body []byte) bool {
	for at := 0; ; at += len("{{") {
		i := bytes.Index(body[at:], []byte("{{"))
		if i < 0 {
			return false
		}
		at += i
		before := bytes.TrimRight(body[:at], " \t")
		if len(before) == 0 || bytes.IndexByte([]byte(":-[\n"), before[len(before)-1]) >= 0 {
			return true
		}
	}
}

// blockMapping reports whether the first line with content starts with a plain key: the document is a mapping in block
// style, and all of its keys are without indentation.
func blockMapping(body []byte) bool {
	for ; len(body) > 0; body = body[lineLen(body):] {
		if key, _ := cutKey(body); key != nil {
			return true
		}
		if body[0] != '#' && len(trim(body[:lineLen(body)])) > 0 {
			return false
		}
	}
	return false
}

// endsKey reports whether what follows a colon makes a key of what stands before it: a blank, or the end of the line.
func endsKey(rest []byte) bool {
	return len(rest) == 0 || isBlank(rest[0]) || rest[0] == '\r' || rest[0] == '\n'
}

// plainObject returns the length of the first document of a text if it is an object whose keys are plain to see, each
// of them once, and no List. Else it returns 0. The document ends at a separator without a comment, or with the text.
func plainObject(text []byte) int {
	if !blockMapping(text) {
		return 0
	}
	var keys keysSeen
	end, marker := 0, len(text)
	for ; end < len(text) && !bytes.HasPrefix(text[end:], []byte("---")); end += nextUnindented(text[end:]) {
		switch line := text[end:]; {
		case bytes.HasPrefix(line, []byte("...")) && endsKey(line[len("..."):]):
			marker = min(marker, end)
		case isLetter(line[0]) && !keys.add(line):
			return 0
		}
	}
	if keys != (keysSeen{true, true, true}) || !Blank(text[min(marker, end):end]) ||
		end < len(text) && !bytes.HasPrefix(text[end:], []byte("---\n")) {
		return 0
	}
	return end
}

// objectKeys are the keys that every object has.
var objectKeys = [...]string{"apiVersion", "kind", "metadata"}

// keysSeen are those of objectKeys that a document has.
type keysSeen [len(objectKeys)]bool

// add notes the key of a line without indentation. It returns false if the document is no object, may be a List or has
// the key already.
func (k *keysSeen) add(line []byte) bool {
	key, value := cutKey(line)
	for i, name := range objectKeys {
		if string(key) == name {
			again := k[i]
			k[i] = true
			return !again && (name != "kind" || plainKindValue(value))
		}
	}
	return string(key) != "items"
}

// nextUnindented returns the offset of the next line that does not start with a space, or the length of the text.
func nextUnindented(text []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		if at += i + 1; at == len(text) || text[at] != ' ' {
			return at
		}
	}
}

// plainKindValue reports whether a line after its key kind has a plain value, and not that of a List.
func plainKindValue(rest []byte) bool {
	kind := bytes.TrimSpace(rest[:lineLen(rest)])
	return plainValue(kind) && !bytes.HasSuffix(kind, []byte("List"))
}

// lineLen returns the length of the first line with its end.
func lineLen(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// cutKey returns the letters that a line starts with and what follows their colon, if they are a key.
func cutKey(line []byte) (key, rest []byte) {
	n := 0
	for n < len(line) && isLetter(line[n]) {
		n++
	}
	if n == 0 || n == len(line) || line[n] != ':' || !endsKey(line[n+1:]) {
		return nil, nil
	}
	return line[:n], line[n+1:]
}
