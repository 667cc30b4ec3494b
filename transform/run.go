package transform

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Run applies the rules of config to the files, in their order, and verifies the repair; the package documentation
// tells how. It writes nothing: [Result.Stream] and [Result.Files] return the repaired bytes.
//
// It returns either a result or an error. Findings are not errors, not even fatal ones. An error is one of the
// following:
//
//   - what [Validate] says about config.Rules, or an ID in config.Select that none of them has;
//   - an [*InputError]: a document of the files or of config.Previous cannot be read, looks like an object and is none,
//     or has a malformed comment or annotation that accepts findings, or the aliases of all documents expand to too
//     much;
//   - ctx.Err(), once ctx is done;
//   - "internal error", when Config.Index, Rule.Removed or the engine panics.
func Run(ctx context.Context, files []File, config Config) (result *Result, err error) {
	if fault := guarded(func() error { result, err = run(ctx, files, config); return nil }); fault != nil {
		return nil, fault
	}
	return result, err
}

func run(ctx context.Context, files []File, config Config) (*Result, error) {
	e, err := newEngine(config)
	if err != nil {
		return nil, err
	}
	stream, err := read(ctx, files, newScreen(config.Rules, files), &config)
	if err != nil {
		return nil, err
	}
	findings, faults, err := e.find(ctx, stream.selected, stream.unselected)
	if err != nil {
		return nil, err
	}
	removed, err := e.findRemoved(ctx, stream)
	if err != nil {
		return nil, err
	}
	open, accepted := split(findings)
	r := newRepair(e, stream, open, faults)
	if !slices.ContainsFunc(r.findings, func(h held) bool { return h.common.Fatal }) {
		if err := r.prove(ctx); err != nil {
			return nil, err
		}
		r.nameLost()
		for _, d := range stream.selected {
			d.unedit()
		}
	}
	open, acceptedRemoved := split(removed)
	result := &Result{
		open:     append(r.findings, open...),
		Accepted: problems(whole(append(e.worthwhileBy(accepted, r.findings), acceptedRemoved...))),
		Unused:   e.unused(stream.selected, r.failed),
		stream:   stream,
	}
	for _, d := range stream.selected {
		if failure, found := r.failed[d]; found {
			result.open = append(result.open, r.shared.hold(failure, 0))
		}
	}
	return result, nil
}

// engine is a configuration with the rules that it selects.
type engine struct {
	Config
	rules  []*Rule
	shared *shared
}

func newEngine(config Config) (*engine, error) {
	if err := Validate(config.Rules); err != nil {
		return nil, err
	}
	rules, err := config.selected()
	return &engine{config, rules, newShared()}, err
}

// settle notes the positions of the finding and its edits, and takes the edits off when one of them cannot be made
// safely.
func (f *Finding) settle() {
	f.Line, f.Col = f.Object.position(f.At)
	for i, e := range f.Edits {
		if err := e.Object.doc.parsed().Check(e.rooted()); err != nil {
			var unsafe *yamldoc.UnsafeError
			f.Unrepaired = err.Error()
			if errors.As(err, &unsafe) {
				f.Unrepaired = unsafe.Reason
			}
			f.Edits = nil
			return
		}
		f.Edits[i].locate()
	}
}

// parallel calls do for 0 to n-1 on all processors and returns the error of the first of them that has one. A panic is
// an error too.
func parallel(ctx context.Context, n int, do func(int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				errs[i] = guarded(func() error { return do(i) })
			}
		})
	}
	workers.Wait()
	return cmp.Or(ctx.Err(), cmp.Or(errs...))
}
