package transform

import (
	"context"
	"slices"
)

// findRemoved calls Rule.Removed for the objects of Config.Previous that are not in the stream any more, and returns
// what it reports.
func (e *engine) findRemoved(ctx context.Context, current *stream) ([]held, error) {
	if len(e.Previous) == 0 {
		return nil, nil
	}
	previous, err := read(ctx, e.Previous, newScreen(e.Rules, e.Previous), &e.Config)
	if err != nil {
		return nil, err
	}
	before := newRender(previous.selected, previous.unselected, e.Namespace)
	after := newRender(current.selected, current.unselected, e.Namespace)
	indexBefore, indexAfter := e.index(before), e.index(after)
	documents := slices.Concat(current.selected, previous.selected)
	var found []held
	for _, rule := range e.rules {
		if rule.Removed == nil {
			continue
		}
		for _, object := range before.Objects(rule.Kinds...) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if object.Name == "" || after.Object(object.GroupKind(), object.Namespace, object.Name) != nil {
				continue
			}
			rule.Removed(&Pass{
				Rule: rule, Object: object, Render: after, Releases: e.Releases, Index: indexAfter,
				Previous: before, PreviousIndex: indexBefore,
				report: func(f Finding) {
					e.withhold(&f)
					f.settle()
					found = append(found, e.shared.hold(f, 0))
				},
			})
		}
	}
	return found, e.suppress(found, documents)
}
