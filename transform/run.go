package transform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Run applies the rules to a render and proves the result: the edited documents are decoded again and must equal what
// the edits meant, and no finding that could still be repaired may be left.
//
// Errors are faults of the options, of the input (with path:line:col), or of the engine itself; findings are no errors.
func Run(ctx context.Context, files []File, opts Options) (*Result, error) {
	facts, warnings, err := newFacts(opts)
	if err != nil {
		return nil, err
	}
	stream, err := split(files)
	if err != nil {
		return nil, err
	}
	err = parallel(ctx, len(stream.selected), func(i int) error { return stream.selected[i].parse(opts.Namespace) })
	if err != nil {
		return nil, err
	}
	findings, err := facts.find(ctx, stream.selected, stream.foreign)
	if err != nil {
		return nil, err
	}
	result := &Result{Findings: findings, Warnings: warnings, stream: stream}
	if result.Fatal() {
		return result, nil
	}
	if err := result.repair(ctx); err != nil {
		return nil, err
	}
	return result, facts.verify(ctx, result)
}

// stream is the render as documents.
type stream struct {
	files     []*File
	documents [][]*document // by file; those that are no manifests too
	selected  []*document   // those that rules may concern, in order
	foreign   []*document   // other manifests
	skipped   int           // documents that are no manifests
}

func split(files []File) (*stream, error) {
	s := &stream{}
	for i := range files {
		file := &files[i]
		hit := make(chan bool, 1)
		go func() { hit <- screened(file.Data) }()
		sources, err := yamldoc.Split(file.Data)
		if err != nil {
			return nil, (&document{file: file, source: yamldoc.Document{Line: 1}}).located(err)
		}
		s.files = append(s.files, file)
		s.documents = append(s.documents, s.screen(file, sources, <-hit))
	}
	return s, nil
}

// screen tells manifests from other documents and selects those that rules may concern, which only a file with a hit has.
func (s *stream) screen(file *File, sources []yamldoc.Document, hit bool) []*document {
	documents := make([]*document, len(sources))
	for i, source := range sources {
		d := &document{file: file, source: source, manifest: manifest(source.Body)}
		documents[i] = d
		switch {
		case !d.manifest:
			s.skipped++
		case hit && screenedDocument(source.Body):
			s.selected = append(s.selected, d)
		case !blank(source.Body):
			s.foreign = append(s.foreign, d)
		}
	}
	return documents
}

// find runs the rules over the objects of the documents and returns what they report, in the order of the rules.
func (f *facts) find(ctx context.Context, documents, foreign []*document) ([]Finding, error) {
	render := newRender(f, documents, foreign)
	reported := make([][]Finding, len(f.rules))
	err := parallel(ctx, len(f.rules), func(i int) error {
		for _, object := range render.Objects(f.rules[i].Kinds...) {
			f.rules[i].Run(&Pass{Rule: f.rules[i], Object: object, Render: render, report: func(found Finding) {
				reported[i] = append(reported[i], found)
			}})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	findings, err := suppress(slices.Concat(reported...), documents)
	if err != nil {
		return nil, err
	}
	for i := range findings {
		findings[i].settle()
	}
	return findings, nil
}

// settle takes the edits off a finding when one of them can't be done safely, and notes its position.
func (f *Finding) settle() {
	f.Line, f.Col = f.Object.position(f.At)
	for _, e := range f.Edits {
		if err := e.Object.doc.tree.Check(e.rooted()); err != nil {
			var unsafe *yamldoc.UnsafeError
			reason := err.Error()
			if errors.As(err, &unsafe) {
				reason = unsafe.Reason
			}
			f.Message += "; not repaired: " + reason
			f.Edits = nil
			return
		}
	}
}

// rooted is the edit with its path from the document's root.
func (e Edit) rooted() yamldoc.Edit {
	e.Edit.Path = e.Object.prefix.With(e.Edit.Path...)
	return e.Edit
}

// repair merges the edits of each document and splices them into its bytes.
func (r *Result) repair(ctx context.Context) error {
	edits := map[*document][]yamldoc.Edit{}
	for _, finding := range r.Findings {
		for _, e := range finding.Edits {
			edits[e.Object.doc] = append(edits[e.Object.doc], e.rooted())
		}
	}
	return parallel(ctx, len(r.stream.selected), func(i int) error {
		d := r.stream.selected[i]
		if len(edits[d]) == 0 {
			return nil
		}
		tree, err := d.tree.Apply(edits[d])
		if err != nil {
			return r.blame(d, err)
		}
		d.edited = tree
		return nil
	})
}

// blame names the rules whose edits conflict.
func (r *Result) blame(d *document, err error) error {
	var conflict *yamldoc.ConflictError
	if !errors.As(err, &conflict) {
		return d.located(err)
	}
	var ids []string
	for _, finding := range r.Findings {
		for _, e := range finding.Edits {
			if e.Object.doc == d && overlap(e.rooted().Path, conflict.Path) && !slices.Contains(ids, finding.Rule.ID) {
				ids = append(ids, finding.Rule.ID)
			}
		}
	}
	return fmt.Errorf("%s: rules %v disagree on %s; leave one of them out with the setting rules and report this", d.file.Path, ids, conflict.Path)
}

// overlap reports whether one of the paths leads through the other.
func overlap(a, b yamldoc.Path) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// verify runs the rules over the edited documents: what was repaired must be gone and nothing may be new.
func (f *facts) verify(ctx context.Context, r *Result) error {
	after := slices.Clone(r.stream.selected)
	for i, d := range after {
		if d.edited != nil {
			after[i] = &document{file: d.file, source: yamldoc.Document{Body: d.edited.Bytes(), Line: d.source.Line}}
			after[i].adopt(d.edited, f.Options.Namespace)
		}
	}
	if slices.Equal(after, r.stream.selected) {
		return nil
	}
	left, err := f.find(ctx, after, r.stream.foreign)
	if err != nil {
		return fmt.Errorf("internal error, please report it: %w", err)
	}
	before := r.reported(r.stream.selected)
	for at, finding := range (&Result{Findings: left}).reported(after) {
		if _, known := before[at]; len(finding.Edits) > 0 || !known {
			return fmt.Errorf("internal error, please report it: %s: %s: %s: %s comes up again after the repair",
				finding.Object.File.Path, finding.Object, finding.Rule.ID, finding.Message)
		}
	}
	return nil
}

// place identifies a finding across a repair: names and positions may change, the place among the documents does not.
type place struct {
	rule     *Rule
	document int
	object   string
}

func (r *Result) reported(documents []*document) map[place]Finding {
	index := make(map[*document]int, len(documents))
	for i, d := range documents {
		index[d] = i
	}
	found := map[place]Finding{}
	for _, finding := range r.Findings {
		at := place{finding.Rule, index[finding.Object.doc], finding.Object.prefix.String()}
		if earlier, ok := found[at]; !ok || len(earlier.Edits) == 0 {
			found[at] = finding
		}
	}
	return found
}

// parallel calls do for 0 to n-1 on all processors and returns the error of the first of them that has one.
func parallel(ctx context.Context, n int, do func(int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return cmp.Or(ctx.Err(), cmp.Or(errs...))
}
