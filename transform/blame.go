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

// blameEdits blames those of the findings that edit a document whose edits cannot be made together.
func (r *repair) blameEdits(findings []*Finding, d *document, fault error, guilty verdict) {
	var conflict *yamldoc.ConflictError
	var unsafe *yamldoc.UnsafeError
	var at yamldoc.Path
	var found []*Finding
	message := reason(fault)
	switch {
	case errors.As(fault, &conflict):
		at, found = conflict.Path, overlapping(findings, d, conflict.Path)
		message = fmt.Sprintf("rules %s disagree on %s", strings.Join(ruleIDs(found), " and "), conflict.Path)
		if len(found) == 1 {
			message = fmt.Sprintf("the edits of rule %s contradict each other at %s", found[0].Rule.ID, conflict.Path)
		}
	case errors.As(fault, &unsafe):
		at, found = unsafe.Path, overlapping(findings, d, unsafe.Path)
		message = "the edits can't be made together: " + message
	default:
		found = []*Finding{r.firstBroken(findings, d)}
	}
	o := r.first.snapshot.objects[found[0].editsIn(d)[0].Object.ordinal]
	var waiting []*Finding
	switch {
	case conflict == nil:
	case len(ruleIDs(found)) == 1: // one after the other
		waiting = found[1:]
	default: // what a field holds is repaired where it belongs
		waiting = slices.DeleteFunc(slices.Clone(found), (*Finding).moves)
	}
	if len(waiting) > 0 && len(waiting) < len(found) {
		for _, f := range waiting {
			guilty.add(withdrawal{object: o.ordinal, message: "another repair has to come first"}, f.own())
		}
		return
	}
	at = at[min(len(at), len(o.prefix)):]
	for _, f := range found {
		guilty.add(withdrawal{o.ordinal, at, message, true}, place{rule: f.Rule, document: d.ordinal})
	}
}

// firstBroken returns the first of the findings with whose edits, after those of the ones before it, a document cannot
// be edited.
func (r *repair) firstBroken(findings []*Finding, d *document) *Finding {
	var edits []Edit
	i := slices.IndexFunc(findings, func(f *Finding) bool {
		edits = append(edits, f.editsIn(d)...)
		_, err := r.applyTo(d, edits)
		return err != nil
	})
	return findings[i]
}

// moves reports whether the finding writes something in one place and deletes it in another.
func (f *Finding) moves() bool {
	does := func(op yamldoc.Op) bool { return slices.ContainsFunc(f.Edits, func(e Edit) bool { return e.Op == op }) }
	return does(yamldoc.OpSet) && does(yamldoc.OpDelete)
}

// overlapping returns those of the findings with an edit of a document that overlaps a path.
func overlapping(findings []*Finding, d *document, at yamldoc.Path) (found []*Finding) {
	for _, f := range findings {
		if slices.ContainsFunc(f.editsIn(d), func(e Edit) bool { return e.rooted().Path.Overlaps(at) }) {
			found = append(found, f)
		}
	}
	return found
}

// editsIn returns the finding's edits of a document.
func (f *Finding) editsIn(d *document) (edits []Edit) {
	for _, e := range f.Edits {
		if e.Object.doc == d {
			edits = append(edits, e)
		}
	}
	return edits
}

// ruleIDs returns the IDs of the rules of findings, each of them once.
func ruleIDs(findings []*Finding) (all []string) {
	for _, f := range findings {
		if !slices.Contains(all, f.Rule.ID) {
			all = append(all, f.Rule.ID)
		}
	}
	return all
}

// blameFiles blames the edits with which a file would be read as other documents than those that it is made of.
func (r *repair) blameFiles(plan *Plan, documents []*document, guilty verdict) {
	in, rules, edits := r.first.snapshot.input, plan.rules(), plan.byPlace()
	for i, parts := range in.parts {
		if !in.changed(i, documents) {
			continue
		}
		if err := in.proveFile(i, documents); err != nil {
			message := fmt.Sprintf("%s could not be read after the repair: %v", in.files[i].Path, err)
			var edited []*document
			for _, d := range parts {
				if d.tree != nil && documents[d.ordinal] != r.last.snapshot.documents[d.ordinal] {
					edited = append(edited, documents[d.ordinal])
				}
			}
			for _, d := range r.breaking(i, edited) {
				why := withdrawal{object: d.objects[0].ordinal, message: message, faulty: true}
				guilty.add(why, edits.of(d.ordinal, rules...)...)
			}
		}
	}
}

// breaking returns those of the edited documents that keep file i from being read without the others, all of them if
// only several together do.
func (r *repair) breaking(i int, edited []*document) []*document {
	documents := slices.Clone(r.last.snapshot.documents)
	for _, d := range edited {
		documents[d.ordinal] = d
	}
	half := len(edited) / 2
	switch {
	case r.first.snapshot.input.proveFile(i, documents) == nil:
		return nil
	case half == 0:
		return edited
	}
	found := slices.Concat(r.breaking(i, edited[:half]), r.breaking(i, edited[half:]))
	if len(found) == 0 {
		return edited
	}
	return found
}

