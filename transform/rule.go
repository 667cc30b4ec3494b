package transform

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"

// Severity says how much a finding matters.
type Severity string

// The severities, from the least to the greatest.
const (
	Advice  Severity = "advice"  // worth knowing; nothing is broken by it alone
	Warning Severity = "warning" // breaks on some supported version or under some setting
	Error   Severity = "error"   // breaks, or makes the API server refuse the object
)

// AtLeast reports whether s is as grave as least.
func (s Severity) AtLeast(least Severity) bool {
	rank := map[Severity]int{Advice: 1, Warning: 2, Error: 3}
	return rank[s] >= rank[least]
}

// Rule finds one kind of problem and says how to repair it. Rules are values: the catalogue is the slice Rules.
type Rule struct {
	ID       string        // stable, for example KS101
	Name     string        // for people, for example exec-probe
	Title    string        // one line, no full stop
	Doc      string        // Markdown: what breaks, why, and what the rule does about it
	Window   kserve.Window // the KServe releases on which the problem occurs
	Issues   []string      // upstream threads, as URLs
	Kinds    []string      // kinds of the objects that Run is called for
	Example  string        // the case under testdata/rules/<ID> that shows it best
	Severity Severity      // of its findings, unless one says otherwise
	Restarts bool          // its edits change the pod template of an InferenceService
	Run      func(*Pass)
}

// Pass is one call of a rule for one object.
type Pass struct {
	Rule   *Rule
	Object *Object
	*Render
	report func(Finding)
}

// Report records a finding about the pass's object, unless the finding names another.
func (p *Pass) Report(f Finding) {
	f.Rule = p.Rule
	if f.Object == nil {
		f.Object = p.Object
	}
	if f.Severity == "" {
		f.Severity = p.Rule.Severity
	}
	p.report(f)
}
