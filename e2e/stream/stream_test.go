// Package stream proves that Kubernetes' decoder, with which Argo CD reads what a plugin prints, reads joined files as
// it reads each of them alone.
package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// read decodes a stream as Argo CD does (gitops-engine, pkg/utils/kube, SplitYAML): empty documents don't count.
func read(stream string) ([]string, error) {
	decoder := kubeyaml.NewYAMLOrJSONDecoder(strings.NewReader(stream), 4096)
	var docs []string
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return docs, err
		}
		var value any
		if err := kubejson.Unmarshal(raw, &value); err != nil {
			return docs, err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return docs, err
		}
		if value != nil {
			docs = append(docs, string(text))
		}
	}
}

// loses reports whether Kubernetes silently loses JSON values of a file: it reads several in a row only at the start of
// a stream. Joined, they are separated, and none is lost.
func loses(file string) bool {
	docs, _ := yamldoc.Split([]byte(file))
	first := true
	for i, doc := range docs {
		first = first && (i == 0 || len(doc.Head) == 0)
		if i > 0 && len(doc.Head) == 0 && !(first && strings.HasPrefix(strings.TrimSpace(file), "{")) {
			return true
		}
	}
	return false
}

func join(files ...string) (string, error) {
	split := make([][]yamldoc.Document, len(files))
	for i, file := range files {
		var err error
		if split[i], err = yamldoc.Split([]byte(file)); err != nil {
			return "", err
		}
	}
	out, err := yamldoc.Join(split)
	return string(bytes.Join(out, nil)), err
}

// upTo makes every text of up to n of the parts.
func upTo(n int, parts []string) []string {
	texts := []string{""}
	for all := texts; n > 0; n-- {
		var longer []string
		for _, text := range all {
			for _, part := range parts {
				longer = append(longer, text+part)
			}
		}
		texts, all = append(texts, longer...), longer
	}
	return texts
}

// alone reads the files one by one.
func alone(files ...string) ([]string, error) {
	var docs []string
	for _, file := range files {
		part, err := read(file)
		if err != nil {
			return nil, err
		}
		docs = append(docs, part...)
	}
	return docs, nil
}

// check joins files and reads the result. Files that are refused, or that can't be read alone, prove nothing.
func check(t *testing.T, files ...string) bool {
	t.Helper()
	want, err := alone(files...)
	if err != nil || slices.ContainsFunc(files, loses) {
		return false
	}
	stream, err := join(files...)
	if err != nil {
		return false
	}
	if got, err := read(stream); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q\njoined %q\ngot  %v %v\nwant %v", files, stream, got, err, want)
	}
	if again, err := join(stream); err != nil || again != stream {
		t.Errorf("%q\njoined %q\nagain  %q %v", files, stream, again, err)
	}
	return true
}

func TestOneFile(t *testing.T) {
	proved := 0
	for _, file := range upTo(4, []string{
		"---\n", "--- # c\n", "---\r\n", "---", "...\n", "... # c\n", "a: 1\n", "b: 2\r\n", "c: |+\n  x\n\n", "d: |\n  x",
		"# c\n", "\n", "%YAML 1.1\n", `{"f": 3}` + "\n", "e: 1\r", "q: 'x\n---y'\n",
	}) {
		if check(t, file) {
			proved++
		}
	}
	if proved < 1000 {
		t.Errorf("only %d files were read", proved)
	}
}

func TestTwoFiles(t *testing.T) {
	proved := 0
	files := upTo(2, []string{
		"---\n", "--- # c\n", "---\r\n", "---", "...\n", "a: 1\n", "b: 2\r\n", "c: |+\n  x\n\n", "d: |\n  x",
		"# c\n", "\n", "\ufeff", "%YAML 1.1\n", `{"f": 3}` + "\n", `{"g": "\ud83d\ude00"}`, `{"h": 1}{"i": 2}`,
		"\t{\"j\": [\t1]}\n", "k: v\r",
	})
	// A byte order mark further on is part of the content for Kubernetes; Join takes it away.
	files = slices.DeleteFunc(files, func(file string) bool { return strings.LastIndex(file, "\ufeff") > 0 })
	for _, first := range files {
		for _, second := range files {
			if check(t, first, second) {
				proved++
			}
		}
	}
	if proved < 10_000 {
		t.Errorf("only %d pairs were read", proved)
	}
}

// TestRefused shows of each stream that is refused what Kubernetes makes of it.
func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files []string
		docs  []string // what is read of the files joined by hand
		fault string   // or the error
	}{
		{"content on a separator line", []string{"a: 1\n--- b\n"}, nil, "invalid Yaml document separator: b"},
		{"dashes and more", []string{"a: 1\n----\nb: 1\n"}, nil, "invalid Yaml document separator: -"},
		{"dashes in a quoted scalar", []string{"a: 'x\n---y'\n"}, nil, "invalid Yaml document separator: y'"},
		{"a document after an end marker", []string{"a: 1\n...\nb: 2\n"}, []string{`{"a":1}`}, ""},
		{"a document after an end marker and CR", []string{"a: 1\r...\rb: 2\n"}, []string{`{"a":1}`}, ""},
		{"a separator after CR", []string{"a: 1\r---\nb: 2\n"}, []string{`{"a":1}`}, ""},
		{"a separator after LS", []string{"a: 1\u2028---\nb: 2\n"}, []string{`{"a":1}`}, ""},
		{"a separator before CR", []string{"---\ra: 1\r"}, nil, "invalid Yaml document separator: a: 1"},
		{"content after a JSON value", []string{"---\n", `{"a": 1}` + "\nb: 2\n"}, []string{`{"a":1}`}, ""},
		{"a directive in a later document", []string{"a: 1\n", "---\n%YAML 1.1\n---\nb: 2\n"}, nil,
			"did not find expected <document start>"},
		{"a directive in a later file", []string{"a: 1\n---\n", "%YAML 1.1\n---\nb: 2\n"}, nil,
			"did not find expected <document start>"},
		{"an end marker of nothing", []string{"a: 1\n", "---\n...\n"}, nil, "did not find expected node content"},
		{"a tab before JSON", []string{"a: 1\n---\n", "\t{}"}, nil, "found character that cannot start any token"},
		{"a tab after JSON", []string{"a: 1\n---\n", "{}\n\t"}, nil, "found character that cannot start any token"},
		{"a colon on the next line", []string{"a: 1\n---\n", "{\"a\"\n: 1}"}, nil, "did not find expected"},
		{"a long key", []string{"a: 1\n---\n", `{"` + strings.Repeat("k", 1023) + `": 1}`}, nil, "did not find expected"},
		{"half a surrogate pair of JSON", []string{"a: 1\n---\n", `{"a": "\ud83d"}`}, nil,
			"found invalid Unicode character escape code"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := join(tc.files...); err == nil {
				t.Error("not refused")
			}
			docs, err := read(strings.Join(tc.files, ""))
			switch {
			case tc.fault == "" && (err != nil || !slices.Equal(docs, tc.docs)):
				t.Errorf("got %v %v, want %v", docs, err, tc.docs)
			case tc.fault != "" && (err == nil || !strings.Contains(err.Error(), tc.fault)):
				t.Errorf("got %v %v, want %s", docs, err, tc.fault)
			}
		})
	}
}
