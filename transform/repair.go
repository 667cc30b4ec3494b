package transform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// repair is the work of making the edits of the findings and of proving the result. A document that fails is left as it
// came, and so is all that a finding would change together with it.
type repair struct {
	*engine
	stream   *stream
	findings []held
	failed   failures

	made  []int          // how many edits each of the selected documents has
	stays map[place]bool // what the rules report after the proved edits; nil if there are none
}

// newRepair leaves documents with an object on which a rule panics as they came.
func newRepair(e *engine, s *stream, findings []held, faults []fault) *repair {
	r := &repair{engine: e, stream: s, findings: e.worthwhile(findings), failed: failures{},
		made: make([]int, len(s.selected))}
	for _, f := range faults {
		r.leave(f.object, nil, f.message())
	}
	return r
}

// failures are the documents that are left as they came, with the findings that tell why.
type failures map[*document]Finding

// leave leaves the object's document as it came. The first reason counts.
func (r *repair) leave(o *Object, at yamldoc.Path, message string) {
	if _, known := r.failed[o.doc]; known {
		return
	}
	o.doc.restore()
	failure := Finding{Rule: NotRepaired, Object: o, At: at, Severity: NotRepaired.Severity, Message: message,
		Unrepaired: "the document is left as it came; please report this"}
	failure.Line, failure.Col = o.position(at)
	r.failed[o.doc] = failure
}

// prove makes as many of the edits as can be proved, such that the output stays as it is when it is repaired again. It
// notes which findings without edits those of the others solve.
func (r *repair) prove(ctx context.Context) error {
	err := r.run(ctx)
	if err == nil && len(r.failed) > 0 && !r.stable(ctx) && ctx.Err() == nil {
		r.giveUp("the output would change when it is repaired again")
		err = r.run(ctx)
	}
	if r.stays != nil {
		for i := range r.findings {
			if h := &r.findings[i]; len(h.edits) == 0 && !r.stays[h.place()] {
				h.change(func(f *Finding) { f.Solved, f.Unrepaired, f.Needs = true, "", "" })
			}
		}
	}
	return cmp.Or(err, ctx.Err())
}

// run makes as many of the edits as can be proved.
func (r *repair) run(ctx context.Context) error {
	for {
		r.withdraw()
		before := len(r.failed)
		if err := r.splice(ctx); err != nil {
			return err
		}
		if len(r.failed) > before {
			continue
		}
		proved, err := r.verify(ctx)
		if proved || err != nil {
			return err
		}
	}
}

// withdraw takes the edits off the findings that concern a document that is left as it came, and reports whether there
// are any.
func (r *repair) withdraw() (some bool) {
	for i := range r.findings {
		h := &r.findings[i]
		if len(h.edits) == 0 {
			continue
		}
		if failure, found := r.failed.concern(h); found {
			some = true
			h.change(func(f *Finding) {
				f.Edits, f.Unrepaired = nil, fmt.Sprintf("see the finding %s at %s:%d",
					failure.Rule.ID, failure.Object.File.Path, failure.Line)
			})
		}
	}
	r.findings = r.worthwhile(r.findings)
	return some
}

// worthwhile returns the findings without those that depend on others which are not there: that are OnlyWithRestart and
// concern an object that nothing restarts, or that Config.EnrichRepaired leaves out.
func (c *Config) worthwhile(findings []held) []held { return c.worthwhileBy(findings, findings) }

// worthwhileBy is worthwhile for findings that depend on the repaired ones.
func (c *Config) worthwhileBy(findings, repaired []held) []held {
	enriches := func(h *held) bool { return c.EnrichRepaired && h.common.Rule.Enriches }
	depends := func(h held) bool { return h.common.OnlyWithRestart || enriches(&h) }
	if !slices.ContainsFunc(findings, depends) {
		return findings
	}
	restarted, edited := map[*Object]bool{}, map[*Object]bool{}
	for i := range repaired {
		h := &repaired[i]
		if !h.common.OnlyWithRestart {
			for _, o := range h.restarted() {
				restarted[o] = true
			}
		}
		if !h.common.Rule.Enriches {
			for _, e := range h.edits {
				edited[e.object] = true
			}
		}
	}
	return slices.DeleteFunc(findings, func(h held) bool {
		return h.common.OnlyWithRestart && !restarted[h.object] || enriches(&h) && !edited[h.object]
	})
}

// concern returns why a document of the finding is left as it came.
func (f failures) concern(h *held) (failure Finding, found bool) {
	if failure, found = f[h.object.doc]; found {
		return failure, true
	}
	for _, e := range h.edits {
		if failure, found = f[e.object.doc]; found {
			return failure, true
		}
	}
	return Finding{}, false
}

// splice merges the edits of each document and splices them into its bytes, unless that is done already.
func (r *repair) splice(ctx context.Context) error {
	edits := map[*document][]heldEdit{}
	for i := range r.findings {
		for _, e := range r.findings[i].edits {
			edits[e.object.doc] = append(edits[e.object.doc], e)
		}
	}
	faults := make([]error, len(r.made))
	err := parallel(ctx, len(r.made), func(i int) error {
		d := r.stream.selected[i]
		if len(edits[d]) == r.made[i] { // edits are only ever withdrawn
			return nil
		}
		d.restore()
		r.made[i] = len(edits[d])
		faults[i] = guarded(func() error {
			if len(edits[d]) == 0 {
				d.adopt(d.read())
				return nil
			}
			return d.borrow(func(before *yamldoc.Tree) error {
				tree, err := before.Apply(effective(rooted(edits[d])))
				if err != nil || tree == before {
					return err
				}
				return d.edit(tree, r.shared.change(tree.Change()), r.Namespace)
			})
		})
		return nil
	})
	for i, fault := range faults {
		if fault != nil && err == nil {
			r.blame(r.stream.selected[i], fault)
		}
	}
	return err
}

