package transform

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// named are the raw bytes by which a document can concern a rule: KServe's API group, the kinds of autoscalers,
// and the forms in which other objects refer to them (RBAC resources, metric labels).
var named = [][]byte{
	[]byte("serving.kserve.io"),
	[]byte("HorizontalPodAutoscaler"),
	[]byte("horizontalpodautoscaler"),
	[]byte("ScaledObject"),
	[]byte("scaledobject"),
}

// referring are those of named that make a document of any kind worth parsing: it may refer to an autoscaler.
var referring = named[1:]

// rare are what named have in common, from a letter on that is rare in text: a search is as fast as its first byte is rare.
var rare = [][]byte{[]byte("kserve.io"), []byte("zontal"), []byte("caled")}

// screened reports whether a rule can concern data. It may say yes for nothing, never no for something.
func screened(data []byte) bool {
	return containsAny(data, rare) && containsAny(data, named) || obscure(data)
}

// screenedDocument is screened for one document: its kind, when it is plain to see, rules most of them out.
func screenedDocument(body []byte) bool {
	if obscure(body) {
		return true
	}
	if !containsAny(body, named) {
		return false
	}
	kind, plain := plainKind(body)
	switch {
	case !plain, strings.HasSuffix(kind, "List"), ruled(kind):
		return true
	case kind == "CustomResourceDefinition":
		return false
	default:
		return containsAny(body, referring)
	}
}

func containsAny(data []byte, tokens [][]byte) bool {
	return slices.ContainsFunc(tokens, func(token []byte) bool { return bytes.Contains(data, token) })
}

// ruled reports whether some rule looks at objects of the kind.
func ruled(kind string) bool {
	return slices.ContainsFunc(Rules, func(r *Rule) bool { return slices.Contains(r.Kinds, kind) })
}

// obscure reports whether a key, kind or API group can be written so that its bytes do not show it: with the escape of a
// letter or a dot, or over the end of a line. (What an alias stands for is written somewhere in the same document.)
func obscure(data []byte) bool {
	for at := 0; ; at += 2 {
		i := bytes.IndexByte(data[at:], '\\')
		if i < 0 || at+i+1 == len(data) {
			return false
		}
		at += i
		digits := 0
		switch data[at+1] {
		case '\r', '\n':
			line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
			if bytes.Contains(line, []byte("kind")) || bytes.Contains(line, []byte("apiVersion")) {
				return true
			}
			continue
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			continue
		}
		code, err := strconv.ParseUint(string(data[at+2:min(at+2+digits, len(data))]), 16, 32)
		if err == nil && (code == '.' || code < utf8.RuneSelf && alphanumeric(rune(code))) {
			return true
		}
	}
}

// plainKind reads the kind of a block document from its only line that starts with `kind:`.
func plainKind(body []byte) (kind string, plain bool) {
	rest, found := topLevel(body, "kind")
	if !found || hasTopLevel(rest, "kind") {
		return "", false
	}
	value, _, _ := bytes.Cut(rest, []byte("\n"))
	kind = strings.TrimSpace(string(value))
	for _, r := range kind {
		if (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return "", false
		}
	}
	return kind, kind != ""
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
		if start := at - len(prefix); start == 0 || body[start-1] == '\n' {
			return body[at:], true
		}
	}
}
