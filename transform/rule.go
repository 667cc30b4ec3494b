package transform

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Severity is how much a finding matters: Advice, Warning or Error.
type Severity string

// The severities, from the least to the greatest.
const (
	Advice  Severity = "advice"  // worth knowing; it breaks nothing by itself
	Warning Severity = "warning" // breaks on some supported release or under some setting
	Error   Severity = "error"   // breaks, or makes the API server refuse the object
)

var severities = []Severity{Advice, Warning, Error}

// AtLeast reports whether s is at least as severe as least. Both must be one of the constants.
func (s Severity) AtLeast(least Severity) bool {
	return slices.Index(severities, s) >= slices.Index(severities, least)
}

// GroupKind names a kind of objects, in all versions of its API group. The core group is empty. A Deployment is
// GroupKind{"apps", "Deployment"}.
type GroupKind struct{ Group, Kind string }

// AnyKind as the Kind of a GroupKind in Rule.Kinds stands for all kinds of the group, also for those that do not exist.
// The group must have a dot. As Group too, it stands for the objects of all kinds that are parsed: those in documents
// with one of Rule.Mentions, which the rule must have, and those that other rules look at.
const AnyKind = "*"

// includes reports whether the kind is k, or one of those that k stands for.
func (k GroupKind) includes(kind GroupKind) bool {
	return k == kind || k.Kind == AnyKind && (k.Group == AnyKind || k.Group == kind.Group)
}

// String returns Kind.group, as kubectl writes it, or Kind for the core group.
func (k GroupKind) String() string { return strings.TrimSuffix(k.Kind+"."+k.Group, ".") }

// Rule finds one kind of problem and says how to repair it. Rules are values; [Config] lists the rules of a run. The
// fields ID, Name, Title, Doc, Kinds and Severity are required, and one of Run, Removed and Changed. [Validate] checks
// them.
type Rule struct {
	ID       string      // upper-case letters, then digits, for example KS101; people cite it, so it never changes
	Name     string      // lower-case words joined by -, for example exec-probe
	Title    string      // the problem in one line, without a full stop
	Doc      string      // Markdown: what breaks, why, and what the rule does about it
	Issues   []string    // URLs of upstream threads about the problem
	Windows  []Window    // the releases on which the problem occurs; none means all
	Since    Release     // the version of the catalogue that the rule came with; see Config.AsOf
	Kinds    []GroupKind // the kinds of the objects that the rule is called for; see AnyKind
	Size     int         // in bytes: the rule needs no documents that are smaller, so they are not parsed for it
	About    []GroupKind // for documentation: the kinds that the problem is about, if they are not Kinds
	Example  string      // for documentation: the case that shows the rule best, see transformtest.Suite.Uncovered
	Severity Severity    // of its findings, unless one sets its own
	Restarts bool        // its edits can make pods restart; see Finding.Restarted

	// Enriches says that what the rule reports is no problem: its edits add what other tools read. Such findings are among
	// Result.Findings, and never among Result.Problems.
	Enriches bool

	// Together says that the findings about an object are one problem in several places: Result.Problems joins them, and
	// Finding.Identity leaves out the path.
	Together bool

	// Mentions are words by which objects of other kinds refer to the rule's objects, for example scaleTargetRef.
	// Documents with such a word are parsed too, so that Snapshot.All and Config.Index see their objects.
	Mentions []string

	// Run reports findings about Pass.Object. It is called for one object after the other, but also for the repaired
	// objects, and at the same time as Run of other rules. So it must depend on nothing but the pass, and change nothing
	// in it. Once its edits have been made, it must not report the problem again.
	Run func(*Pass)

	// Removed is like Run, for the objects that are in Config.Previous and no longer in the input: it reports what goes
	// wrong because they are deleted. Pass.Object is such an object. A finding about an object that stays names it in
	// Finding.Object, so that people can accept it there. Its findings must not carry edits.
	Removed func(*Pass)

	// Changed is like Removed, for the objects that are in Config.Previous and in the input, changed or not: it reports
	// what goes wrong because of the way from one to the other. Pass.Object is the one in the input.
	Changed func(*Pass)
}

