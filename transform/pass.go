package transform

// Pass is one call of a rule for one object. A rule may read all of it, and must not change anything that it reaches.
type Pass struct {
	Rule     *Rule     // the rule that runs
	Object   *Object   // the object to look at; its kind is one of Rule.Kinds. For Rule.Removed it is not in Render
	Render   *Render   // all objects of the run: as they came, or to verify a repair, as it makes them
	Releases []Release // Config.Releases: those that the cluster may run; none when nothing is known
	Index    any       // what Config.Index returned for Render

	// For Rule.Removed, otherwise nil: the objects of Config.Previous, and what Config.Index returned for them.
	Previous      *Render
	PreviousIndex any

	report func(Finding)
}

// Report records a finding. It sets f.Rule, and f.Object, f.Severity and f.Since where they are empty: to the pass's
// object, and to those of the rule. Report one finding for each place that a person would have to look at.
func (p *Pass) Report(f Finding) {
	f.Rule = p.Rule
	if f.Object == nil {
		f.Object = p.Object
	}
	if f.Severity == "" {
		f.Severity = p.Rule.Severity
	}
	if f.Since == (Release{}) {
		f.Since = p.Rule.Since
	}
	p.report(f)
}
