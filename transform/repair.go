package transform

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxSteps is how many plans more than it has findings may edit a document. Rules that edit it more often chase each
// other. Two plans are enough for nearly all manifests.
const maxSteps = 8

// repair makes plans until nothing is left to repair.
type repair struct {
	*engine
	first     *analysis // of the input
	last      *analysis // of the input with what is repaired
	steps     []step
	budget    []int                // how many steps may still edit each document
	chased    map[place]withdrawal // the edits of rules that chase each other: not made at all
	withdrawn map[place]withdrawal // the edits that the next plan leaves out
}

// step is a plan that passed the comparison, with the analysis of its result.
type step struct {
	*Plan
	after *analysis
}

func (e *engine) newRepair(found *analysis) *repair {
	return &repair{engine: e, first: found, last: found, budget: found.budget(),
		chased: map[place]withdrawal{}, withdrawn: map[place]withdrawal{}}
}

// next returns the plan for what is left to repair.
func (r *repair) next() *Plan {
	var earlier *Plan
	if len(r.steps) > 0 {
		earlier = r.steps[len(r.steps)-1].Plan
	}
	return r.plan(r.last.open, r.withdrawn, earlier)
}

// withdraw leaves the edits of the guilty out of the next plan.
func (r *repair) withdraw(plan *Plan, guilty verdict) {
	before := len(r.withdrawn)
	for at, why := range guilty {
		if _, known := r.withdrawn[at]; !known {
			r.withdrawn[at] = why
		}
	}
	if len(r.withdrawn) == before || len(r.next().findings) == len(plan.findings) { // withdraw something in any case
		for _, f := range plan.findings {
			for _, at := range f.places() {
				r.withdrawn[at] = withdrawal{f.Object.ordinal, nil, "the repair could not be proved", true}
			}
		}
	}
}

// advance adopts a plan that passed the comparison. Edits that were withdrawn for its sake may be possible now. If a
// document has been edited too often, the repair starts over, without the edits that the last two plans make there.
func (r *repair) advance(plan *Plan, after *analysis) {
	edited, chased := map[int]bool{}, map[int]bool{}
	for _, f := range plan.findings {
		for _, e := range f.Edits {
			edited[e.Object.doc.ordinal] = true
		}
	}
	for i := range edited {
		if r.budget[i]--; r.budget[i] < 0 {
			chased[i] = true
		}
	}
	if len(chased) > 0 {
		r.stopChase(chased, slices.Concat(r.steps[len(r.steps)-1].findings, plan.findings))
		r.last, r.steps, r.budget = r.first, nil, r.first.budget()
	} else {
		r.last, r.steps = after, append(r.steps, step{plan, after})
	}
	r.withdrawn = maps.Clone(r.chased)
}

// budget returns how many steps may edit each document.
func (a *analysis) budget() []int {
	steps := make([]int, len(a.snapshot.documents))
	for i := range steps {
		steps[i] = maxSteps
	}
	for _, f := range a.open {
		if len(f.Edits) > 0 {
			for _, at := range f.places() {
				steps[at.document]++
			}
		}
	}
	return steps
}

// stopChase withdraws those of the findings for good that edit one of the documents.
func (r *repair) stopChase(documents map[int]bool, findings []*Finding) {
	for _, i := range slices.Sorted(maps.Keys(documents)) {
		var chasing []*Finding
		for _, f := range findings {
			if slices.ContainsFunc(f.Edits, func(e Edit) bool { return e.Object.doc.ordinal == i }) {
				chasing = append(chasing, f)
			}
		}
		message := fmt.Sprintf("the rules %s undo each other's repairs",
			strings.Join(slices.Sorted(slices.Values(ruleIDs(chasing))), " and "))
		if len(ruleIDs(chasing)) == 1 {
			message = fmt.Sprintf("the repair of rule %s never ends", chasing[0].Rule.ID)
		}
		for _, f := range chasing {
			for _, at := range f.places() {
				r.chased[at] = withdrawal{object: f.Object.ordinal, message: message, faulty: true}
			}
		}
	}
}

