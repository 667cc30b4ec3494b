package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// summary says in one line what was read, what was repaired and what was not.
func (o *outcome) summary() string {
	parts := []string{count(o.Objects(), "object")}
	if repaired := len(o.Repaired()); repaired > 0 {
		parts = append(parts, fmt.Sprintf("%d repaired (%s)", repaired, strings.Join(ruleIDs(o.Findings), " ")))
	}
	if restarted := len(o.Restarted()); restarted > 0 {
		parts = append(parts, "restarts pods of "+count(restarted, "service")+" once")
	}
	if n := o.Skipped(); n > 0 {
		parts = append(parts, count(n, "document")+" skipped")
	}
	left := slices.DeleteFunc(o.left(), func(f transform.Finding) bool { return !f.Severity.AtLeast(transform.Warning) })
	if len(left) > 0 {
		var reasons []string
		for _, f := range left {
			reason := f.Rule.ID
			if f.Needs != "" {
				reason += " needs " + f.Needs
			}
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
		parts = append(parts, fmt.Sprintf("%d NOT repaired: %s; run check", len(left), strings.Join(reasons, ", ")))
	}
	if len(parts) == 1 {
		parts = append(parts, "nothing to repair")
	}
	return strings.Join(parts, ", ")
}

// left returns the findings that carry no repair.
func (o *outcome) left() []transform.Finding {
	return slices.DeleteFunc(slices.Clone(o.Findings), func(f transform.Finding) bool { return len(f.Edits) > 0 })
}

// ruleIDs lists the rules that repair something.
func ruleIDs(findings []transform.Finding) []string {
	var ids []string
	for _, f := range findings {
		if len(f.Edits) > 0 && !slices.Contains(ids, f.Rule.ID) {
			ids = append(ids, f.Rule.ID)
		}
	}
	return ids
}

// lines words findings as an error does.
func lines(findings []transform.Finding) string {
	var b strings.Builder
	for _, f := range report.Sorted(findings) {
		b.WriteString(report.Line(f) + "\n")
	}
	return b.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
