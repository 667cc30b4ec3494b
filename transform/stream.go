package transform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// stream is the render as documents.
type stream struct {
	files      []*File
	documents  [][]*document // by file
	selected   []*document   // those that rules may concern, in order
	unselected []*document   // the other objects
	skipped    []Place       // of the documents that are no objects
}

// Place is a line of a file.
type Place struct {
	Path string
	Line int // from 1; 0 if only the file is known
}

// String returns path:line, or the path alone if the line is not known.
func (p Place) String() string {
	if p.Line == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s:%d", p.Path, p.Line)
}

// read splits the files into documents and parses those that rules may concern.
func read(ctx context.Context, files []File, screen *screen, config *Config) (*stream, error) {
	s, kept := &stream{}, &trees{facts: config.Facts}
	for i := range files {
		if err := s.split(&files[i], screen, kept); err != nil {
			return nil, err
		}
	}
	all := slices.Concat(s.documents...)
	kept.share(all)
	err := parallel(ctx, len(all), func(i int) error { return all[i].examine(screen, config.Namespace) })
	if err == nil {
		err = bound(all, config.MaxExpanded)
	}
	if err != nil {
		return nil, err
	}
	for i, documents := range s.documents {
		if err := s.sort(s.files[i], documents); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// aliased is what aliases stand for: the number of nodes, and the bytes of their texts.
type aliased struct{ nodes, bytes int }

// maxAliased is the number of nodes that the aliases of all documents together may stand for.
const maxAliased = 1_000_000

// bound returns an error if the aliases of all documents together stand for too much, however little it is in each of
// them. Who reads the output makes copies of it.
func bound(documents []*document, maxBytes int) error {
	var sum aliased
	for _, d := range documents {
		if d.aliased == nil {
			continue
		}
		sum.nodes += d.aliased.nodes
		sum.bytes += d.aliased.bytes
		limit := ""
		switch {
		case sum.nodes > maxAliased:
			limit = fmt.Sprintf("%d nodes", maxAliased)
		case maxBytes > 0 && sum.bytes > maxBytes:
			limit = fmt.Sprintf("%d bytes", maxBytes)
		default:
			continue
		}
		return &InputError{Path: d.file.Path, Line: d.line(), Col: 1,
			Err: errors.New("the aliases of this and earlier documents expand to more than " + limit)}
	}
	return nil
}

// split cuts a file into documents. Those one after the other that concern no rule stay together as one.
func (s *stream) split(file *File, screen *screen, kept *trees) error {
	var documents []*document
	var passed *document // the one before, if it concerns no rule
	// objects is how many the source has if it certainly concerns no rule, else 0.
	add := func(source *yamldoc.Document, objects int) {
		if objects > 0 && passed != nil && passed.add(source, objects) {
			return
		}
		d := &document{file: file, source: source, trees: kept}
		documents = append(documents, d)
		if passed = nil; objects > 0 {
			d.content, d.count = object, int32(objects)
			passed = d
		}
	}
	for line, chunk := range yamldoc.Chunks(file.Data) {
		body, separated := bytes.CutPrefix(chunk, []byte("---\n"))
		if n := screen.passing(body); n > 0 {
			source := &yamldoc.Document{Head: chunk[:len(chunk)-len(body)], Body: body, Line: line}
			if separated {
				source.Line++
			}
			add(source, n)
			continue
		}
		sources, err := yamldoc.Split(chunk)
		if err != nil {
			return inputError(file, line, err)
		}
		for i := range sources {
			source := &sources[i]
			source.Line += line - 1
			if err := directive(*source); err != nil {
				return inputError(file, 1, err)
			}
			objects := 0
			if screen.passes(source.Body) {
				objects = 1
			}
			add(source, objects)
		}
	}
	s.files = append(s.files, file)
	s.documents = append(s.documents, documents)
	return nil
}

// add makes the source that follows a document part of it. It returns false if a join of the documents would change
// what is between them.
func (d *document) add(source *yamldoc.Document, objects int) bool {
	if bytes.Contains(source.Head, []byte("\ufeff")) {
		return false
	}
	d.source.Body = d.source.Body[:len(d.source.Body)+len(source.Head)+len(source.Body)]
	d.count += int32(objects)
	return true
}

// sort tells the documents of a file apart. One that is no object is for another tool, unless the file has objects or
// is itself what a renderer made.
func (s *stream) sort(file *File, documents []*document) error {
	objects := slices.ContainsFunc(documents, func(d *document) bool { return d.content == object })
	for _, d := range documents {
		switch {
		case d.content == nothing:
		case d.selected:
			s.selected = append(s.selected, d)
		case d.content == object:
			s.unselected = append(s.unselected, d)
		case objects:
			return &InputError{Path: file.Path, Line: d.line(), Col: 1,
				Err: errors.New("not an object, in a file with objects: " + needed)}
		case file.Renderer != "":
			return &InputError{Path: file.Path, Line: d.line(), Col: 1,
				Err: errors.New("not an object: " + needed)}
		default:
			s.skipped = append(s.skipped, Place{file.Path, d.line()})
		}
	}
	return nil
}
