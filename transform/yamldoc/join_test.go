package yamldoc

import (
	"bytes"
	"strings"
	"testing"
)

func splitAll(t *testing.T, files []string) [][]Document {
	t.Helper()
	split := make([][]Document, len(files))
	for i, file := range files {
		var err error
		if split[i], err = Split([]byte(file)); err != nil {
			t.Fatal(err)
		}
	}
	return split
}

func TestJoin(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files []string
		want  string
	}{
		{"one file", []string{"# c\n---\na: 1\n\n---\n"}, "# c\n---\na: 1\n\n---\n"},
		{"two files", []string{"a: 1\n", "b: 2\n"}, "a: 1\n---\nb: 2\n"},
		{"the second starts with a separator", []string{"a: 1\n", "--- # b\nb: 2\n"}, "a: 1\n--- # b\nb: 2\n"},
		{"the first ends with a separator", []string{"a: 1\n---\n", "b: 2\n"}, "a: 1\n---\nb: 2\n"},
		{"the first ends with a separator without line end", []string{"a: 1\n---", "b: 2\n"}, "a: 1\n---\nb: 2\n"},
		{"both", []string{"a: 1\n---\n", "---\nb: 2\n"}, "a: 1\n---\n---\nb: 2\n"},
		{"comments before the first separator", []string{"a: 1\n", "# c\n---\nb: 2\n"}, "a: 1\n---\n# c\n---\nb: 2\n"},
		{"no final line end", []string{"a: 1", "b: 2"}, "a: 1\n---\nb: 2\n"},
		{"no final line end, CRLF", []string{"a: 1\r\nb: 2", "c: 3"}, "a: 1\r\nb: 2\r\n---\nc: 3\n"},
		{"CRLF before LF", []string{"a: 1\r\n", "b: 2\n"}, "a: 1\r\n---\nb: 2\n"},
		{"LF before CRLF", []string{"a: 1\n", "b: 2\r\n"}, "a: 1\n---\r\nb: 2\r\n"},
		{"lone CR at the end", []string{"a: 1\r", "b: 2\r"}, "a: 1\r\n---\nb: 2\r\n"},
		{"kept line ends of a block scalar", []string{"a: |+\n  x\n\n", "b: 2\n"}, "a: |+\n  x\n\n---\nb: 2\n"},
		{"files without documents", []string{"", "a: 1\n", "", "\ufeff", "b: 2\n", ""}, "a: 1\n---\nb: 2\n"},
		{"a file of comments", []string{"a: 1\n", "# c\n", "b: 2\n"}, "a: 1\n---\n# c\n---\nb: 2\n"},
		{"byte order marks", []string{"\ufeffa: 1\n---\n\ufeffb: 2\n", "\ufeffc: 3\n"},
			"\ufeffa: 1\n---\nb: 2\n---\nc: 3\n"},
		{"byte order mark and separator", []string{"\ufeff---\na: 1\n", "\ufeff---\nb: 2\n"},
			"\ufeff---\na: 1\n---\nb: 2\n"},
		{"a directive at the start", []string{"%YAML 1.1\n---\na: 1\n", "b: 2\n"}, "%YAML 1.1\n---\na: 1\n---\nb: 2\n"},
		{"JSON alone", []string{"{\"a\": 1}\n"}, "{\"a\": 1}\n"},
		{"JSON first", []string{"{\"a\": 1}", "b: 2\n"}, "---\n{\"a\": 1}\n---\nb: 2\n"},
		{"JSON first and a separator at the end", []string{"{\"a\": 1}\n---\n"}, "---\n{\"a\": 1}\n---\n"},
		{"JSON later", []string{"a: 1\n", "{\"b\": 2}\n"}, "a: 1\n---\n{\"b\": 2}\n"},
		{"what looks like such escapes in YAML", []string{"a: 1\n", `{b: C:\/x, 'c': '\/', d: \é}` + "\n"},
			"a: 1\n---\n" + `{b: C:\/x, 'c': '\/', d: \é}` + "\n"},
		{"and in a comment after JSON", []string{"a: 1\n", `{"b": "\/"} # \/` + "\n"},
			"a: 1\n---\n" + `{"b": "/"} # \/` + "\n"},
		{"escapes that only JSON has", []string{"a: 1\n", `{"b": "\/\\/\ud83d\ude00\u00e9\n"}` + "\n"},
			"a: 1\n---\n" + `{"b": "/\\/😀\u00e9\n"}` + "\n"},
		{"the same alone", []string{`{"b": "\/\ud83d\ude00"}` + "\n"}, `{"b": "\/\ud83d\ude00"}` + "\n"},
		{"characters that YAML forbids or folds", []string{"a: 1\n", "{\"b\u2028\": \"\x7f\u0080\u0085\u009f\u2029\ufeff\ufffe\uffffé\u00a0\U0001fffe\"}\n"},
			"a: 1\n---\n" + `{"b\u2028": "\u007f\u0080\u0085\u009f\u2029\ufeff\ufffe\uffff` + "é\u00a0\U0001fffe\"}\n"},
		{"the same in JSON alone", []string{"{\"b\": \"\x7f\u0085\"}\n"}, "{\"b\": \"\x7f\u0085\"}\n"},
		{"the same in YAML", []string{"a: 1\n", "{b: \"\u0085\"}\n"}, "a: 1\n---\n{b: \"\u0085\"}\n"},
		{"JSON behind a separator", []string{"---\n{\"b\": \"\\/\u0085\"}\n"}, "---\n" + `{"b": "/\u0085"}` + "\n"},
		{"what looks like a separator inside of a string", []string{"a: 1\n", "{\"b\": \"\u0085---\u0085... \"}\n"},
			"a: 1\n---\n" + `{"b": "\u0085---\u0085... "}` + "\n"},
		{"a flow mapping alone that is not JSON", []string{"{a: 1}\n"}, "---\n{a: 1}\n"},
		{"JSON alone and a comment", []string{"{\"a\": \"\\/\"} # c\n"}, "---\n{\"a\": \"/\"} # c\n"},
		{"concatenated JSON", []string{"{\"a\": 1}{\"b\": 2}\n"}, "---\n{\"a\": 1}\n---\n{\"b\": 2}\n"},
		{"concatenated JSON, CRLF", []string{"{\"a\": 1}\r\n{\"b\": 2}"}, "---\r\n{\"a\": 1}\r\n---\r\n{\"b\": 2}\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := Join(splitAll(t, tc.files))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(bytes.Join(out, nil)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			out, err = Join(splitAll(t, []string{tc.want}))
			if got := string(bytes.Join(out, nil)); err != nil || got != tc.want {
				t.Errorf("again: got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestJoinFaults(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files []string
		want  string
	}{
		{"a directive in a later file", []string{"a: 1\n", "# c\n%YAML 1.1\n---\nb: 2\n"},
			"file 1: 2:1: a directive in a later document, which Kubernetes refuses: remove it"},
		{"an end marker of nothing", []string{"a: 1\n", "---\n# c\n...\n"},
			"file 1: 3:1: `...` without a document before it, which Kubernetes refuses: remove it"},
		{"half a surrogate pair", []string{`{"b": "\\u0041\ud83d"}`, "a: 1\n"},
			"file 0: 1:15: valid in JSON but not in YAML (half a surrogate pair, a tab, a long key)"},
		{"a tab before JSON", []string{"a: 1\n", "\n\t{}\n"}, "file 1: 2:1: valid in JSON but not in YAML"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Join(splitAll(t, tc.files))
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// TestJoinCopiesNothing shows that a file that needs no change becomes one slice of its own bytes.
func TestJoinCopiesNothing(t *testing.T) {
	data := []byte("a: 1\n---\nb: 2\n---\nc: 3\n")
	docs, err := Split(data)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Join([][]Document{docs})
	if err != nil || len(out) != 1 || &out[0][0] != &data[0] || len(out[0]) != len(data) {
		t.Errorf("got %q %v", out, err)
	}
	docs[1].Body = []byte("edited: true\n")
	out, err = Join([][]Document{docs})
	if err != nil || len(out) != 3 || &out[0][0] != &data[0] || string(bytes.Join(out, nil)) != "a: 1\n---\n"+
		"edited: true\n---\nc: 3\n" {
		t.Errorf("got %q %v", out, err)
	}
}
