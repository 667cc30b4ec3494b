package transform

import "fmt"

// Pass is one call of a rule for one object. A rule may read all of it, and must not change anything that it reaches.
type Pass struct {
	Rule     *Rule     // the rule that runs
	Object   *Object   // the object to look at; its kind is one of Rule.Kinds. for Rule.Removed it is not in Snapshot
	Snapshot *Snapshot // all objects of the input, unchanged or with the repairs so far
	Index    Index     // what Config.Index returned for Snapshot
	Releases []Release // Config.Releases: those that the cluster may run; none when nothing is known

	// For Rule.Removed and Rule.Changed, otherwise nil: the objects of Config.Previous, and what Config.Index returned for
	// them.
	Previous      *Snapshot
	PreviousIndex Index

	report func(Report)
}

// Report reports a problem. It sets r.Object, r.Severity and r.Since where they are empty: to the pass's object, and to
// those of the rule. Report one problem for each place that a person would have to look at. It panics if r names an
// object that is not in Snapshot or, as r.Object, in Previous, and if Rule.Removed or Rule.Changed reports edits.
func (p *Pass) Report(r Report) {
	if r.Object == nil {
		r.Object = p.Object
	}
	if r.Severity == "" {
		r.Severity = p.Rule.Severity
	}
	if r.Since == (Release{}) {
		r.Since = p.Rule.Since
	}
	if p.Previous != nil && len(r.Edits) > 0 {
		panic("edits because of a change")
	}
	if !p.Previous.has(r.Object) {
		p.mustHave(r.Object)
	}
	for _, e := range r.Edits {
		p.mustHave(e.Object)
	}
	for _, o := range r.Restarts {
		p.mustHave(o)
	}
	p.report(r)
}

func (p *Pass) mustHave(o *Object) {
	if !p.Snapshot.has(o) {
		panic(fmt.Sprintf("a report names %v, which is not in the input", o))
	}
}