// compare checks a plan against the analysis of its result, and returns the guilty edits. What the plan repairs must be
// gone, and there must be no fatal finding and no new error without edits; one with edits is for the next plan. Other
// new findings are allowed: a field that moves to its place may reveal problems in its value.
func (r *repair) compare(ctx context.Context, plan *Plan, after *analysis) (verdict, error) {
	symptoms, guilty := r.symptoms(plan, after)
	if len(guilty) > 0 || len(symptoms) == 0 {
		return guilty, nil
	}
	return r.findGuilty(ctx, plan, symptoms)
}

// proveFile returns an error unless file i still splits into the same documents, with those in after in their places.
func (in *input) proveFile(i int, after []*document) error {
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
		return errors.New("it would be split into other documents")
	}
	return nil
}

// symptom is an unwanted effect of a plan: a finding or a panic of a rule, or an error that ends the analysis.
type symptom struct {
	rule    *Rule // nil for an error
	object  int   // its ordinal
	message string
	faulty  bool
}

// symptoms returns the unwanted effects that the analysis of a plan's result shows. Rules that report again what they
// repaired are guilty at once.
func (r *repair) symptoms(plan *Plan, after *analysis) (found []symptom, guilty verdict) {
	guilty = verdict{}
	panicked := map[spot]bool{}
	for _, p := range r.last.panics {
		panicked[p.spot()] = true
	}
	for _, p := range after.panics {
		if !panicked[p.spot()] {
			found = append(found, symptom{p.rule, p.object.ordinal, p.message(), true})
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
		case known[at] > 0 && !f.Fatal:
			known[at]--
		case f.Severity == Error || f.Fatal:
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

func (p rulePanic) spot() spot { return spot{p.rule, p.object.ordinal} }

func (s symptom) spot() spot { return spot{s.rule, s.object} }

func (p rulePanic) message() string { return fmt.Sprintf("rule %s: %s", p.rule.ID, reason(p.err)) }

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

// maxSuspects is the number of findings of a rule in a document up to which each is tried alone.
const maxSuspects = 8

// findGuilty finds the edits without which the symptoms are gone: those of one rule, and if possible of one of its
// findings in the document of the symptom. It tries all documents at once, so that the number of analyses does not
// depend on theirs. If no single rule brings a symptom about, all edits of the document are guilty, or those of the
// plan if it has none there.
func (r *repair) findGuilty(ctx context.Context, plan *Plan, symptoms []symptom) (verdict, error) {
	guilty := verdict{}
	rules, edits := plan.rules(), plan.byPlace()
	document := func(s symptom) int { return r.first.snapshot.objects[s.object].doc.ordinal }
	blame := func(s symptom, places ...place) {
		guilty.add(withdrawal{object: s.object, message: s.message, faulty: s.faulty}, places...)
	}
	for _, rule := range rules {
		gone, left, err := r.without(ctx, plan, symptoms, func(f *Finding) bool { return f.Rule == rule })
		if err != nil {
			return nil, err
		}
		symptoms = left
		for i := range maxSuspects {
			suspect := func(s symptom) *Finding {
				own := edits[place{rule: rule, document: document(s)}]
				if len(own) < 2 || len(own) > maxSuspects || i >= len(own) {
					return nil
				}
				return own[i]
			}
			tried := map[place]bool{}
			for _, s := range gone {
				if f := suspect(s); f != nil {
					tried[f.own()] = true
				}
			}
			if len(tried) == 0 {
				break
			}
			solved, left, err := r.without(ctx, plan, gone, func(f *Finding) bool {
				return f.Rule == rule && tried[f.own()]
			})
			if err != nil {
				return nil, err
			}
			gone = left
			for _, s := range solved {
				if f := suspect(s); f != nil {
					blame(s, f.own())
				} else {
					gone = append(gone, s)
				}
			}
		}
		for _, s := range gone {
			blame(s, edits.of(document(s), rule)...)
		}
	}
	for _, s := range symptoms {
		blame(s, edits.of(document(s), rules...)...)
	}
	return guilty, nil
}

// without tells the symptoms that are gone without the edits of some findings of a plan from those that are left.
func (r *repair) without(ctx context.Context, plan *Plan, symptoms []symptom, some func(*Finding) bool,
) (gone, left []symptom, err error) {
	rest := *plan
	rest.findings = slices.DeleteFunc(slices.Clone(plan.findings), some)
	if len(rest.findings) == 0 || len(symptoms) == 0 {
		return symptoms, nil, nil
	}
	documents, guilty, err := r.edit(ctx, &rest)
	if err != nil || len(guilty) > 0 {
		return nil, symptoms, err
	}
	snapshot, err := r.snapshot(r.first.snapshot.input, documents)
	if err != nil {
		return nil, symptoms, nil
	}
	after, err := r.analyze(ctx, snapshot)
	if err != nil {
		return nil, nil, err
	}
	there := map[spot]bool{}
	found, _ := r.symptoms(&rest, after)
	for _, s := range found {
		there[s.spot()] = true
	}
	for _, s := range symptoms {
		if there[s.spot()] {
			left = append(left, s)
		} else {
			gone = append(gone, s)
		}
	}
	return gone, left, nil
}
