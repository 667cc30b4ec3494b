package transform

import (
	"fmt"
	"maps"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Plan is what a run is about to repair: the findings with edits of a snapshot, without those that were withdrawn.
type Plan struct {
	findings  []*Finding
	withdrawn map[place]withdrawal
	restarted map[int]bool // ordinals of the objects whose pods restart, also because of earlier plans
	edited    map[int]bool // and of those that rules edit which do not Enrich
}

// place is a rule's edits in a document, or those of one of its findings.
type place struct {
	rule     *Rule
	document int    // its ordinal
	key      string // of the finding; empty for all of the rule's
}

// withdrawal says why edits are not made.
type withdrawal struct {
	object  int // its ordinal
	at      yamldoc.Path
	message string
	faulty  bool // whether the rule or the engine is wrong
}

// Restarts reports whether the plan restarts pods of the object, because of reports without If.
func (p *Plan) Restarts(o *Object) bool { return p.restarted[o.ordinal] }

// plan returns the plan that repairs as many of the findings as possible after the earlier plan, which may be nil.
func (e *engine) plan(findings []*Finding, withdrawn map[place]withdrawal, earlier *Plan) *Plan {
	p := &Plan{withdrawn: withdrawn, restarted: map[int]bool{}, edited: map[int]bool{}}
	if earlier != nil {
		p.restarted, p.edited = maps.Clone(earlier.restarted), maps.Clone(earlier.edited)
	}
	for _, f := range findings {
		if len(f.Edits) == 0 || p.withdraws(f) {
			continue
		}
		p.findings = append(p.findings, f)
		if f.If == nil {
			for _, o := range f.Restarted() {
				p.restarted[o.ordinal] = true
			}
		}
		if !f.Rule.Enriches {
			for _, edit := range f.Edits {
				p.edited[edit.Object.ordinal] = true
			}
		}
	}
	p.findings = e.keep(p.findings, p)
	return p
}

// keep returns the findings without those that depend on what the plan does not do.
func (e *engine) keep(findings []*Finding, p *Plan) []*Finding {
	dropped := func(f *Finding) bool {
		return f.If != nil && !f.If(p) || e.EnrichRepaired && f.Rule.Enriches && !p.edited[f.Object.ordinal]
	}
	if !slices.ContainsFunc(findings, dropped) {
		return findings
	}
	return slices.DeleteFunc(slices.Clone(findings), dropped)
}

// places returns where the finding edits, and where it is.
func (f *Finding) places() []place {
	all := []place{{rule: f.Rule, document: f.Object.doc.ordinal}}
	for _, e := range f.Edits {
		if p := (place{rule: f.Rule, document: e.Object.doc.ordinal}); p != all[len(all)-1] {
			all = append(all, p)
		}
	}
	return all
}

// own returns the place of the finding alone.
func (f *Finding) own() place {
	key := fmt.Sprint(f.Object.ordinal, pathKey(f.At), f.Category)
	for _, e := range f.Edits {
		key += fmt.Sprint(e.Object.ordinal, e.Op, pathKey(e.Path))
	}
	return place{f.Rule, f.Object.doc.ordinal, key}
}

// withdraws reports whether the plan leaves out the edits of the finding.
func (p *Plan) withdraws(f *Finding) bool {
	_, found := p.withdrawal(f)
	return found
}

func (p *Plan) withdrawal(f *Finding) (w withdrawal, found bool) {
	if len(p.withdrawn) == 0 {
		return w, false
	}
	for _, at := range append(f.places(), f.own()) {
		if w, found = p.withdrawn[at]; found {
			return w, true
		}
	}
	return w, false
}

// rules returns the rules of the plan, in the order of their findings.
func (p *Plan) rules() (all []*Rule) {
	for _, f := range p.findings {
		if len(all) == 0 || all[len(all)-1] != f.Rule {
			all = append(all, f.Rule)
		}
	}
	return all
}

// placed are the findings of a plan by the places of their edits.
type placed map[place][]*Finding

func (p *Plan) byPlace() placed {
	all := placed{}
	for _, f := range p.findings {
		for _, at := range f.places() {
			all[at] = append(all[at], f)
		}
	}
	return all
}

// of returns the places of the rules in a document if there are any, else in all documents.
func (p placed) of(document int, rules ...*Rule) (places []place) {
	for _, rule := range rules {
		if at := (place{rule: rule, document: document}); p[at] != nil {
			places = append(places, at)
		}
	}
	if len(places) > 0 {
		return places
	}
	for at := range p {
		if slices.Contains(rules, at.rule) {
			places = append(places, at)
		}
	}
	return places
}
