package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
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
	if rest == len(text) || bytes.HasPrefix(text[rest:], []byte("...")) || !json.Valid(text[from:end]) {
		return 0, nil
	}
	return rest, errors.New("content after a JSON value, which Kubernetes drops silently: separate documents with ---")
}

// objectEnd returns the offset after the object that starts at from, or -1 if it has no end or is no JSON.
func objectEnd(text []byte, from int) int {
	depth := 0
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '\'', '#':
			return -1
		}
	}
	return -1
}
