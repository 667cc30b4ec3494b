package transform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// blameEdits blames the rules whose edits of a document cannot be made together.
func (r *repair) blameEdits(plan *Plan, d *document, fault error, guilty verdict) {
	var conflict *yamldoc.ConflictError
	var unsafe *yamldoc.UnsafeError
	var found []*Finding
	at := yamldoc.Path(nil)
	message := reason(fault)
	switch {
	case errors.As(fault, &conflict):
		at, found = conflict.Path, plan.overlapping(d, conflict.Path)
		message = fmt.Sprintf("rules %s disagree on %s", strings.Join(ids(found), " and "), conflict.Path)
	case errors.As(fault, &unsafe):
		at, found = unsafe.Path, plan.overlapping(d, unsafe.Path)
		message = "the edits can't be made together: " + message
	}
	if len(found) == 0 {
		found = plan.overlapping(d, nil)
	}
	o := r.first.snapshot.objects[found[0].objectIn(d)]
	if len(at) < len(o.prefix) {
		at = o.prefix
	}
	if all := plan.overlapping(d, nil); conflict != nil && len(ids(found)) == 1 && len(all) > 1 {
		for _, f := range found[min(1, len(found)-1):] { // one after the other
			guilty.add(withdrawal{object: o.ordinal, message: "another repair has to come first"}, f.own())
		}
		return
	}
	if waiting := slices.DeleteFunc(slices.Clone(found), (*Finding).moves); conflict != nil && len(waiting) > 0 &&
		len(waiting) < len(found) {
		for _, f := range waiting { // what a field holds is repaired where it belongs
			guilty.add(withdrawal{object: o.ordinal, message: "another repair has to come first"}, f.own())
		}
		return
	}
	for _, f := range found {
		guilty.add(withdrawal{o.ordinal, at[len(o.prefix):], message, true}, place{rule: f.Rule, document: d.ordinal})
	}
}

// moves reports whether the finding writes something in one place and deletes it in another.
func (f *Finding) moves() bool {
	does := func(op yamldoc.Op) bool { return slices.ContainsFunc(f.Edits, func(e Edit) bool { return e.Op == op }) }
	return does(yamldoc.OpSet) && does(yamldoc.OpDelete)
}

// overlapping returns the findings with an edit of a document that overlaps a path.
func (p *Plan) overlapping(d *document, at yamldoc.Path) (found []*Finding) {
	for _, f := range p.findings {
		if slices.ContainsFunc(f.Edits, func(e Edit) bool { return e.Object.doc == d && e.rooted().Path.Overlaps(at) }) {
			found = append(found, f)
		}
	}
	return found
}

// objectIn returns the ordinal of the first object in a document that the finding edits.
func (f *Finding) objectIn(d *document) int {
	for _, e := range f.Edits {
		if e.Object.doc == d {
			return e.Object.ordinal
		}
	}
	return d.objects[0].ordinal
}

// ids returns the IDs of the rules of findings, each of them once.
func ids(findings []*Finding) (all []string) {
	for _, f := range findings {
		if !slices.Contains(all, f.Rule.ID) {
			all = append(all, f.Rule.ID)
		}
	}
	return all
}

// blameFiles blames all edits of a file that would be read as other documents than those that it is made of.
func (r *repair) blameFiles(plan *Plan, documents []*document, guilty verdict) {
	in := r.first.snapshot.input
	for i, parts := range in.parts {
		if !in.changed(i, documents) {
			continue
		}
		if err := in.readable(i, documents); err != nil {
			message := fmt.Sprintf("%s could not be read after the repair: %v", in.files[i].Path, err)
			for _, d := range parts {
				if d.tree != nil && documents[d.ordinal] != d {
					guilty.add(withdrawal{object: d.objects[0].ordinal, message: message, faulty: true}, plan.placesOf(nil, d.ordinal)...)
				}
			}
		}
	}
}

// compare returns the guilty if the analysis that follows a plan is not what the plan says: what it repairs must be gone,
// and there must be no new errors, except those with edits, which are for the next plan. It admits other new findings: a
// field that moves to its place may bring what it contains to light.
func (r *repair) compare(ctx context.Context, plan *Plan, after *analysis) (verdict, error) {
	symptoms, guilty := r.symptoms(plan, after)
	if len(guilty) > 0 || len(symptoms) == 0 {
		return guilty, nil
	}
	return r.findGuilty(ctx, plan, symptoms)
}

// readable returns an error if file i, with the documents as they are in after, would be read as others.
func (in *input) readable(i int, after []*document) error {
	want, err := yamldoc.Split(in.files[i].Data)
	if err != nil {
		return err
	}
	got, err := yamldoc.Split(in.data(i, after))
	if err != nil {
		return err
	}
	edited := map[*byte][]byte{} // bodies by their first byte in the input
	for _, d := range in.parts[i] {
		if d.tree != nil {
			edited[&d.source.Body[0]] = after[d.ordinal].source.Body
		}
	}
	same := slices.EqualFunc(got, want, func(got, want yamldoc.Document) bool {
		body := want.Body
		if len(body) > 0 && edited[&body[0]] != nil {
			body = edited[&body[0]]
		}
		return bytes.Equal(bytes.TrimSuffix(got.Body, []byte("\n")), bytes.TrimSuffix(body, []byte("\n")))
	})
	if !same {
		return errors.New("its documents would be others")
	}
	return nil
}

// symptom is what a plan brings about although it does not say so: a finding or a panic of a rule, or an error that
// ends the analysis.
type symptom struct {
	rule    *Rule // nil for an error
	object  int   // its ordinal
	message string
	faulty  bool
}