// nameLost notes in the findings which comments their edits take out.
func (r *repair) nameLost() {
	lost := map[*document]map[string][]Place{} // by the path of the edit
	for _, d := range r.stream.selected {
		if d.revised == nil || len(d.revised.lost) == 0 {
			continue
		}
		places := map[string][]Place{}
		for _, c := range d.revised.lost {
			key := pathKey(c.Path)
			places[key] = append(places[key], Place{d.file.Path, d.source.Line + c.Line - 1})
		}
		lost[d] = places
	}
	for i := range r.findings {
		h := &r.findings[i]
		var places []Place
		for _, e := range h.edits {
			if of := lost[e.object.doc]; of != nil {
				places = append(places, of[pathKey(e.rooted().Path)]...)
			}
		}
		if len(places) == 0 {
			continue
		}
		slices.SortFunc(places, func(a, b Place) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
		})
		h.change(func(f *Finding) { f.Lost = slices.Compact(places) }) // two edits may have the same path
	}
}

// pathKey returns a text that only equal paths have.
func pathKey(path yamldoc.Path) string { return fmt.Sprintf("%#v", path) }

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

// blame leaves a document as it came because its edits cannot be made, and names the rules whose edits conflict.
func (r *repair) blame(d *document, fault error) {
	var conflict *yamldoc.ConflictError
	var unsafe *yamldoc.UnsafeError
	o, message := d.objects[0], reason(fault)
	var at yamldoc.Path
	switch {
	case errors.As(fault, &conflict):
		var ids []string
		for i := range r.findings {
			id := r.findings[i].common.Rule.ID
			for _, e := range r.findings[i].edits {
				if e.object.doc != d || !e.rooted().Path.Overlaps(conflict.Path) {
					continue
				}
				o, at = e.object, e.edit.Path
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		message = fmt.Sprintf("rules %s disagree on %s", strings.Join(ids, " and "), conflict.Path)
	case errors.As(fault, &unsafe):
		message = "the edits can't be made together: " + unsafe.Reason
	}
	r.leave(o, at, message)
}

// place identifies a finding across a repair: names and positions may change.
type place struct {
	rule   *Rule
	object *Object
}

func (h *held) place() place { return place{h.common.Rule, h.object} }

// verify runs the rules over the edited documents: what was repaired must be gone, and nothing may be new. It reports
// whether that is so; if not, more documents are left as they came.
func (r *repair) verify(ctx context.Context) (proved bool, err error) {
	r.stays = nil
	if !r.edited() {
		return true, nil
	}
	left, faults, err := r.find(ctx, r.stream.selected, r.stream.unselected)
	left, _ = split(left)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		r.giveUp(reason(err))
		return false, nil
	}
	known := map[place]int{} // number of findings; a repaired one may leave a part of the problem to people
	for i := range r.findings {
		known[r.findings[i].place()]++
	}
	proved = true
	var message string
	for _, f := range faults {
		if _, already := r.failed[f.object.doc]; !already {
			proved, message = false, f.message()
			r.leave(f.object, nil, message)
		}
	}
	stays := map[place]bool{}
	left = slices.DeleteFunc(left, func(h held) bool {
		_, withdrawn := r.failed.concern(&h)
		at := h.place()
		stays[at] = true
		if known[at] == 0 || len(h.edits) > 0 && !withdrawn {
			return false
		}
		known[at]--
		return true
	})
	var culprits []*Rule
	for _, h := range r.worthwhile(left) {
		proved = false
		culprits = append(culprits, h.common.Rule)
		message = fmt.Sprintf("%s comes up again after the repair: %s", h.common.Rule.ID, h.common.Message)
		r.leave(h.object, nil, message)
	}
	switch {
	case proved:
		r.stays = stays
	case !r.withdraw():
		r.giveUp(message, culprits...)
	}
	return proved, nil
}

// edited reports whether a document is edited.
func (r *repair) edited() bool {
	return slices.ContainsFunc(r.stream.selected, func(d *document) bool { return d.edited })
}

// giveUp leaves all documents that the rules edit as they came, because the repair of one of them spoils another. With
// no rules, or none that edits something, it leaves all edited documents.
func (r *repair) giveUp(message string, rules ...*Rule) {
	for i := range r.findings {
		if !slices.Contains(rules, r.findings[i].common.Rule) {
			continue
		}
		for _, e := range r.findings[i].edits {
			r.leave(e.object, e.edit.Path, message)
		}
	}
	if r.withdraw() {
		return
	}
	for i, d := range r.stream.selected {
		if r.made[i] == 0 {
			continue
		}
		r.leave(d.objects[0], nil, message)
	}
}

// stable reports whether the output stays as it is when it is repaired again. A document that is left as it came can
// spoil that: once the others are repaired, its own repair may succeed.
func (r *repair) stable(ctx context.Context) bool {
	own := &trees{facts: r.Facts, most: minKept}
	again := make([]*document, len(r.stream.selected))
	for i, d := range r.stream.selected {
		again[i] = &document{file: d.file, source: &yamldoc.Document{Body: d.body(), Line: d.source.Line}, trees: own}
		if err := again[i].parse(r.Namespace); err != nil {
			return false
		}
	}
	findings, faults, err := r.find(ctx, again, r.stream.unselected)
	if err != nil {
		return false
	}
	findings, _ = split(findings)
	second := newRepair(r.engine, &stream{selected: again, unselected: r.stream.unselected}, findings, faults)
	return second.run(ctx) == nil && !second.edited()
}
