package transform

// Pass is one call of a rule for one object. A rule may read all of it, and must not change anything that it reaches.
type Pass struct {
	Rule     *Rule     // the rule that runs
	Object   *Object   // the object to look at; its kind is one of Rule.Kinds. For Rule.Removed it is not in Snapshot
	Snapshot *Snapshot // all objects of the input, unchanged or with the repairs so far
	Index    Index     // what Config.Index returned for Snapshot
	Releases []Release // Config.Releases: those that the cluster may run; none when nothing is known

	// For Rule.Removed, otherwise nil: the objects of Config.Previous, and what Config.Index returned for them.
	Previous      *Snapshot
	PreviousIndex Index

	report func(Report)
}

// Report reports a problem. It sets r.Object, r.Severity and r.Since where they are empty: to the pass's object, and to
// those of the rule. Report one problem for each place that a person would have to look at.
func (p *Pass) Report(r Report) {
	if r.Object == nil {
		r.Object = p.Object
	}
	if r.Object.doc == nil {
		panic("a report about " + r.Object.String() + ", which is not in the input")
	}
	if r.Severity == "" {
		r.Severity = p.Rule.Severity
	}
	if r.Since == (Release{}) {
		r.Since = p.Rule.Since
	}
	p.report(r)
}
