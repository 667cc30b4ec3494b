package scan

import (
	"bytes"
	"errors"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Document is a document of a file, or several neighbours that concern no rule.
type Document struct {
	yamldoc.Document
	Passed int // the number of objects if the document certainly concerns no rule, else 0
}

// Split cuts a file into documents, as [yamldoc.Split] does. Neighbours that certainly concern no rule stay together.
func (s *Screen) Split(data []byte) ([]Document, error) {
	var documents []Document
	add := func(d Document) {
		if last := len(documents) - 1; last < 0 || !documents[last].join(d) {
			documents = append(documents, d)
		}
	}
	for line, chunk := range chunks(data, chunkSize) {
		body, separated := bytes.CutPrefix(chunk, []byte("---\n"))
		if n := s.passing(body); n > 0 {
			head := chunk[:len(chunk)-len(body)]
			d := Document{yamldoc.Document{Head: head, Body: body, Line: line}, n}
			if separated {
				d.Line++
			}
			add(d)
			continue
		}
		split, err := yamldoc.Split(chunk)
		if fault := (*yamldoc.Error)(nil); errors.As(err, &fault) {
			return nil, fault.At(line)
		}
		for _, source := range split {
			source.Line += line - 1
			if err := directive(source); err != nil {
				return nil, err
			}
			d := Document{Document: source}
			if s.passes(source.Body) {
				d.Passed = 1
			}
			add(d)
		}
	}
	return documents, nil
}

// join makes the next document part of d if both concern no rule. A byte order mark keeps them apart, because a join of
// the stream takes it out.
func (d *Document) join(next Document) bool {
	if d.Passed == 0 || next.Passed == 0 || bytes.Contains(next.Head, []byte("\ufeff")) {
		return false
	}
	d.Body = d.Body[:len(d.Body)+len(next.Head)+len(next.Body)]
	d.Passed += next.Passed
	return true
}

// directive returns an error for a line that starts with % before the document: Kubernetes takes what is before the
// separator for a document of its own, which it can't read.
func directive(d yamldoc.Document) error {
	if bytes.IndexByte(d.Head, '%') < 0 {
		return nil
	}
	at := 0
	for line := range bytes.Lines(d.Head) {
		if bytes.HasPrefix(bytes.TrimLeft(line, "\ufeff"), []byte("%")) {
			return &yamldoc.Error{Line: d.Line - bytes.Count(d.Head[at:], []byte("\n")), Col: 1,
				Msg: "a directive, which Kubernetes refuses: remove the line"}
		}
		at += len(line)
	}
	return nil
}
