// Package scan finds the documents of a file that rules may concern. It reads bytes and parses nothing.
package scan

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is a kind of objects in an API group. Any as the Kind stands for all kinds of the group.
type Kind struct {
	Group, Kind string
	Size        int // bytes of a document, below which the kind does not concern a rule
}

// Any stands for all kinds, or for all groups.
const Any = "*"

// Screen finds the documents that rules can concern by their raw bytes, so that the others are never parsed. False
// positives are allowed, false negatives are not: what the bytes do not show for certain is parsed.
type Screen struct {
	kinds    map[string]int  // that a rule names, with the least size
	groups   map[string]bool // that a rule names whatever the size, without the core group
	whole    [][]byte        // groups all of whose kinds concern a rule
	tokens   [][]byte        // a document without any of them concerns no rule
	words    words           // the tokens
	mentions [][]byte        // tokens that make a document of any kind worth parsing
}

// NewScreen returns the screen for objects of the kinds, and for documents with one of the mentioned words. A group
// such as serving.kserve.io stands for its kinds; one without a dot is too common a word, so there the kind is the
// token. The sample shows which letters are rare in the files.
func NewScreen(kinds []Kind, mentions []string, sample []byte) *Screen {
	s := &Screen{kinds: map[string]int{}, groups: map[string]bool{}}
	for _, word := range mentions {
		s.mentions = appendToken(s.mentions, word)
	}
	s.tokens = slices.Clone(s.mentions)
	for _, k := range kinds {
		if k.Group == Any {
			continue // mentions select
		}
		if size, known := s.kinds[k.Kind]; !known || k.Size < size {
			s.kinds[k.Kind] = k.Size
		}
		if k.Group != "" && k.Size == 0 {
			s.groups[k.Group] = true
		}
		if k.Kind == Any {
			s.whole = appendToken(s.whole, k.Group)
		}
		switch {
		case containsAny([]byte(k.Kind), s.tokens):
		case strings.Contains(k.Group, "."):
			s.tokens = appendToken(s.tokens, k.Group)
		default:
			s.tokens = appendToken(s.tokens, k.Kind)
		}
	}
	s.words = newWords(s.tokens, sample)
	return s
}

// HasGroup reports whether one of the kinds whose size does not matter is in the API group, which is not the core group.
func (s *Screen) HasGroup(group string) bool { return s.groups[group] }

func appendToken(tokens [][]byte, word string) [][]byte {
	if slices.ContainsFunc(tokens, func(token []byte) bool { return string(token) == word }) {
		return tokens
	}
	return append(tokens, []byte(word))
}

// Selects reports whether rules may concern a document. Its kind, when it is plain to see, rules most documents out.
func (s *Screen) Selects(body []byte) bool {
	if s.obscure(body) {
		return true
	}
	if !s.words.in(body) {
		return false
	}
	kind, plain := plainKind(body)
	size, named := s.kinds[kind]
	switch {
	case !plain, strings.HasSuffix(kind, "List"), named && len(body) >= size:
		return true
	case kind == "CustomResourceDefinition": // it describes objects and refers to none
		return false
	default:
		return containsAny(body, s.mentions) || inGroup(body, s.whole)
	}
}

// inGroup reports whether the apiVersion of a document whose keys are plain to see may name one of the groups.
func inGroup(body []byte, groups [][]byte) bool {
	if !containsAny(body, groups) {
		return false
	}
	rest, _ := topLevel(body, "apiVersion")
	value, rest, _ := bytes.Cut(rest, []byte("\n"))
	return containsAny(value, groups) || !plainValue(bytes.TrimSpace(value)) || hasTopLevel(rest, "apiVersion")
}

// plainValue reports whether the text is an API version or a kind without quotes, alias, comment or anything else.
func plainValue(text []byte) bool {
	for _, c := range text {
		if !isLetter(c) && (c < '-' || c > '9') {
			return false
		}
	}
	return len(text) > 0
}

func containsAny(data []byte, tokens [][]byte) bool {
	return slices.ContainsFunc(tokens, func(token []byte) bool { return bytes.Contains(data, token) })
}

