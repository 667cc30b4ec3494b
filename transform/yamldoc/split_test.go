package yamldoc

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, tc := range []struct {
		name   string
		stream string
		want   []string // head | body
	}{
		{"nothing", "", nil},
		{"one document", "a: 1\n", []string{"|a: 1\n"}},
		{"a line end only", "\n", []string{"|\n"}},
		{"two documents", "a: 1\n---\nb: 2\n", []string{"|a: 1\n", "---\n|b: 2\n"}},
		{"separator first", "---\na: 1\n", []string{"---\n|a: 1\n"}},
		{"comments before the first separator", "# c\n---\na: 1\n", []string{"|# c\n", "---\n|a: 1\n"}},
		{"separator with a comment", "--- # c\na: 1\n---\t# d\nb: 2\n",
			[]string{"--- # c\n|a: 1\n", "---\t# d\n|b: 2\n"}},
		{"separator at the end", "a: 1\n---\n", []string{"|a: 1\n", "---\n|"}},
		{"separator at the end without line end", "a: 1\n---", []string{"|a: 1\n", "---|"}},
		{"empty documents", "---\n---\n\n---\n# c\n", []string{"---\n|", "---\n|\n", "---\n|# c\n"}},
		{"no final line end", "a: 1\n---\nb: 2", []string{"|a: 1\n", "---\n|b: 2"}},
		{"CRLF", "---\r\na: 1\r\n---\r\nb: 2\r\n", []string{"---\r\n|a: 1\r\n", "---\r\n|b: 2\r\n"}},
		{"mixed line ends", "a: 1\r\nb: 2\rc: 3\n--- \r\nd: 4\n", []string{"|a: 1\r\nb: 2\rc: 3\n", "--- \r\n|d: 4\n"}},
		{"byte order mark", "\ufeffa: 1\n", []string{"\ufeff|a: 1\n"}},
		{"byte order mark before a separator", "\ufeff---\na: 1\n", []string{"\ufeff---\n|a: 1\n"}},
		{"byte order mark in the middle", "a: 1\n---\n\ufeffb: 2\n", []string{"|a: 1\n", "---\n\ufeff|b: 2\n"}},
		{"directive", "%YAML 1.1\n# c\n---\na: 1\n", []string{"%YAML 1.1\n# c\n---\n|a: 1\n"}},
		{"end marker", "a: 1\n...\n# c\n---\nb: 2\n...\n", []string{"|a: 1\n...\n# c\n", "---\n|b: 2\n...\n"}},
		{"indented dashes", "a: |\n  ---\n  --- x\nb: c---\n ---\n",
			[]string{"|a: |\n  ---\n  --- x\nb: c---\n ---\n"}},
		{"dashes after LS in a comment", "a: 1 # \u2028 --- x\n", []string{"|a: 1 # \u2028 --- x\n"}},
		{"JSON", "{\"a\": 1}\n---\n{\"b\": 2}\n", []string{"|{\"a\": 1}\n", "---\n|{\"b\": 2}\n"}},
		{"concatenated JSON", "{\"a\": \"}{\"} {\n}\n{\"b\": [\"\\\"{\"]}",
			[]string{"|{\"a\": \"}{\"} ", "|{\n}\n", "|{\"b\": [\"\\\"{\"]}"}},
		{"concatenated JSON after a separator", "---\n{}\n{}\n---\na: 1\n",
			[]string{"---\n|{}\n", "|{}\n", "---\n|a: 1\n"}},
		{"a flow mapping that is not JSON", "{a: 'b}', # }\n c: d}\n", []string{"|{a: 'b}', # }\n c: d}\n"}},
		{"JSON with a comment", "{\"a\": 1} # c\n", []string{"|{\"a\": 1} # c\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			docs, err := Split([]byte(tc.stream))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, doc := range docs {
				got = append(got, string(doc.Head)+"|"+string(doc.Body))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if string(whole(docs)) != tc.stream {
				t.Errorf("%q is not lossless", got)
			}
		})
	}
}

func TestSplitLines(t *testing.T) {
	docs, err := Split([]byte("# c\n---\na: 1\r\nb: 2\rc: 3\n--- # d\n{}{\n}\n{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, doc := range docs {
		lines = append(lines, doc.Line)
	}
	if want := []int{1, 3, 7, 7, 9}; !slices.Equal(lines, want) {
		t.Errorf("got %v, want %v", lines, want)
	}
}

func TestSplitFaults(t *testing.T) {
	for _, tc := range []struct{ name, stream, want string }{
		{"content on the separator line", "a: 1\n--- b: 2\n",
			"2:5: content on a separator line, which Kubernetes refuses: move it to the next line"},
		{"a scalar on the separator line", "--- |\n  x\n", "1:5: content on a separator line"},
		{"CR after the separator", "---\ra: 1\r", "1:1: a line that starts with --- but is not a separator"},
		{"more than three dashes", "a: 1\n----\n", "2:1: a line that starts with --- but is not a separator"},
		{"a comment without a space", "---# c\n", "1:1: a line that starts with --- but is not a separator"},
		{"dashes in a quoted scalar", "a: 'x\n---y'\n", "2:1: a line that starts with --- but is not a separator"},
		{"a document after an end marker", "a: 1\n...\n\nb: 2\n",
			"4:1: content after `...`, which Kubernetes drops silently: separate documents with ---"},
		{"text behind an end marker", "a: 1\n... b\n", "2:5: content after `...`"},
		{"a separator after CR", "a: 1\r---\rb: 2\r",
			"2:1: Kubernetes does not recognize this separator: end the line before it with LF or CRLF"},
		{"a separator after NEL", "a: 1\u0085---\n", "1:6: Kubernetes does not recognize this separator"},
		{"a separator after a byte order mark", "a: 1\n\ufeff---\nb: 2\n",
			"2:2: Kubernetes does not recognize this separator: remove the byte order mark before it"},
		{"a directive in a later document", "a: 1\n---\n# c\n%YAML 1.1\n---\nb: 2\n",
			"4:1: a directive in a later document, which Kubernetes refuses: remove it"},
		{"a directive of nothing", "%YAML 1.1\na: 1\n",
			"1:1: a directive without a separator line after it: remove it"},
		{"content after JSON", "{\"a\": 1}\nb: 2\n",
			"2:1: content after a JSON value, which Kubernetes drops silently: separate documents with ---"},
		{"a comma after JSON", "{\"a\": 1},\n{\"b\": 2}\n", "1:9: content after a JSON value"},
		{"UTF-16", "\xff\xfea\x00", "1:1: this is UTF-16 or UTF-32: save the file as UTF-8"},
		{"UTF-16 without byte order mark", "a\x00:\x00",
			"1:1: this is binary, UTF-16 or UTF-32: save the file as UTF-8"},
		{"NUL", "a: 1\nb: é\x00\n", "2:5: a NUL byte: this is not a text file"},
		{"invalid UTF-8", "a: 1\r\nb: é\xff\n", "2:5: invalid UTF-8: save the file as UTF-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Split([]byte(tc.stream))
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
