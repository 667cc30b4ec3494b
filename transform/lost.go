package transform

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// lostComments are the comments that the edits of a plan remove, by the document and by the paths of the edits.
type lostComments map[int]map[string][]Place

// lost returns the comments that a round removes, with their places in the input.
func (r *repair) lost(round int) lostComments {
	before, all := r.first.snapshot.documents, lostComments{}
	if round > 0 {
		before = r.rounds[round-1].after.snapshot.documents
	}
	for i, d := range r.rounds[round].after.snapshot.documents {
		original := r.first.snapshot.documents[i]
		if d == before[i] || len(d.tree.Lost()) == 0 {
			continue
		}
		all[i] = map[string][]Place{}
		for _, c := range d.tree.Lost() {
			key := pathKey(c.Path)
			line := original.source.Line + c.Line - 1
			if before[i] != original {
				line = original.lineOf(c)
			}
			all[i][key] = append(all[i][key], Place{d.file.Path, line})
		}
	}
	return all
}

// lineOf returns the line of the file with a comment that may have been on another line of the document before.
func (d *document) lineOf(c yamldoc.Comment) int {
	line, nearest := 0, -1
	for text := range bytes.Lines(d.source.Body) {
		line++
		if bytes.HasSuffix(bytes.TrimRight(text, "\r\n"), []byte(c.Text)) && (nearest < 0 || line <= c.Line) {
			nearest = line
		}
	}
	return d.source.Line + max(nearest, 1) - 1
}

// of returns the comments that the edits of a finding remove.
func (l lostComments) of(f *Finding) (places []Place) {
	if len(l) == 0 {
		return nil
	}
	for _, e := range f.Edits {
		if of := l[e.Object.doc.ordinal]; of != nil {
			places = append(places, of[pathKey(e.rooted().Path)]...)
		}
	}
	slices.SortFunc(places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(places) // two edits may have the same path
}

// pathKey returns a string that only equal paths have.
func pathKey(path yamldoc.Path) string { return fmt.Sprintf("%#v", path) }
