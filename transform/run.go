package transform

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Run applies the rules of config to the files, in their order, and verifies the repair, as the package documentation
// describes. It writes nothing: [Result.Stream] and [Result.Files] return the repaired bytes.
//
// It returns either a result or an error. Findings are not errors, not even fatal ones. An error is one of the
// following:
//
//   - what [Validate] says about config.Rules, or an ID in config.Select that none of them has;
//   - an [*InputError]: a document of the files or of config.Previous cannot be read, looks like an object and is none,
//     or has a malformed comment or annotation that accepts findings, or the aliases of all documents expand to too
//     much;
//   - ctx.Err(), once ctx is done;
//   - an [*InternalError], when Config.Index, Rule.Removed, Rule.Changed or the engine panics, and without
//     Config.NotRepaired when a rule does or a repair cannot be proved.
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
	before, err := e.load(ctx, files) // a Snapshot
	if err != nil {
		return nil, err
	}
	found, err := e.analyze(ctx, before) // Findings
	if err != nil {
		return nil, err
	}
	changes, err := e.findChanges(ctx, before, e.changed)
	if err != nil {
		return nil, err
	}
	r := e.newRepair(found)
	for plan := r.next(); !found.fatal() && len(plan.findings) > 0; plan = r.next() { // a Plan of the Findings
		after, guilty, err := r.apply(ctx, plan) // a Snapshot with the edits of the Plan
		if err != nil {
			return nil, err
		}
		var left *analysis
		if len(guilty) == 0 {
			if left, err = e.analyze(ctx, after); err != nil { // the Findings that are left
				return nil, err
			}
			if guilty, err = r.compare(ctx, plan, left); err != nil { // a verdict about the Plan
				return nil, err
			}
		}
		if len(guilty) > 0 {
			r.withdraw(plan, guilty)
		} else {
			r.advance(plan, left)
		}
	}
	return r.result(changes)
}

// result returns what the run found and repaired.
func (r *repair) result(changes *analysis) (*Result, error) {
	failed, err := r.failures()
	if err != nil {
		return nil, err
	}
	s := r.first.snapshot
	return &Result{
		open:     slices.Concat(r.repaired(), changes.open, failed),
		Accepted: problems(slices.Concat(r.keep(r.first.accepted, r.next()), changes.accepted)),
		Unused:   values(r.unused(failed, changes)),
		parts:    []part{{s.input, r.last.snapshot.documents}},
		index:    s.index,
	}, nil
}

// engine is a configuration with the rules that it selects.
type engine struct {
	Config
	rules []*Rule
}

func newEngine(config Config) (*engine, error) {
	if err := validate(config.Rules, config.NotRepaired, config.UnusedIgnore); err != nil {
		return nil, err
	}
	rules, err := config.selected()
	return &engine{config, rules}, err
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
