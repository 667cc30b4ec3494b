package transform

import (
	"errors"
	"iter"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Result is what [Run] found and repaired.
type Result struct {
	Accepted []Finding // the problems that people accepted, by a comment or an annotation
	Unused   []Finding // of the rule UnusedIgnore: comments and annotations that accept nothing

	open   []held
	stream *stream
}

// Output is one file of the input before and after the repair.
type Output struct {
	File          *File
	Before, After []byte // the same slice if nothing was repaired
}

// Findings returns the findings that nobody accepted, in the order of the rules, and of the input within one. The slice
// is new at each call.
func (r *Result) Findings() []Finding { return whole(r.open) }

// Problems returns the Findings as people look at them: without those of rules that Enrich, and with those that belong
// Together joined, as far as all of them are repaired or none is.
func (r *Result) Problems() []Finding { return problems(r.Findings()) }

// Left returns those of the Problems that are not repaired.
func (r *Result) Left() []Finding {
	return problems(r.where(func(h *held) bool { return len(h.edits) == 0 && !h.common.Solved }))
}

// problems returns the findings as Problems does.
func problems(findings []Finding) []Finding {
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
		all = append(all, f)
	}
	return all
}

// join adds another finding of the same rule about the same object.
func (f *Finding) join(other Finding) {
	f.Also = append(f.Also, other.At)
	f.Edits = append(f.Edits, other.Edits...)
	f.Restarts = slices.Concat(f.Restarts, other.Restarts)
	f.Lost = slices.Concat(f.Lost, other.Lost)
}

// Losing returns those of the Findings whose repair loses comments.
func (r *Result) Losing() []Finding {
	return r.where(func(h *held) bool { return h.own != nil && len(h.own.lost) > 0 })
}

func (r *Result) where(wanted func(*held) bool) []Finding {
	var findings []Finding
	for i := range r.open {
		if h := &r.open[i]; wanted(h) {
			findings = append(findings, h.whole())
		}
	}
	return findings
}

// Fatal reports whether a finding is fatal.
func (r *Result) Fatal() bool {
	return slices.ContainsFunc(r.open, func(h held) bool { return h.common.Fatal })
}

// Objects returns the number of objects in the input. A List counts as its items.
func (r *Result) Objects() int {
	n := 0
	for _, documents := range [][]*document{r.stream.selected, r.stream.unselected} {
		for _, d := range documents {
			n += int(d.count)
		}
	}
	return n
}

// Skipped returns where the documents start that are not objects, for example the values of a chart. They are not part
// of the stream.
func (r *Result) Skipped() []Place { return r.stream.skipped }

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
	for i := range r.open {
		if r.open[i].common.Rule.Enriches != enriches {
			continue
		}
		for _, e := range r.open[i].edits {
			objects = append(objects, e.object)
		}
	}
	return distinct(objects)
}

// Restarted returns the objects whose pods restart because of edits of the Findings, each of them once, in the order of
// Findings. Unlike Repaired, it does so even if a finding is fatal.
func (r *Result) Restarted() []*Object {
	var objects []*Object
	for i := range r.open {
		objects = append(objects, r.open[i].restarted()...)
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
	for i := range r.open {
		if h := &r.open[i]; len(h.edits) > 0 && !slices.Contains(repairing, h.common.Rule) {
			repairing = append(repairing, h.common.Rule)
		}
	}
	return repairing
}

// ErrFatal is the error of [Result.Stream] if a finding is fatal.
var ErrFatal = errors.New("no output: a finding is fatal")

// Stream returns the repaired manifests as one stream of documents, in the order of the input: large pieces, to be
// written one after the other. The error is [ErrFatal] if a finding is fatal, and an [*InputError] if the documents
// cannot be joined so that Kubernetes' decoder reads each of them as it stands in its file.
func (r *Result) Stream() ([][]byte, error) {
	pieces, err := r.Pieces()
	if err != nil {
		return nil, err
	}
	return slices.Collect(pieces), nil
}

// Pieces is Stream without all of the stream in memory: it makes the repaired documents as they are wanted.
func (r *Result) Pieces() (iter.Seq[[]byte], error) {
	if r.Fatal() {
		return nil, ErrFatal
	}
	files := make([]iter.Seq[yamldoc.Document], len(r.stream.files))
	for i, documents := range r.stream.documents {
		files[i] = results(documents)
	}
	pieces, err := yamldoc.JoinSeq(files)
	var fault *yamldoc.JoinError
	if errors.As(err, &fault) {
		return nil, inputError(r.stream.files[fault.File], 1, fault.Err)
	}
	return pieces, err
}

// results returns the repaired documents that are part of the stream.
func results(documents []*document) iter.Seq[yamldoc.Document] {
	return func(yield func(yamldoc.Document) bool) {
		for _, d := range documents {
			if d.content != foreign && !yield(d.result()) {
				return
			}
		}
	}
}

// Files returns every file of the input before and after the repair, including the documents that are not objects. If
// a finding is fatal, nothing is repaired.
func (r *Result) Files() []Output {
	outputs := make([]Output, len(r.stream.files))
	for i, file := range r.stream.files {
		outputs[i] = Output{File: file, Before: file.Data, After: file.Data}
		if slices.ContainsFunc(r.stream.documents[i], func(d *document) bool { return d.change != nil }) {
			after := make([]byte, 0, len(file.Data)+len(file.Data)/4) // repairs add less
			for _, d := range r.stream.documents[i] {
				after = d.change.Append(append(after, d.source.Head...), d.source.Body)
			}
			outputs[i].After = after
		}
	}
	return outputs
}

func (d *document) result() yamldoc.Document {
	out := *d.source
	out.Body = d.change.Apply(out.Body)
	return out
}
