package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// summary returns one line about what was read, what was repaired and what is left.
func summary(o *run.Outcome, left []transform.Finding) string {
	parts := []string{terminal.Count(o.Objects(), "object")}
	if n := len(o.Repaired()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d repaired (%s)", n, repairing(o, false)))
	}
	if n := len(o.Enriched()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d annotated (%s)", n, repairing(o, true)))
	}
	parts = append(parts, restarts(restarted(o))...)
	if n := len(o.Skipped()); n > 0 {
		parts = append(parts, terminal.Count(n, "document")+" skipped")
	}
	parts = append(parts, unrepaired(left)...)
	if len(parts) == 1 {
		parts = append(parts, "nothing to repair")
	}
	return strings.Join(parts, ", ")
}

// unrepaired counts findings that are left and more than advice, and says why they are, in one part or none.
func unrepaired(left []transform.Finding) []string {
	advice := func(f transform.Finding) bool { return !f.Severity.AtLeast(transform.Warning) }
	left = slices.DeleteFunc(slices.Clone(left), advice)
	if len(left) == 0 {
		return nil
	}
	var reasons []string
	for _, f := range left {
		reason := f.Rule.ID
		switch {
		case f.Needs != "" && f.Unrepaired != "": // the setting is given, but not exactly
			reason += " needs the patch release in " + f.Needs
		case f.Needs != "":
			reason += " needs " + f.Needs
		case f.Withheld:
			reason += " needs rules-as-of " + f.Since.Minor()
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return []string{fmt.Sprintf("%d NOT repaired: %s; run check", len(left), strings.Join(reasons, ", "))}
}

// restarted returns the services whose pods start anew, once, because of the repairs. One stands for those that
// Applications with the same source have alike.
func restarted(o *run.Outcome) []*transform.Object {
	type service struct{ path, name string }
	seen := map[service]bool{}
	return slices.DeleteFunc(o.Restarted(), func(o *transform.Object) bool {
		kind, is := o.GroupKind(), service{o.File.Path, o.String()}
		again := seen[is]
		seen[is] = true
		return again || kind != kserve.InferenceService && kind != kserve.LLMInferenceService
	})
}

// restarts counts services whose pods start anew, once, and names the first of them, in one part or none.
func restarts(services []*transform.Object) []string {
	if len(services) == 0 {
		return nil
	}
	const most = 5
	var names []string
	for _, o := range services {
		names = append(names, terminal.Quote(strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")))
	}
	return []string{fmt.Sprintf("restarts pods of %s once (%s)", terminal.Count(len(services), "service"),
		terminal.Some(names, most))}
}

// annotations says which rules only annotate, and how to leave them out, in a line or none.
func annotations(o *run.Outcome) string {
	ids := repairing(o, true)
	if ids == "" {
		return ""
	}
	return fmt.Sprintf("annotations of %s: only for the sidecar and the health checks; --rules=-%s leaves them "+
		"out\n", ids, strings.ReplaceAll(ids, " ", ",-"))
}

// repairing returns the IDs of the rules that repair something, or of those that enrich it, sorted.
func repairing(o *run.Outcome, enriches bool) string {
	var ids []string
	for _, rule := range o.Repairing() {
		if rule.Enriches == enriches {
			ids = append(ids, rule.ID)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// skipped lists what was left out on purpose, and the documents that are no objects, one a line. Unless all is set, that
// is only what matters; and if more than three have the same reason, one line names the first and counts the others.
func skipped(o *run.Outcome, all bool) string {
	left := o.SkippedFiles[:0:0]
	reasons := map[string]int{}
	for _, file := range o.SkippedFiles {
		if all || file.Matters() {
			left = append(left, file)
			reasons[file.Reason]++
		}
	}
	var b strings.Builder
	for _, file := range left {
		switch n := reasons[file.Reason]; {
		case n > 3 && !all:
			fmt.Fprintf(&b, "%s and %d more: skipped: %s\n", terminal.Quote(file.Path), n-1, file.Reason)
			reasons[file.Reason] = 0
		case n > 0:
			b.WriteString(terminal.Quote(file.String()) + "\n")
		}
	}
	if o.Summary.Found != nil {
		return b.String()
	}
	for _, place := range o.Skipped() {
		b.WriteString(terminal.Quote(place.String()) + ": skipped: not an object\n")
	}
	return b.String()
}

// lines returns the findings, one a line.
func lines(findings []transform.Finding) string {
	var b strings.Builder
	for _, f := range transform.Sorted(findings) {
		b.WriteString(report.Line(f) + "\n")
	}
	return b.String()
}

// failures returns the findings as an error for each.
func failures(findings []transform.Finding) []error {
	var errs []error
	for _, f := range transform.Sorted(findings) {
		errs = append(errs, errors.New(report.Line(f)))
	}
	return errs
}

// failing returns the error that ends a command with findings that fail it, or nil.
func failing(findings []transform.Finding, fails func(transform.Finding) bool) error {
	n := 0
	for _, f := range findings {
		if fails(f) {
			n++
		}
	}
	return found(n)
}

// contradictions returns the findings that forbid any output as an error.
func contradictions(o *run.Outcome) error {
	if !o.Fatal() {
		return nil
	}
	return errors.Join(failures(slices.DeleteFunc(o.Left(), func(f transform.Finding) bool { return !f.Fatal }))...)
}

// refused returns what could not be repaired at or above fail-on as an error.
func refused(o *run.Outcome) error {
	var all []error
	for _, part := range o.Each() {
		all = append(all, refusal(part))
	}
	return errors.Join(all...)
}

// refusal is refused for one source.
func refusal(o *run.Outcome) error {
	failOn := cmp.Or(o.Settings.FailOn, run.Never)
	severe := slices.DeleteFunc(o.Left(), func(f transform.Finding) bool { return !run.Reaches(f.Severity, failOn) })
	if len(severe) == 0 {
		return nil
	}
	first := fmt.Errorf("fail-on is %s and %s could not be repaired", failOn, terminal.Count(len(severe), "finding"))
	return errors.Join(append([]error{first}, failures(severe)...)...)
}
