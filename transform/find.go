package transform

import (
	"context"
	"fmt"
)

// call is a rule for the objects of one of its kinds, both by their indexes.
type call struct{ rule, kind int }

// reported is what a rule reports about an object, or why it panics.
type reported struct {
	call
	findings []Finding
	fault    error
}

// search is a run of the rules over the objects of a render.
type search struct {
	*engine
	render *Render
	index  any
	calls  map[GroupKind][]call // in the order of the rules
}

// find runs the rules over the objects of the selected documents and returns what they report, in the order of the
// rules, and the documents with an object on which a rule panics. It takes one object after the other, with all of its
// rules, because the nodes of one object fit into the processor's cache and those of all objects do not.
func (e *engine) find(ctx context.Context, selected, unselected []*document) ([]Finding, failures, error) {
	s := search{engine: e, render: newRender(selected, unselected, e.Namespace)}
	if err := guarded(func() error { s.index = e.index(s.render); return nil }); err != nil {
		return nil, nil, err
	}
	s.calls = e.callsFor(s.render)
	objects := s.render.objects
	all := make([][]reported, len(objects))
	err := parallel(ctx, len(objects), func(i int) error {
		all[i] = s.examine(objects[i])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	findings, failed := e.inOrder(objects, all)
	return findings, failed, e.suppress(findings, selected)
}

// callsFor returns the calls for each kind of object in the render.
func (e *engine) callsFor(render *Render) map[GroupKind][]call {
	calls := map[GroupKind][]call{}
	for kind := range render.kinds {
		for i, rule := range e.rules {
			for j, k := range rule.Kinds {
				if rule.Run != nil && (k == kind || k == GroupKind{kind.Group, AnyKind}) {
					calls[kind] = append(calls[kind], call{i, j})
				}
			}
		}
	}
	return calls
}

// examine runs the rules for an object.
func (s *search) examine(o *Object) (all []reported) {
	var found []Finding
	pass := &Pass{Object: o, Render: s.render, Releases: s.Releases, Index: s.index}
	pass.report = func(f Finding) {
		s.withhold(&f)
		f.settle()
		found = append(found, f)
	}
	calls := s.calls[o.GroupKind()]
	for len(calls) > 0 {
		fault := guarded(func() error { // of all calls, up to the first that panics
			for ; len(calls) > 0; calls = calls[1:] {
				pass.Rule, found = s.rules[calls[0].rule], nil
				pass.Rule.Run(pass)
				if len(found) > 0 {
					all = append(all, reported{calls[0], found, nil})
				}
			}
			return nil
		})
		if fault != nil {
			all = append(all, reported{calls[0], found, fault})
			calls = calls[1:]
		}
	}
	return all
}

// inOrder returns the findings about the objects in the order of the rules, and the documents with an object on which a
// rule panics.
func (e *engine) inOrder(objects []*Object, all [][]reported) (findings []Finding, failed failures) {
	type about struct {
		*reported
		object *Object
	}
	byCall, count := map[call][]about{}, 0
	for i, o := range objects {
		for j := range all[i] {
			r := &all[i][j]
			byCall[r.call] = append(byCall[r.call], about{r, o})
			count += len(r.findings)
		}
	}
	findings, failed = make([]Finding, 0, count), failures{}
	for i, rule := range e.rules {
		for j := range rule.Kinds {
			for _, r := range byCall[call{i, j}] {
				if r.fault == nil {
					findings = append(findings, r.findings...)
					continue
				}
				failed.add(r.object, nil, fmt.Sprintf("rule %s: %s", rule.ID, reason(r.fault)))
			}
		}
	}
	return findings, failed
}
