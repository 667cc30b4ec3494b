package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// nextValue returns the offset of the next of several concatenated JSON objects in text, or 0 if there is none. The
// content of text starts at from. It fails if other content follows a JSON object, and returns the offset of that.
func nextValue(text []byte, from int) (int, error) {
	if from >= len(text) || text[from] != '{' {
		return 0, nil
	}
	end := objectEnd(text, from)
	if end < 0 {
		return 0, nil
	}
	next := len(text) - len(bytes.TrimLeft(text[end:], " \t\r\n"))
	if next < len(text) && text[next] == '{' {
		return next, nil
	}
	rest := skipSpace(text, end)
	if rest == len(text) || endMarker(text, rest) || !json.Valid(text[from:end]) {
		return 0, nil
	}
	return rest, errors.New("content after a JSON value, which Kubernetes drops silently: separate documents with ---")
}

// structural are the bytes outside of strings that matter to objectEnd.
var structural = [256]bool{'{': true, '}': true, '[': true, ']': true, '"': true, '\'': true, '#': true}

// objectEnd returns the offset after the object that starts at from, or -1 if it has no end or is not JSON.
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

// stringEnd returns the offset of the closing quote of the string that starts at from, or -1.
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

// maxSimpleKey is the length from which libyaml, and so Kubernetes, requires a question mark before a key.
const maxSimpleKey = 1024

// onlyJSON returns the offset of something that JSON allows in or around the object that starts at from and YAML does
// not, or -1: the escape \/, surrogate pairs, a tab before the object or on a line after it, a long key, and a colon on
// another line than its key.
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

// asYAML returns a text with the strings of the JSON object in it written so that YAML reads them as JSON does. It
// replaces the escape \/ and surrogate pairs with the characters themselves, and escapes characters that YAML forbids
// or takes for line breaks or byte order marks.
func asYAML(text []byte) []byte {
	from := skipSpace(text, 0)
	end := objectEnd(text, from)
	var out []byte
	done := 0
	for i := from; i < end; {
		width, other := 1, ""
		switch c := text[i]; {
		case c == '\\':
			width, other = unescape(text[i:end])
		case c >= 0x7f:
			var r rune
			if r, width = utf8.DecodeRune(text[i:]); needsEscape(r) {
				other = fmt.Sprintf(`\u%04x`, r)
			}
		}
		if other != "" {
			if done == 0 && !json.Valid(text[from:end]) {
				return text
			}
			out = append(append(out, text[done:i]...), other...)
			done = i + width
		}
		i += width
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// unescape returns the length of an escape \/ or a surrogate pair at the start of text, and the character itself. Other
// escapes stay; of these it returns how much to skip.
func unescape(text []byte) (width int, character string) {
	if text[1] == '/' {
		return 2, "/"
	}
	if len(text) >= 12 && text[1] == 'u' && text[6] == '\\' && text[7] == 'u' {
		high, err1 := strconv.ParseUint(string(text[2:6]), 16, 16)
		low, err2 := strconv.ParseUint(string(text[8:12]), 16, 16)
		if r := utf16.DecodeRune(rune(high), rune(low)); r != utf8.RuneError && err1 == nil && err2 == nil {
			return 12, string(r)
		}
	}
	return 2, ""
}