// symptoms returns those in the analysis that follows a plan, and the rules that have them about their own repairs.
func (r *repair) symptoms(plan *Plan, after *analysis) (found []symptom, guilty verdict) {
	guilty = verdict{}
	panics := map[spot]bool{}
	for _, f := range r.last.faults {
		panics[f.spot()] = true
	}
	for _, f := range after.faults {
		if !panics[f.spot()] {
			found = append(found, symptom{f.rule, f.object.ordinal, f.message(), true})
		}
	}
	planned := map[spot][]*Finding{}
	for _, f := range plan.findings {
		planned[f.spot()] = append(planned[f.spot()], f)
	}
	known := map[spot]int{} // number of findings; a repaired one may leave a part of the problem to people
	for _, f := range r.keep(r.last.open, plan) {
		known[f.spot()]++
	}
	for _, f := range r.keep(after.open, plan) {
		at := f.spot()
		possible := len(f.Edits) > 0 && !plan.withdraws(f)
		again := !possible && known[at] == 0 && slices.ContainsFunc(planned[at], f.sameAs) ||
			possible && slices.ContainsFunc(planned[at], f.sameRepair)
		switch {
		case again:
			message := fmt.Sprintf("%s comes up again after the repair: %s", f.Rule.ID, f.Message)
			guilty.add(withdrawal{object: f.Object.ordinal, message: message, faulty: true}, f.places()...)
		case possible:
		case known[at] > 0:
			known[at]--
		case f.Severity == Error:
			message := fmt.Sprintf("the repair would lead to %s: %s", f.Rule.ID, f.Message)
			found = append(found, symptom{f.Rule, f.Object.ordinal, message, false})
		}
	}
	return found, guilty
}

// spot identifies findings across a repair, which may change names and positions.
type spot struct {
	rule   *Rule
	object int // its ordinal
}

func (f *Finding) spot() spot { return spot{f.Rule, f.Object.ordinal} }

func (f fault) spot() spot { return spot{f.rule, f.object.ordinal} }

func (f fault) message() string { return fmt.Sprintf("rule %s: %s", f.rule.ID, reason(f.err)) }

// sameAs reports whether another finding of the rule about the object is about the same problem.
func (f *Finding) sameAs(other *Finding) bool {
	return slices.Equal(f.At, other.At) && f.Category == other.Category
}

// sameRepair reports whether another finding of the rule about the object has the same edits.
func (f *Finding) sameRepair(other *Finding) bool {
	return f.sameAs(other) && slices.EqualFunc(f.Edits, other.Edits, func(a, b Edit) bool {
		return a.Object.ordinal == b.Object.ordinal && reflect.DeepEqual(a.Edit, b.Edit)
	})
}

// findGuilty finds the edits without which the symptoms are not there: those of one rule, and if possible of one of its
// findings. If no single rule brings one about, all edits of the document are guilty, or of the plan if it has none
// there.
func (r *repair) findGuilty(ctx context.Context, plan *Plan, symptoms []symptom) (verdict, error) {
	guilty := verdict{}
	document := func(s symptom) int { return r.first.snapshot.objects[s.object].doc.ordinal }
	blame := func(s symptom, places ...place) {
		guilty.add(withdrawal{object: s.object, message: s.message, faulty: s.faulty}, places...)
	}
	for _, rule := range plan.rules() {
		gone, err := r.goneWithout(ctx, plan, symptoms, func(f *Finding) bool { return f.Rule == rule })
		if err != nil {
			return nil, err
		}
		for _, s := range gone {
			suspects := plan.near(rule, document(s))
			own, err := r.narrow(ctx, plan, s, suspects)
			switch {
			case err != nil:
				return nil, err
			case own != nil:
				blame(s, own.own())
			default:
				blame(s, plan.placesOf(rule, document(s))...)
			}
		}
		symptoms = slices.DeleteFunc(symptoms, func(s symptom) bool { return slices.Contains(gone, s) })
	}
	for _, s := range symptoms {
		blame(s, plan.placesOf(nil, document(s))...)
	}
	return guilty, nil
}

// maxSuspects is the number of findings of a rule up to which each is tried alone.
const maxSuspects = 8

// narrow returns the one of several suspects without whose edits the symptom is not there, or nil.
func (r *repair) narrow(ctx context.Context, plan *Plan, s symptom, suspects []*Finding) (*Finding, error) {
	if len(suspects) < 2 || len(suspects) > maxSuspects {
		return nil, nil
	}
	for i := range suspects {
		own := suspects[i].own()
		gone, err := r.goneWithout(ctx, plan, []symptom{s}, func(f *Finding) bool { return f.own() == own })
		if err != nil || len(gone) > 0 {
			return suspects[i], err
		}
	}
	return nil, nil
}

// goneWithout returns the symptoms that are not there without the edits of some findings of a plan.
func (r *repair) goneWithout(ctx context.Context, plan *Plan, symptoms []symptom, some func(*Finding) bool,
) ([]symptom, error) {
	if len(symptoms) == 0 {
		return nil, nil
	}
	rest := *plan
	rest.findings = slices.DeleteFunc(slices.Clone(plan.findings), some)
	if len(rest.findings) == 0 {
		return symptoms, nil
	}
	documents, guilty, err := r.edit(ctx, &rest)
	if err != nil || len(guilty) > 0 {
		return nil, err
	}
	snapshot, err := r.snapshot(r.first.snapshot.input, documents)
	if err != nil {
		return nil, nil
	}
	after, err := r.analyze(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	left, _ := r.symptoms(&rest, after)
	return slices.DeleteFunc(slices.Clone(symptoms), func(s symptom) bool {
		return slices.ContainsFunc(left, func(l symptom) bool { return l.rule == s.rule && l.object == s.object })
	}), nil
}
