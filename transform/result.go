package transform

import (
	"bytes"
	"errors"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Result is what [Run] found and repaired.
type Result struct {
	Accepted []Finding // the problems that people accepted, by a comment or an annotation
	Unused   []Finding // of Config.UnusedIgnore: comments and annotations that accept nothing

	open  []*Finding
	index Index
	parts []part
}

// part is the input of a run, before and after the repair. Merge gives a result several.
type part struct {
	*input
	after []*document // those that rules may concern
}

// Output is one file of the input before and after the repair.
type Output struct {
	File          *File
	Before, After []byte // the same slice if nothing was repaired
}

// Findings returns the findings that nobody accepted, in the order of the rules, and of the input within one. The slice
// is new at each call.
func (r *Result) Findings() []Finding { return values(r.open) }

func values(findings []*Finding) []Finding {
	all := slices.Grow([]Finding(nil), len(findings))
	for _, f := range findings {
		all = append(all, *f)
	}
	return all
}

// Index returns what Config.Index returned for the input. It is nil for a merged result.
func (r *Result) Index() Index { return r.index }

// Problems returns the Findings as people look at them: without those of rules that Enrich, and with those that belong
// Together joined, as far as all of them are repaired or none is.
func (r *Result) Problems() []Finding { return problems(r.open) }

// Left returns those of the Problems that are not repaired.
func (r *Result) Left() []Finding {
	return problems(r.where(func(f *Finding) bool { return !f.Repaired() }))
}

// problems returns the findings as Problems does.
func problems(findings []*Finding) []Finding {
	type group struct {
		rule           *Rule
		object         *Object
		edited, solved bool
		accepted       *Acceptance
	}
	first := map[group]int{}
	var all []Finding
	for _, f := range findings {
		if f.Rule.Enriches {
			continue
		}
		if f.Rule.Together {
			of := group{f.Rule, f.Object, len(f.Edits) > 0, f.Solved, f.Accepted}
			if i, known := first[of]; known {
				all[i].join(f)
				continue
			}
			first[of] = len(all)
		}
		all = append(all, *f)
	}
	return all
}

// join adds another finding of the same rule about the same object.
func (f *Finding) join(other *Finding) {
	f.Also = append(f.Also, other.At)
	f.Edits = slices.Concat(f.Edits, other.Edits)
	f.Restarts = slices.Concat(f.Restarts, other.Restarts)
	f.Lost = slices.Concat(f.Lost, other.Lost)
}

// Losing returns those of the Findings whose repair loses comments.
func (r *Result) Losing() []Finding {
	return values(r.where(func(f *Finding) bool { return len(f.Lost) > 0 }))
}

func (r *Result) where(wanted func(*Finding) bool) (findings []*Finding) {
	for _, f := range r.open {
		if wanted(f) {
			findings = append(findings, f)
		}
	}
	return findings
}

// Fatal reports whether a finding is fatal.
func (r *Result) Fatal() bool { return slices.ContainsFunc(r.open, isFatal) }

func isFatal(f *Finding) bool { return f.Fatal }

// Objects returns the number of objects in the input. A List counts as its items.
func (r *Result) Objects() (n int) {
	for _, p := range r.parts {
		n += p.objects
	}
	return n
}

// Skipped returns where the documents start that are not objects, for example the values of a chart. They are not part
// of the stream.
func (r *Result) Skipped() (places []Place) {
	for _, p := range r.parts {
		places = append(places, p.skipped...)
	}
	return places
}

// Repaired returns the objects that were edited because of Problems, in the order in which rules reported them. There
// are none if a finding is fatal.
func (r *Result) Repaired() []*Object { return r.edited(false) }

// Enriched returns the objects that rules that Enrich have edited, as Repaired does; some may be among those.
func (r *Result) Enriched() []*Object { return r.edited(true) }

func (r *Result) edited(enriches bool) []*Object {
	if r.Fatal() {
		return nil
	}
	var objects []*Object
	for _, f := range r.open {
		if f.Rule.Enriches == enriches {
			for _, e := range f.Edits {
				objects = append(objects, e.Object)
			}
		}
	}
	return distinct(objects)
}

// Restarted returns the objects whose pods restart because of edits of the Findings, each of them once, in the order of
// Findings. Unlike Repaired, it does so even if a finding is fatal.
func (r *Result) Restarted() []*Object {
	var objects []*Object
	for _, f := range r.open {
		objects = append(objects, f.Restarted()...)
	}
	return distinct(objects)
}

// distinct returns the objects, each of them once.
func distinct(objects []*Object) []*Object {
	seen := map[*Object]bool{}
	return slices.DeleteFunc(objects, func(o *Object) bool {
		known := seen[o]
		seen[o] = true
		return known
	})
}

// Repairing returns the rules whose Findings have edits, in the order of Findings.
func (r *Result) Repairing() []*Rule {
	var repairing []*Rule
	for _, f := range r.open {
		if len(f.Edits) > 0 && !slices.Contains(repairing, f.Rule) {
			repairing = append(repairing, f.Rule)
		}
	}
	return repairing
}

// ErrFatal is the error of [Result.Stream] if a finding is fatal.
var ErrFatal = errors.New("no output: a finding is fatal")

// Stream returns the repaired manifests as one stream of documents, in the order of the input: large pieces, to be
// written one after the other. Documents to add come last, except those that the input has already. The error is
// [ErrFatal] if a finding is fatal, and an [*InputError] if the documents cannot be joined so that Kubernetes' decoder
// reads each of them as it stands in its file.
func (r *Result) Stream(add ...[]byte) ([][]byte, error) {
	if r.Fatal() {
		return nil, ErrFatal
	}
	var files []*File
	var documents [][]yamldoc.Document
	for _, p := range r.parts {
		for i, file := range p.files {
			files = append(files, file)
			documents = append(documents, p.sources(i, p.after, func(d *document) bool { return d.content != foreign }))
		}
	}
	for _, data := range add {
		if hasDocument(documents, data) {
			continue
		}
		more, err := yamldoc.Split(data)
		if err != nil {
			return nil, err
		}
		files, documents = append(files, &File{Data: data}), append(documents, more)
	}
	stream, err := yamldoc.Join(documents)
	if fault := (*yamldoc.JoinError)(nil); errors.As(err, &fault) {
		return nil, inputError(files[fault.File], 1, fault.Err)
	}
	return stream, err
}

// hasDocument reports whether one of the documents is the data, or one of those that are kept together because no rule
// concerns them.
func hasDocument(files [][]yamldoc.Document, data []byte) bool {
	lines := append([]byte("\n"), data...)
	same := func(d yamldoc.Document) bool {
		return bytes.HasPrefix(d.Body, data) || bytes.Contains(d.Body, lines)
	}
	return slices.ContainsFunc(files, func(documents []yamldoc.Document) bool { return slices.ContainsFunc(documents, same) })
}

// Files returns every file of the input before and after the repair, including the documents that are not objects. If
// a finding is fatal, nothing is repaired.
func (r *Result) Files() []Output {
	var outputs []Output
	for _, p := range r.parts {
		for i, file := range p.files {
			outputs = append(outputs, Output{File: file, Before: file.Data, After: p.data(i, p.after)})
		}
	}
	return outputs
}

// sources returns the wanted documents of file i: as they are in after, or unchanged.
func (in *input) sources(i int, after []*document, wanted func(*document) bool) (sources []yamldoc.Document) {
	for _, d := range in.parts[i] {
		if d.tree != nil {
			d = after[d.ordinal]
		}
		if wanted(d) {
			sources = append(sources, d.source)
		}
	}
	return sources
}

// changed reports whether after has another document for one of file i.
func (in *input) changed(i int, after []*document) bool {
	return slices.ContainsFunc(in.parts[i], func(d *document) bool { return d.tree != nil && after[d.ordinal] != d })
}

// data returns file i with the documents as they are in after. A document that ends with a line break that only YAML
// has, such as a lone CR, gets a line feed, because Kubernetes does not recognize the separator after it.
func (in *input) data(i int, after []*document) []byte {
	data := in.files[i].Data
	if !in.changed(i, after) {
		return data
	}
	out := make([]byte, 0, len(data)+len(data)/4) // repairs add less
	for _, source := range in.sources(i, after, func(*document) bool { return true }) {
		if len(out) > 0 && out[len(out)-1] != '\n' && bytes.HasPrefix(source.Head, []byte("---")) {
			out = append(out, '\n')
		}
		out = append(append(out, source.Head...), source.Body...)
	}
	return out
}