// verdict says which edits of a plan are to be withdrawn, and why.
type verdict map[place]withdrawal

func (v verdict) add(why withdrawal, places ...place) {
	for _, at := range places {
		if _, known := v[at]; !known {
			v[at] = why
		}
	}
}

// apply returns the snapshot with the edits of a plan. The guilty are those whose edits cannot be made.
func (r *repair) apply(ctx context.Context, plan *Plan) (*Snapshot, verdict, error) {
	documents, guilty, err := r.edit(ctx, plan)
	if err != nil || len(guilty) > 0 {
		return nil, guilty, err
	}
	after, err := r.snapshot(r.first.snapshot.input, documents)
	if err != nil {
		broken := symptom{object: plan.findings[0].Object.ordinal, message: reason(err), faulty: true}
		guilty, err = r.findGuilty(ctx, plan, []symptom{broken})
	}
	return after, guilty, err
}

// edit merges the edits of a plan in each document, splices them into its bytes, and returns all documents.
func (r *repair) edit(ctx context.Context, plan *Plan) ([]*document, verdict, error) {
	documents := slices.Clone(r.last.snapshot.documents)
	findings, edits := make([][]*Finding, len(documents)), make([][]Edit, len(documents))
	for _, f := range plan.findings {
		for _, e := range f.Edits {
			i := e.Object.doc.ordinal
			if n := len(findings[i]); n == 0 || findings[i][n-1] != f {
				findings[i] = append(findings[i], f)
			}
			edits[i] = append(edits[i], e)
		}
	}
	faults := make([]error, len(documents))
	err := parallel(ctx, len(documents), func(i int) error {
		if len(edits[i]) > 0 {
			documents[i], faults[i] = r.applyTo(documents[i], edits[i])
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	guilty := verdict{}
	for i, fault := range faults {
		if fault != nil {
			r.blameEdits(findings[i], r.last.snapshot.documents[i], fault, guilty)
		}
	}
	if len(guilty) == 0 {
		r.blameFiles(plan, documents, guilty)
	}
	return documents, guilty, nil
}

// applyTo returns a document with edits.
func (e *engine) applyTo(d *document, edits []Edit) (after *document, err error) {
	defer caught(&err)
	tree, err := d.tree.Apply(effective(rootedAll(edits)))
	if err != nil || tree == d.tree {
		return d, err
	}
	return e.edited(d, tree)
}

// repaired returns the findings of the input with what became of them, and those that only the repair revealed.
func (r *repair) repaired() []*Finding {
	plan := r.next()
	first := r.keep(r.first.open, plan)
	if r.first.fatal() {
		return first
	}
	made, madeAt := r.made(), map[spot][]*Finding{}
	for _, f := range made {
		madeAt[f.spot()] = append(madeAt[f.spot()], f)
	}
	left := map[spot]bool{}
	for _, f := range r.last.open {
		left[f.spot()] = true
	}
	var all, open []*Finding
	known := map[*Finding]bool{}
	for _, f := range first {
		at := f.spot()
		if i := slices.IndexFunc(madeAt[at], f.sameAs); i >= 0 {
			m := madeAt[at][i]
			m.Line, m.Col = f.Line, f.Col
			madeAt[at] = slices.Delete(madeAt[at], i, i+1)
			known[m] = true
			all = append(all, m)
			continue
		}
		open = append(open, f)
		solved := len(r.steps) > 0 && !left[at]
		if solved || len(f.Edits) > 0 {
			f = new(*f)
			f.Edits, f.Solved = nil, solved
			if why, found := plan.withdrawal(f); found {
				f.Unrepaired = r.explain(why)
			}
			if solved {
				f.Unrepaired, f.Needs = "", ""
			}
		}
		all = append(all, f)
	}
	all = append(all, slices.DeleteFunc(made, func(f *Finding) bool { return known[f] })...)
	all = append(all, r.revealed(open, plan)...)
	slices.SortStableFunc(all, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.order, b.order))
	})
	return all
}

