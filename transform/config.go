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

	// Kinds are kinds of objects to parse in addition to those of the rules, so that Index and callers see them.
	Kinds []GroupKind

	// Select narrows the catalogue: IDs of rules to run, or IDs with a leading "-" of rules to leave out. Empty selects
	// all rules. An ID that no rule has is an error of Run. A rule that is left out still counts for what is parsed,
	// and its findings may be accepted.
	Select []string

	// Releases are those that the cluster may run, for example every patch release of a minor. None means that nothing
	// is known. A rule runs if one of them lies in one of its windows, or if there are none.
	Releases []Release

	// AsOf is a version of the catalogue. The run makes only edits that came with it or an earlier one, so that a newer
	// catalogue changes nothing before people want it. The findings of newer rules are advice and never fatal. The zero
	// value stands for the newest version.
	AsOf Release

	// Ignore is the name of the annotation by which people accept findings of an object. Its value is "ID: reason",
	// several separated by ";". As a comment, "# " + Ignore + ": ID: reason", it accepts findings on its line and in the
	// values of the keys there, also on the lines below. On a line of its own it accepts those in what starts below it:
	// the document, an item of a list, or a key with its value. A missing reason and the ID of no rule are errors of
	// [Run]. Empty: nobody accepts anything.
	Ignore string

	// IgnoreForbidden says why the annotations and comments of Ignore have no effect, for the messages of the findings
	// that they are about. Such findings are reported and repaired. Empty: they have an effect.
	IgnoreForbidden string

	// NotRepaired is the rule of findings about faults of the rules and the engine: edits that are left out, because the
	// repair could not be proved, and rules that panic. Without it, a fault is an error of [Run].
	NotRepaired *Rule

	// UnusedIgnore is the rule of findings about comments and annotations of Ignore that accept nothing. Without it,
	// there are no such findings.
	UnusedIgnore *Rule

	// EnrichRepaired makes the edits of rules that Enrich only in objects that other rules edit too. What they would do
	// elsewhere is not reported.
	EnrichRepaired bool

	// Namespace is the namespace of objects that name none. It may be empty.
	Namespace string

	// MaxExpanded limits the bytes of the strings that the aliases of all documents together expand to; 0 means no
	// limit. More is an *InputError, and so are more than a million nodes. Documents that are not parsed, because they
	// concern no rule, do not count.
	MaxExpanded int

	// Previous is the input as it was before the change in question. Objects that are only there are deleted, and
	// Rule.Removed looks at them; Rule.Changed looks at the others. It is not repaired, and no part of the result. Empty:
	// nothing changes.
	Previous []File

	// Apart leaves Rule.Removed to [Deleted].
	Apart bool

	// Index returns what the rules know about all objects together; they find it in Pass.Index. Run calls it once for each
	// snapshot: the input, what each step of the repair makes of it, and Previous. So it must depend on nothing but the
	// snapshot and constants. Several rules read what it returns at the same time. Nil is allowed, and then Pass.Index is
	// nil.
	Index func(*Snapshot) Index
}

// Index is what rules know about a snapshot. A catalogue has a type of its own for it.
type Index interface {
	// Snapshot returns the snapshot that the index is about.
	Snapshot() *Snapshot
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

// withhold removes from a finding what came with a version of the catalogue newer than AsOf.
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
