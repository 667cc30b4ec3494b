package transform

import (
	"cmp"
	"context"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// analysis is what the rules report about a snapshot.
type analysis struct {
	snapshot *Snapshot
	open     []*Finding // that nobody accepted, in the order of the rules, and of the input within one
	accepted []*Finding // in the same order
	panics   []rulePanic
	used     map[*ignore]bool // what accepted a finding
}

// rulePanic is a panic of a rule on an object.
type rulePanic struct {
	rule   *Rule
	object *Object
	err    error
}

// call is a rule for the objects of one of its kinds. Findings are sorted by the rank of their call.
type call struct {
	rule *Rule
	rank int
}

// analyze runs the rules over the objects of a snapshot. It takes one object after the other, with all of its rules,
// because the nodes of one object fit into the processor's cache and those of all objects do not.
func (e *engine) analyze(ctx context.Context, s *Snapshot) (*analysis, error) {
	calls := e.callsFor(s)
	type reported struct {
		findings []*Finding
		panics   []rulePanic
	}
	all := make([]reported, len(s.objects))
	err := parallel(ctx, len(all), func(i int) error {
		all[i].findings, all[i].panics = e.examine(s, s.objects[i], calls[s.objects[i].GroupKind()])
		return nil
	})
	if err != nil {
		return nil, err
	}
	a := &analysis{snapshot: s, used: map[*ignore]bool{}}
	var findings []*Finding
	for _, r := range all {
		findings = append(findings, r.findings...)
		a.panics = append(a.panics, r.panics...)
	}
	slices.SortStableFunc(findings, func(a, b *Finding) int { return cmp.Compare(a.rank, b.rank) })
	a.open, a.accepted = e.accept(findings, a.used)
	return a, nil
}

// fatal reports whether a finding is fatal.
func (a *analysis) fatal() bool { return slices.ContainsFunc(a.open, isFatal) }

// callsFor returns the calls for each kind of object in the snapshot.
func (e *engine) callsFor(s *Snapshot) map[GroupKind][]call {
	calls, rank := map[GroupKind][]call{}, 0
	for _, rule := range e.rules {
		for _, k := range rule.Kinds {
			for kind := range s.kinds {
				if rule.Run != nil && k.includes(kind) {
					calls[kind] = append(calls[kind], call{rule, rank})
				}
			}
			rank++
		}
	}
	return calls
}

// examine runs the rules for an object. What a rule reports before it panics does not count.
func (e *engine) examine(s *Snapshot, o *Object, calls []call) (findings []*Finding, panics []rulePanic) {
	var current call
	pass := &Pass{Object: o, Snapshot: s, Releases: e.Releases, Index: s.index}
	pass.report = func(r Report) {
		f := e.finding(current, r)
		f.order = o.ordinal
		findings = append(findings, f)
	}
	for _, current = range calls {
		before := len(findings)
		pass.Rule = current.rule
		if err := current.invoke(pass); err != nil {
			findings, panics = findings[:before], append(panics, rulePanic{current.rule, o, err})
		}
	}
	return findings, panics
}

// invoke calls the rule, and returns a panic as an error.
func (c call) invoke(pass *Pass) (err error) {
	defer caught(&err)
	c.rule.Run(pass)
	return nil
}

// finding returns the finding of a report, with its position. It takes the edits off when they cannot be made safely,
// and when Config.AsOf is older than they are.
func (e *engine) finding(c call, r Report) *Finding {
	f := &Finding{Report: r, Rule: c.rule, rank: c.rank}
	e.withhold(f)
	f.Line, f.Col = f.Object.position(f.At)
	if why := unsafeEdits(f.Edits); why != "" {
		f.Edits, f.Unrepaired = nil, why
	}
	f.Edits = slices.Clone(f.Edits)
	for i, edit := range f.Edits {
		f.Edits[i] = edit.locate()
	}
	return f
}

// unsafeEdits returns why edits of a finding cannot be made, or "".
func unsafeEdits(edits []Edit) string {
	documents, of := byDocument(edits)
	for _, d := range documents {
		if err := d.tree.Check(rootedAll(of[d])...); err != nil {
			return reason(err)
		}
	}
	return ""
}

// byDocument returns the documents of the edits, in the order of their first edits, and the edits of each.
func byDocument(edits []Edit) (documents []*document, of map[*document][]Edit) {
	of = make(map[*document][]Edit, 1)
	for _, e := range edits {
		d := e.Object.doc
		if of[d] == nil {
			documents = append(documents, d)
		}
		of[d] = append(of[d], e)
	}
	return documents, of
}

// effective returns the edits without those inside a value that another edit deletes.
func effective(edits []yamldoc.Edit) []yamldoc.Edit {
	deleted := map[string]bool{}
	for _, e := range edits {
		if e.Op == yamldoc.OpDelete {
			deleted[pathKey(e.Path)] = true
		}
	}
	if len(deleted) == 0 {
		return edits
	}
	return slices.DeleteFunc(slices.Clone(edits), func(e yamldoc.Edit) bool {
		for i := range e.Path {
			if deleted[pathKey(e.Path[:i])] {
				return true
			}
		}
		return false
	})
}
