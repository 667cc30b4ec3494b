package transform

import (
	"cmp"
	"context"
)

// Deleted calls Rule.Removed alone, for the files of several inputs together: an object that is in another input now is
// not deleted. The result has nothing but what that finds. See Config.Apart and [Result.Add].
func Deleted(ctx context.Context, files []File, config Config) (result *Result, err error) {
	find := func() error {
		e, err := newEngine(config)
		if err != nil {
			return err
		}
		after, err := e.load(ctx, files)
		if err != nil {
			return err
		}
		unscoped := map[identity]bool{}
		for _, o := range after.objects {
			if o.unscoped() {
				unscoped[identity{o.GroupKind(), "", o.Name}] = true
			}
		}
		found, err := e.findChanges(ctx, after, func(rule *Rule, o, stays *Object) func(*Pass) {
			if stays != nil || o.unscoped() && unscoped[identity{o.GroupKind(), "", o.Name}] {
				return nil
			}
			return rule.Removed
		})
		if err != nil {
			return err
		}
		result = &Result{open: found.open, Accepted: problems(found.accepted)}
		return nil
	}
	if fault := guarded(find); fault != nil {
		return nil, fault
	}
	return result, nil
}

// unscoped reports whether the object names no namespace. It may be in none.
func (o *Object) unscoped() bool { return o.Get("metadata", "namespace").Str() == "" }

// Add adds what another result found.
func (r *Result) Add(other *Result) {
	r.open, r.Accepted = append(r.open, other.open...), append(r.Accepted, other.Accepted...)
}

// changed is what Run looks at: Rule.Removed for the objects of Config.Previous that are not in the input any more, and
// Rule.Changed for those that are.
func (e *engine) changed(rule *Rule, _, stays *Object) func(*Pass) {
	switch {
	case stays != nil:
		return rule.Changed
	case e.Apart:
		return nil
	}
	return rule.Removed
}

// findChanges calls for each object of Config.Previous what examine returns, if that is not nil, with the object that
// stays if there is one, and returns what it reports.
func (e *engine) findChanges(
	ctx context.Context, after *Snapshot, examine func(rule *Rule, was, stays *Object) func(*Pass),
) (*analysis, error) {
	a := &analysis{snapshot: after, used: map[*ignore]bool{}}
	if len(e.Previous) == 0 {
		return a, nil
	}
	before, err := e.load(ctx, e.Previous)
	if err != nil {
		return nil, err
	}
	var found []*Finding
	for _, rule := range e.rules {
		if !rule.compares() {
			continue
		}
		for _, object := range before.Objects(rule.Kinds...) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if object.Name == "" {
				continue
			}
			stays := after.Object(object.GroupKind(), object.Namespace, object.Name)
			check := examine(rule, object, stays)
			if check == nil {
				continue
			}
			check(&Pass{
				Rule: rule, Object: cmp.Or(stays, object), Snapshot: after, Releases: e.Releases, Index: after.index,
				Previous: before, PreviousIndex: before.index,
				report: func(r Report) { found = append(found, e.finding(call{rule: rule}, r)) },
			})
		}
	}
	a.open, a.accepted = e.accept(found, a.used)
	return a, nil
}
