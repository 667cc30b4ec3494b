package transform

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// call is a rule for the objects of one of its kinds. Its rank is that of its findings among those of all calls.
type call struct {
	rule *Rule
	rank int32
}

// reported is what the rules report about an object.
type reported struct {
	findings []held
	faults   []fault
}

// fault is why a rule panics on an object.
type fault struct {
	call
	object *Object
	err    error
}

func (f fault) message() string { return fmt.Sprintf("rule %s: %s", f.rule.ID, reason(f.err)) }

// search is a run of the rules over the objects of a render.
type search struct {
	*engine
	render *Render
	index  any
	calls  map[GroupKind][]call // in the order of the rules
}

// find runs the rules over the objects of the selected documents and returns what they report, in the order of the
// rules, and the faults. It takes one object after the other, with all of its
// rules, because the nodes of one object fit into the processor's cache and those of all objects do not.
func (e *engine) find(ctx context.Context, selected, unselected []*document) ([]held, []fault, error) {
	s := search{engine: e, render: newRender(selected, unselected, e.Namespace)}
	if err := guarded(func() error { s.index = e.index(s.render); return nil }); err != nil {
		return nil, nil, err
	}
	s.calls = e.callsFor(s.render)
	objects := s.render.objects
	all := make([]reported, len(objects))
	err := parallel(ctx, len(objects), func(i int) error {
		all[i] = s.examine(objects[i])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	findings, faults := inOrder(all)
	return findings, faults, e.suppress(findings, selected)
}

// callsFor returns the calls for each kind of object in the render.
func (e *engine) callsFor(render *Render) map[GroupKind][]call {
	calls, rank := map[GroupKind][]call{}, int32(0)
	for _, rule := range e.rules {
		for _, k := range rule.Kinds {
			for kind := range render.kinds {
				if rule.Run != nil && k.includes(kind) {
					calls[kind] = append(calls[kind], call{rule, rank})
				}
			}
			rank++
		}
	}
	return calls
}

// examine runs the rules for an object.
func (s *search) examine(o *Object) (all reported) {
	var of call
	pass := &Pass{Object: o, Render: s.render, Releases: s.Releases, Index: s.index}
	pass.report = func(f Finding) {
		s.withhold(&f)
		f.settle()
		all.findings = append(all.findings, s.shared.hold(f, of.rank))
	}
	calls := s.calls[o.GroupKind()]
	for len(calls) > 0 {
		before := 0
		err := guarded(func() error { // of all calls, up to the first that panics
			for ; len(calls) > 0; calls = calls[1:] {
				of, before = calls[0], len(all.findings)
				pass.Rule = of.rule
				of.rule.Run(pass)
			}
			return nil
		})
		if err != nil {
			all.findings = all.findings[:before]
			all.faults = append(all.faults, fault{of, o, err})
			calls = calls[1:]
		}
	}
	all.findings = slices.Clip(all.findings)
	return all
}

// inOrder returns the findings about the objects, and the faults, in the order of the rules.
func inOrder(all []reported) (findings []held, faults []fault) {
	var next []int // by call: how many findings it has, and later where the next one goes
	for i := range all {
		faults = append(faults, all[i].faults...)
		for _, h := range all[i].findings {
			for int(h.call) >= len(next) {
				next = append(next, 0)
			}
			next[h.call]++
		}
	}
	count := 0
	for i, n := range next {
		next[i], count = count, count+n
	}
	findings = make([]held, count)
	for i := range all {
		for _, h := range all[i].findings {
			findings[next[h.call]] = h
			next[h.call]++
		}
		all[i].findings = nil
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.rank, b.rank) })
	return findings, faults
}
