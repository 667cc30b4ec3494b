package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// nextValue returns where the next of several concatenated JSON objects starts in text, whose content starts at from,
// or 0 if there is none. An error names other content behind a JSON object; it stands at the offset returned.
func nextValue(text []byte, from int) (int, error) {
	if from >= len(text) || text[from] != '{' {
		return 0, nil
	}
	end := objectEnd(text, from)
	if end < 0 {
		return 0, nil
	}
	if next := end + len(text[end:]) - len(bytes.TrimLeft(text[end:], " \t\r\n")); next < len(text) && text[next] == '{' {
		return next, nil
	}
	rest := skipSpace(text, end)
	if rest == len(text) || endMarker(text, rest) || !json.Valid(text[from:end]) {
		return 0, nil
	}
	return rest, errors.New("content after a JSON value, which Kubernetes drops silently: separate documents with ---")
}

// structural are the bytes outside of strings that objectEnd looks at.
var structural = [256]bool{'{': true, '}': true, '[': true, ']': true, '"': true, '\'': true, '#': true}

// objectEnd returns the offset after the object that starts at from, or -1 if it has no end or is no JSON.
func objectEnd(text []byte, from int) int {
	depth := 0
	for i := from; i < len(text); i++ {
		if !structural[text[i]] {
			continue
		}
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if i = stringEnd(text, i); i < 0 {
				return -1
			}
		default:
			return -1
		}
	}
	return -1
}

// stringEnd returns the offset of the quote that ends the string that starts at from, or -1.
func stringEnd(text []byte, from int) int {
	for i := from + 1; ; i++ {
		quote := bytes.IndexByte(text[i:], '"')
		if quote < 0 {
			return -1
		}
		i += quote
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// maxSimpleKey is the length up to which libyaml, and so Kubernetes, knows a key without a question mark.
const maxSimpleKey = 1024

// onlyJSON finds what JSON allows in the object that starts at from and YAML does not, or -1: the escape \/ and surrogate
// pairs, a tab before the object or on a line after it, a long key and a colon on another line than its key.
func onlyJSON(text []byte, from int) int {
	end := objectEnd(text, from)
	if end < 0 || !json.Valid(text[from:end]) {
		return -1
	}
	if tab := bytes.IndexByte(text[:from], '\t'); tab >= 0 {
		return tab
	}
	if line := bytes.IndexByte(text[end:], '\n'); line >= 0 {
		if tab := bytes.IndexByte(text[end+line:], '\t'); tab >= 0 {
			return end + line + tab
		}
	}
	for i := from; i < end; i++ {
		next := bytes.IndexByte(text[i:end], '"')
		if next < 0 {
			break
		}
		start := i + next
		i = stringEnd(text, start)
		for at := start + 1; at < i; at += 2 {
			escape := bytes.IndexByte(text[at:i], '\\')
			if escape < 0 {
				break
			}
			at += escape
			if c := text[at+1]; c == '/' || c == 'u' && text[at+2]|0x20 == 'd' && text[at+3] >= '8' {
				return at
			}
		}
		after := text[i+1 : end]
		colon := len(after) - len(bytes.TrimLeft(after, " \t\r\n"))
		if after[colon] == ':' && (i-start >= maxSimpleKey || bytes.IndexByte(after[:colon], '\n') >= 0) {
			return start
		}
	}
	return -1
}

// jsonEscape matches a surrogate pair, or the start of any other escape, so that an escaped backslash is passed as one.
var jsonEscape = regexp.MustCompile(`\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|.)`)

// unescaped writes out the escape \/ and surrogate pairs in a JSON object: only JSON has them, and what they stand for
// needs none.
func unescaped(text []byte) []byte {
	from := skipSpace(text, 0)
	end := objectEnd(text, from)
	if end < 0 || bytes.IndexByte(text[from:end], '\\') < 0 || !json.Valid(text[from:end]) {
		return text
	}
	object := jsonEscape.ReplaceAllFunc(text[from:end], func(escape []byte) []byte {
		switch {
		case string(escape) == `\/`:
			return []byte("/")
		case len(escape) > 2:
			high, _ := strconv.ParseUint(string(escape[2:6]), 16, 16)
			low, _ := strconv.ParseUint(string(escape[8:]), 16, 16)
			return utf8.AppendRune(nil, utf16.DecodeRune(rune(high), rune(low)))
		default:
			return escape
		}
	})
	return slices.Concat(text[:from], object, text[end:])
}