// obscure reports whether a key or a token may be written so that its bytes do not show it: with the escape of a letter
// or a dot, across a line break, or as !!binary. (What an alias stands for is written somewhere in the same document.)
func (s *Screen) obscure(body []byte) bool {
	return s.escaped(body) || binaryTag(body)
}

// escaped reports whether an escape stands for a letter, a digit, a dot or a hyphen, or for a line break in a token.
func (s *Screen) escaped(body []byte) bool {
	for at := 0; ; at += 2 {
		i := bytes.IndexByte(body[at:], '\\')
		if i < 0 || at+i+1 == len(body) {
			return false
		}
		at += i
		digits := 0
		switch body[at+1] {
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			if isBreak(body[at+1:]) && s.cut(body[:at]) {
				return true
			}
			continue
		}
		code, err := strconv.ParseUint(string(body[at+2:min(at+2+digits, len(body))]), 16, 32)
		r := rune(code)
		if err == nil && (r == '.' || r == '-' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))) {
			return true
		}
	}
}

// cut reports whether the text may end inside a token.
func (s *Screen) cut(text []byte) bool {
	if len(text) == 0 || isBlank(text[len(text)-1]) {
		return false
	}
	return slices.ContainsFunc(s.tokens, func(token []byte) bool {
		for n := 1; n < len(token); n++ {
			if token[n-1] == text[len(text)-1] && bytes.HasSuffix(text, token[:n]) {
				return true
			}
		}
		return false
	})
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// binaryTag reports whether a value may have the tag !!binary, whose text is encoded. A tag may itself have escapes.
func binaryTag(body []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(body[at:], '!')
		if i < 0 {
			return false
		}
		at += i
		tag := body[at+1:]
		if bytes.HasPrefix(tag, []byte("<")) || bytes.HasPrefix(tag, []byte("!b")) || bytes.HasPrefix(tag, []byte("!%")) {
			return true
		}
	}
}

// isBreak reports whether the text, which is not empty, starts with a line break of YAML 1.1.
func isBreak(text []byte) bool {
	return text[0] == '\n' || text[0] == '\r' ||
		slices.ContainsFunc(oddBreaks, func(odd []byte) bool { return bytes.HasPrefix(text, odd) })
}

// oddBreaks are the characters at which YAML 1.1 ends a line and no editor does.
var oddBreaks = [][]byte{[]byte("\u0085"), []byte("\u2028"), []byte("\u2029")}

// plainKind reads the kind of a mapping whose keys and kind are plain to see: every key starts its line without
// indentation, quotes or anything else in front.
func plainKind(body []byte) (kind string, plain bool) {
	if !blockMapping(body) || containsAny(body, oddBreaks) ||
		bytes.Count(body, []byte("\r")) != bytes.Count(body, []byte("\r\n")) {
		return "", false
	}
	for line := range bytes.Lines(body) {
		switch {
		case strings.IndexByte(" \t\r\n#-.", line[0]) >= 0: // inside a value, or no content
			continue
		case !isLetter(line[0]):
			return "", false
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		switch string(bytes.TrimRight(key, " \t")) {
		case "items":
			return "", false
		case "kind":
			if kind != "" || len(key) > len("kind") {
				return "", false
			}
			kind = string(bytes.TrimSpace(value))
			if !letters([]byte(kind)) {
				return "", false
			}
		}
	}
	return kind, kind != ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// letters reports whether the text is one or more letters.
func letters(text []byte) bool {
	for _, c := range text {
		if !isLetter(c) {
			return false
		}
	}
	return len(text) > 0
}

func hasTopLevel(body []byte, key string) bool {
	_, found := topLevel(body, key)
	return found
}

// topLevel returns what follows the key and its colon at the first line of body that starts with them.
func topLevel(body []byte, key string) (rest []byte, found bool) {
	prefix := []byte(key + ":")
	for at := 0; ; {
		i := bytes.Index(body[at:], prefix)
		if i < 0 {
			return nil, false
		}
		at += i + len(prefix)
		if start := at - len(prefix); (start == 0 || body[start-1] == '\n') && endsKey(body[at:]) {
			return body[at:], true
		}
	}
}
