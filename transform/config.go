package transform

import (
	"fmt"
	"slices"
	"strings"
)

// Config says what a run knows and which rules it runs. The zero value runs no rules.
type Config struct {
	// Rules is the catalogue, in the order in which findings are reported and new keys are inserted. It has to pass
	// Validate. Two runs may share it.
	Rules []*Rule

	// Select narrows the catalogue: IDs of rules to run, or IDs with a leading "-" of rules to leave out. Empty selects
	// all rules. An ID that no rule has is an error of Run. A rule that is left out still counts for what is parsed,
	// and its findings may be accepted.
	Select []string

	// Releases are those that the cluster may run, for example every patch release of a minor. None means that nothing
	// is known. A rule runs if one of them lies in one of its windows, or if there are none.
	Releases []Release

	// AsOf is a version of the catalogue. The run makes only edits that came with it or an earlier one, so that a newer
	// catalogue changes nothing before people want it. What rules that came later report is advice, and never fatal. The
	// zero value stands for the newest version.
	AsOf Release

	// ForbidSuppressions takes the effect from the comments and annotations that accept findings; see IgnoreAnnotation.
	// Such a finding is reported and repaired, and its message says that it could not be accepted.
	ForbidSuppressions bool

	// EnrichRepaired makes the edits of rules that Enrich only in objects that other rules edit too. What they would do
	// elsewhere is not reported.
	EnrichRepaired bool

	// Namespace is the namespace of objects that name none. It may be empty.
	Namespace string

	// MaxExpanded is the number of bytes of text that the aliases of all documents together may stand for; 0 means no
	// limit. More is an *InputError. They may never stand for more than a million nodes. Documents that are not parsed,
	// because they concern no rule, do not count.
	MaxExpanded int

	// Previous is the input as it was before the change in question. Objects that are only there are deleted, and
	// Rule.Removed looks at them. It is not repaired, and no part of the result. Empty: nothing is deleted.
	Previous []File

	// Index returns what the rules know about all objects together; they find it in Pass.Index. Run calls it once before
	// the rules, again for Rule.Removed, once for Previous, and whenever it verifies a repair, so it must depend on
	// nothing but the render and constants. Several rules read what it returns at the same time. The objects of the render
	// change from one call to the next, and are again those that came when Run returns. Nil is allowed, and then
	// Pass.Index is nil.
	Index func(*Render) any

	// Facts returns what Index needs to know of an object, found in the object alone; nil means nothing. It must not keep
	// nodes, which may become those of another object, nor texts without a copy. Run calls it when it has just read the
	// object, and for several objects at the same time, so that Index does not have to read all objects of a large input
	// again. See Object.Facts.
	Facts func(*Object) any
}

// selected returns the rules to run.
func (c *Config) selected() ([]*Rule, error) {
	var only, without []string
	for _, name := range c.Select {
		id, negative := strings.CutPrefix(name, "-")
		if !c.knows(id) {
			return nil, fmt.Errorf("rules: unknown rule %q; the rules are %s", id, c.ids())
		}
		if negative {
			without = append(without, id)
		} else {
			only = append(only, id)
		}
	}
	var chosen []*Rule
	for _, r := range c.Rules {
		wanted := (len(only) == 0 || slices.Contains(only, r.ID)) && !slices.Contains(without, r.ID)
		if wanted && r.AppliesTo(c.Releases) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// withhold takes off what a finding has from a version of the catalogue that is newer than AsOf.
func (c *Config) withhold(f *Finding) {
	later := func(since Release) bool { return c.AsOf != (Release{}) && since.Compare(c.AsOf) > 0 }
	if later(f.Rule.Since) {
		f.Severity, f.Fatal = Advice, false
	}
	if len(f.Edits) > 0 && later(f.Since) {
		f.Edits, f.Withheld = nil, true
		f.Unrepaired = "only rules as of " + f.Since.Minor() + " repair it"
	}
}

// ids lists the IDs of the catalogue.
func (c *Config) ids() string {
	ids := make([]string, len(c.Rules))
	for i, r := range c.Rules {
		ids[i] = r.ID
	}
	return strings.Join(ids, ", ")
}

func (c *Config) knows(id string) bool {
	return slices.ContainsFunc(c.Rules, func(r *Rule) bool { return r.ID == id })
}

// index returns what the rules know about the render.
func (c *Config) index(render *Render) any {
	if c.Index == nil {
		return nil
	}
	return c.Index(render)
}