// revealed returns the findings that are left and are not among the open ones, those of the input that no step repairs.
func (r *repair) revealed(open []*Finding, plan *Plan) (found []*Finding) {
	if len(r.steps) == 0 {
		return nil
	}
	known := map[spot][]*Finding{}
	for _, f := range open {
		known[f.spot()] = append(known[f.spot()], f)
	}
	left := r.keep(r.last.open, plan)
	more := map[spot]int{}
	for _, f := range left {
		more[f.spot()]++
	}
	for _, f := range left {
		at := f.spot()
		if more[at] > len(known[at]) && !slices.ContainsFunc(known[at], f.sameAs) {
			m := new(*f)
			m.Edits = nil
			m.moveTo(r.first.snapshot)
			found = append(found, m)
			more[at]--
		}
	}
	return found
}

// made returns the findings that the steps repair, as findings about the objects of the input.
func (r *repair) made() (made []*Finding) {
	for i, step := range r.steps {
		lost := r.lost(i)
		for _, f := range step.findings {
			m := new(*f)
			m.Lost = lost.of(f)
			if i > 0 {
				m.moveTo(r.first.snapshot)
			}
			made = append(made, m)
		}
	}
	return made
}

// moveTo points the finding to the objects of another snapshot.
func (f *Finding) moveTo(s *Snapshot) {
	f.later = true
	f.Object = s.objects[f.Object.ordinal]
	f.Line, f.Col = f.Object.position(f.At)
	f.Edits, f.Restarts = slices.Clone(f.Edits), slices.Clone(f.Restarts)
	for i, e := range f.Edits {
		e.Object = s.objects[e.Object.ordinal]
		f.Edits[i] = e.locate()
	}
	for i, o := range f.Restarts {
		f.Restarts[i] = s.objects[o.ordinal]
	}
}

// explain returns why a finding has no edits.
func (r *repair) explain(why withdrawal) string {
	if !why.faulty || r.NotRepaired == nil {
		return why.message
	}
	f := r.failure(why)
	return fmt.Sprintf("see the finding %s at %s:%d", f.Rule.ID, f.Object.File.Path, f.Line)
}

// failure returns the finding of Config.NotRepaired about edits that were withdrawn.
func (r *repair) failure(why withdrawal) *Finding {
	f := &Finding{Rule: r.NotRepaired, Report: Report{Object: r.first.snapshot.objects[why.object], At: why.at,
		Severity: r.NotRepaired.Severity, Message: why.message, Unrepaired: "the repair is left out; please report this"}}
	f.Line, f.Col = f.Object.position(f.At)
	return f
}

// failures returns the faults of the rules and of the engine: one finding for each document. Without Config.NotRepaired
// the first one is an error.
func (r *repair) failures() ([]*Finding, error) {
	var all []withdrawal
	for _, p := range r.first.panics {
		all = append(all, withdrawal{object: p.object.ordinal, message: p.message(), faulty: true})
	}
	withdrawn := slices.SortedFunc(maps.Keys(r.withdrawn), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.rule.ID, b.rule.ID), cmp.Compare(a.document, b.document),
			cmp.Compare(a.finding, b.finding))
	})
	for _, at := range withdrawn {
		if why := r.withdrawn[at]; why.faulty {
			all = append(all, why)
		}
	}
	document := func(w withdrawal) int { return r.first.snapshot.objects[w.object].doc.ordinal }
	slices.SortStableFunc(all, func(a, b withdrawal) int { return cmp.Compare(document(a), document(b)) })
	all = slices.CompactFunc(all, func(a, b withdrawal) bool { return document(a) == document(b) })
	if r.NotRepaired == nil && len(all) > 0 {
		o := r.first.snapshot.objects[all[0].object]
		return nil, bug("%s: %s: %s", Place{o.File.Path, o.doc.line()}, o, all[0].message)
	}
	findings := make([]*Finding, len(all))
	for i, why := range all {
		findings[i] = r.failure(why)
	}
	return findings, nil
}
