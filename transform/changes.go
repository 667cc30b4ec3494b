package transform

import "context"

// findChanges calls Rule.Removed for the objects of Config.Previous that are not in the input any more, and
// Rule.Changed for those that are, and returns what they report.
func (e *engine) findChanges(ctx context.Context, after *Snapshot) (*analysis, error) {
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
			examine := rule.Removed
			if stays := after.Object(object.GroupKind(), object.Namespace, object.Name); stays != nil {
				examine, object = rule.Changed, stays
			}
			if examine == nil {
				continue
			}
			examine(&Pass{
				Rule: rule, Object: object, Snapshot: after, Releases: e.Releases, Index: after.index,
				Previous: before, PreviousIndex: before.index,
				report: func(r Report) { found = append(found, e.finding(call{rule: rule}, r)) },
			})
		}
	}
	a.open, a.accepted = e.accept(found, a.used)
	return a, nil
}
