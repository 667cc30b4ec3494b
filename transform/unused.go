package transform

import "slices"

// unused reports what accepts nothing. It says nothing about rules that did not run, about documents where one failed,
// and where nothing can be accepted.
func (r *repair) unused(failed []*Finding, changes *analysis) (found []*Finding) {
	if r.IgnoreForbidden != "" || r.UnusedIgnore == nil {
		return nil
	}
	for _, d := range r.first.snapshot.documents {
		if slices.ContainsFunc(failed, func(f *Finding) bool { return f.Object.doc == d }) {
			continue
		}
		for _, i := range d.ignores {
			judged := slices.ContainsFunc(r.rules, func(rule *Rule) bool { return rule.ID == i.rule && r.judges(rule) })
			if r.first.used[i] || changes.used[i] || !judged {
				continue
			}
			found = append(found, &Finding{Rule: r.UnusedIgnore, Line: i.Line, Col: i.Col, Report: Report{
				Object: i.object, Severity: r.UnusedIgnore.Severity,
				Message: "this " + i.By + " accepts " + i.rule + ", which finds nothing here: remove it",
			}})
		}
	}
	return found
}

// judges reports whether the rule has looked at everything that it can find.
func (e *engine) judges(r *Rule) bool {
	return !r.compares() || len(e.Previous) > 0 && (r.Removed == nil || !e.Apart)
}
