package report

import (
	"io"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// policySeverity and policyResult are what the severities are in report objects. A policy that passes is not scored.
var (
	policySeverity = map[transform.Severity]string{
		transform.Advice: "info", transform.Warning: "medium", transform.Error: "high",
	}
	policyResult = map[transform.Severity]string{
		transform.Advice: policyreport.Warn, transform.Warning: policyreport.Warn, transform.Error: policyreport.Fail,
	}
)

// PolicySeverities returns the severities in report objects of what is at least as severe, the least first.
func PolicySeverities(least transform.Severity) []string {
	var all []string
	for _, s := range slices.Backward(bySeverity) {
		if s.AtLeast(least) {
			all = append(all, policySeverity[s])
		}
	}
	return all
}

// Objects returns a function that writes an object of the form for each namespace and application.
func Objects(form string) func(io.Writer, Report) error {
	return func(w io.Writer, r Report) error {
		f, _ := policyreport.FormNamed(form)
		return f.Write(w, policyreport.Source, r.Scopes, PolicyResults(slices.Concat(r.Findings, r.Accepted)))
	}
}

// PolicyResults returns the findings as results of report objects. What is accepted is skipped.
func PolicyResults(findings []transform.Finding) []policyreport.Result {
	var results []policyreport.Result
	for _, f := range transform.Sorted(findings) {
		result, message := policyResult[f.Severity], f.Text()
		if f.Accepted != nil {
			result, message = policyreport.Skip, message+"; "+accepted(f)
		}
		results = append(results, policyreport.Result{
			Scope: ScopeOf(f.Object),
			Object: policyreport.Object{
				APIVersion: f.Object.APIVersion, Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name,
			},
			Policy: f.Rule.ID, Rule: f.Rule.Name, Category: "KServe", Severity: policySeverity[f.Severity],
			Result: result, Message: message,
			Properties: map[string]string{"path": f.At.String(), "documentation": Page(f.Rule)},
		})
	}
	return results
}

// ScopeOf returns the report object that an object belongs in.
func ScopeOf(o *transform.Object) policyreport.Scope {
	return policyreport.Scope{Namespace: o.Namespace, Application: o.Application()}
}