// compares reports whether the rule looks at Config.Previous.
func (r *Rule) compares() bool { return r.Removed != nil || r.Changed != nil }

// AppliesTo reports whether the problem can occur on one of the releases: one of them lies in one of the rule's
// windows. It is true without releases, because then nothing is known, and for a rule without windows.
func (r *Rule) AppliesTo(releases []Release) bool {
	return len(r.Windows) == 0 || len(releases) == 0 || slices.ContainsFunc(r.Windows, func(w Window) bool {
		return slices.ContainsFunc(releases, w.Contains)
	})
}

// Releases returns the rule's windows in words, for example "before 0.15.1, 0.16.0 and later", or "all".
func (r *Rule) Releases() string {
	if len(r.Windows) == 0 {
		return Window{}.String()
	}
	words := make([]string, len(r.Windows))
	for i, w := range r.Windows {
		words[i] = w.String()
	}
	return strings.Join(words, ", ")
}

var (
	ruleID    = regexp.MustCompile(`^[A-Z]+[0-9]+$`)
	ruleName  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	kindForm  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	groupForm = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$`)
)

// Validate checks a catalogue. Its error lists all faults: IDs and names that are malformed or used twice, rules
// without title, documentation, severity or kinds, or with none of Run, Removed and Changed, kinds that no API server
// can have, and windows without a release. [Run] calls it.
func Validate(rules []*Rule) error { return validate(rules) }

// validate is Validate for rules beside those of Run itself.
func validate(rules []*Rule, own ...*Rule) error {
	var errs []error
	used := map[string]*Rule{}
	for _, r := range own {
		if r != nil {
			used[r.ID], used[r.Name] = r, r
		}
	}
	for i, r := range rules {
		if r == nil {
			errs = append(errs, fmt.Errorf("rule %d is nil", i))
			continue
		}
		fault := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("rule %d %s: %s", i, r.ID, fmt.Sprintf(format, args...)))
		}
		if !ruleID.MatchString(r.ID) {
			fault("the ID is not letters followed by digits")
		}
		if !ruleName.MatchString(r.Name) {
			fault("the name %q is not lower-case words joined by -", r.Name)
		}
		for _, key := range []string{r.ID, r.Name} {
			if other := used[key]; other != nil {
				fault("%s is the ID or name of another rule", key)
			}
			used[key] = r
		}
		if r.Title == "" || strings.TrimSpace(r.Doc) == "" {
			fault("title or documentation is missing")
		}
		if !slices.Contains(severities, r.Severity) {
			fault("the severity %q is not advice, warning or error", r.Severity)
		}
		if len(r.Kinds) == 0 || r.Run == nil && !r.compares() {
			fault("kinds is missing, or each of Run, Removed and Changed, so it would never run")
		}
		r.checkKinds(fault)
		if slices.Contains(r.Mentions, "") {
			fault("an empty word among Mentions is part of every document")
		}
		for _, w := range r.Windows {
			if (w.Before != Release{}) && w.Before.Compare(w.From) <= 0 {
				fault("the window %s contains no release", w)
			}
		}
	}
	return errors.Join(errs...)
}

func (r *Rule) checkKinds(fault func(format string, args ...any)) {
	for i, k := range r.Kinds {
		whole := k.Kind == AnyKind && strings.Contains(k.Group, ".")
		switch {
		case k == GroupKind{AnyKind, AnyKind}:
			if len(r.Mentions) == 0 {
				fault("all kinds without Mentions: nothing would be parsed for it")
			}
		case !kindForm.MatchString(k.Kind) && !whole, !groupForm.MatchString(k.Group):
			fault("no API server has a kind %q in a group %q", k.Kind, k.Group)
		case strings.HasSuffix(k.Kind, "List"):
			fault("the kind %s is a list, whose items are looked at instead", k)
		}
		if slices.Contains(r.Kinds[:i], k) {
			fault("the kind %s is listed twice", k)
		}
	}
}
