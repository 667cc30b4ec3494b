package doctor

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/report"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Formats lists the formats, the default first.
var Formats = []encoding.Format[Report]{
	{Name: "text", Write: Text},
	{Name: "json", Write: JSON},
	{Name: "markdown", Write: Markdown},
	{Name: "openreports", Write: reportObjects(policyreport.Forms[0])},
	{Name: "policyreport", Write: reportObjects(policyreport.Forms[1])},
}

// entry is what the formats for people say about a service, line by line.
type entry struct{ label, text string }

// entries returns what is known about a service, what to change, and the command that shows more.
func (s Service) entries() []entry {
	var all []entry
	switch {
	case s.Cause != nil:
		all = append(all, entry{"cause", s.Cause.String()})
	case s.Status != health.Healthy:
		all = append(all, entry{"status", s.Message})
	}
	if s.Drift != "" {
		all = append(all, entry{"out of sync", s.Drift})
	}
	if said := s.misread.String(); said != "" {
		all = append(all, entry{"Argo CD", said})
	}
	for _, f := range s.Findings {
		all = append(all, finding(f))
	}
	for _, text := range s.changes() {
		all = append(all, entry{"in Git", text})
	}
	return append(all, entry{"more", s.more()})
}

// changes says what to change in Git, first because of the cause: a finding may be about something else.
func (s Service) changes() []string {
	changes := []string{}
	change := func(text string) {
		if text != "" && !slices.Contains(changes, text) {
			changes = append(changes, text)
		}
	}
	if s.Cause != nil {
		change(s.Cause.remedy())
	}
	for _, f := range s.Findings {
		change(report.Done(f.Edits))
	}
	switch {
	case s.Drift == goneFromGit:
		change("put it back, or sync with prune")
	case s.Drift == changedInGit:
		change("nothing; sync")
	case s.Drift != "" && len(s.Findings) == 0:
		change("write there what should last, and sync")
	}
	switch {
	case s.misread.status == "":
	case len(changes) == 0 && len(s.Findings) == 0:
		change("nothing; " + s.misread.remedy())
	default:
		change("besides, " + s.misread.remedy())
	}
	return changes
}

// more is the command that shows more.
func (s Service) more() string {
	if s.Cause != nil {
		return s.kubectl + " " + s.Cause.more()
	}
	return s.kubectl + " " + describe(s.ref)
}

func finding(f transform.Finding) entry {
	return entry{string(f.Severity), f.Rule.ID + " " + f.Rule.Name + ": " + f.Text()}
}

// String returns Reason: message (Kind namespace/name).
func (c *Cause) String() string {
	said := slices.DeleteFunc([]string{c.Reason, c.Message}, func(text string) bool { return text == "" })
	return strings.Join(said, ": ") + " (" + c.Object + ")"
}

// name names the service, and its Application.
func (s Service) name() string {
	if s.Application == "" {
		return s.Ref()
	}
	return s.Ref() + " (application " + s.Application + ")"
}

// jsonVersion is that of the form. A field that is added leaves it; one that goes or changes its meaning raises it.
const jsonVersion = 1

type (
	jsonReport struct {
		Version  int               `json:"version"`
		Facts    map[string]string `json:"facts"`
		Unknown  []string          `json:"unknown"`
		Unread   []string          `json:"unread"`
		Well     int               `json:"well"`
		Services []jsonService     `json:"services"`
		Findings []jsonFinding     `json:"findings"`
	}
	jsonService struct {
		Kind        string        `json:"kind"`
		Namespace   string        `json:"namespace"`
		Name        string        `json:"name"`
		Application string        `json:"application,omitempty"`
		Verdict     string        `json:"verdict"`
		Status      health.Status `json:"status"`
		Message     string        `json:"message"`
		Cause       *Cause        `json:"cause,omitempty"`
		OutOfSync   string        `json:"outOfSync,omitempty"`
		ArgoCD      string        `json:"argocd,omitempty"`
		Findings    []jsonFinding `json:"findings"`
		Change      []string      `json:"change"`
		More        string        `json:"more"`
	}
	jsonFinding struct {
		Rule     string `json:"rule"`
		Severity string `json:"severity"`
		Object   string `json:"object"`
		Path     string `json:"path"`
		Message  string `json:"message"`
	}
)

// JSON writes an object with the facts and the services that are not well.
func JSON(w io.Writer, r Report) error {
	out := jsonReport{
		Version: jsonVersion, Facts: map[string]string{}, Unknown: append([]string{}, r.Unknown...), Unread: []string{},
		Well: r.Well, Services: []jsonService{}, Findings: jsonFindings(r.Others),
	}
	for _, u := range r.Unread {
		out.Unread = append(out.Unread, u.Text)
	}
	for _, f := range r.Facts {
		out.Facts[f.Name] = f.Value
	}
	for _, s := range r.Services {
		out.Services = append(out.Services, jsonService{
			Kind: s.Kind, Namespace: s.Namespace, Name: s.Name, Application: s.Application, Verdict: s.Verdict(),
			Status: s.Status, Message: s.Message, Cause: s.Cause, OutOfSync: s.Drift, ArgoCD: s.misread.String(),
			Findings: jsonFindings(s.Findings), Change: s.changes(), More: s.more(),
		})
	}
	return encoding.JSON(w, out)
}

func jsonFindings(findings []transform.Finding) []jsonFinding {
	all := []jsonFinding{}
	for _, f := range findings {
		all = append(all, jsonFinding{f.Rule.ID, string(f.Severity), f.Object.String(), f.At.String(), f.Text()})
	}
	return all
}

// reporter is the name of the report objects. Those of generate have it for no Application, whose name follows a "-".
const reporter = policyreport.Source + ".doctor"

// reportObjects returns a function that writes report objects: the findings, what services are not well, and what could
// not be read, which may be about any of the services. One in the cluster of which nothing is left to say is written once
// more, without that.
func reportObjects(form policyreport.Form) func(io.Writer, Report) error {
	return func(w io.Writer, r Report) error {
		scopes := slices.Clone(r.scopes)
		for _, old := range r.reports {
			scope, ok := policyreport.ScopeOf(reporter, old.namespace, old.name)
			if ok && old.group == form.Group() && old.kind == form.Kind {
				scopes = append(scopes, scope)
			}
		}
		var findings []transform.Finding
		var results []policyreport.Result
		for _, s := range r.Services {
			findings = append(findings, s.Findings...)
			if s.Status != health.Healthy || s.Drift != "" || s.atZero || s.misread.status != "" {
				results = append(results, s.result())
			}
		}
		results = append(results, report.PolicyResults(append(findings, r.Others...))...)
		return form.Write(w, reporter, scopes, slices.Concat(r.unread(scopes), results))
	}
}

// unread returns what could not be read as results: a kind in each scope, or in the namespace of whoever applies them,
// because it may be about any service there.
func (r Report) unread(scopes []policyreport.Scope) (results []policyreport.Result) {
	scopes = slices.SortedFunc(slices.Values(scopes), func(a, b policyreport.Scope) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Application, b.Application))
	})
	scopes = slices.Compact(scopes)
	if len(scopes) == 0 {
		scopes = []policyreport.Scope{{}}
	}
	for _, u := range r.Unread {
		about := scopes
		if len(u.Kinds) == 0 {
			about = []policyreport.Scope{{Namespace: u.Namespace}}
		}
		for _, scope := range about {
			results = append(results, policyreport.Result{
				Scope: scope, Policy: "health", Rule: "not read", Category: "KServe", Result: policyreport.Error,
				Message: "not read: " + u.Text,
			})
		}
	}
	return results
}

// result is the health of a service in a report object.
func (s Service) result() policyreport.Result {
	severity, result, rule, message := "medium", policyreport.Warn, s.Verdict(), s.Message
	switch {
	case s.Status == health.Degraded:
		severity, result = "high", policyreport.Fail
	case s.Drift == "" && isWell(s.Status) && !s.misread.isCertain():
		severity, result = "info", policyreport.Skip
	}
	if s.Cause != nil {
		rule, message = s.Cause.Reason, s.Cause.String()
	}
	switch {
	case s.Drift == "":
	case s.Status == health.Healthy && s.Cause == nil:
		message = s.Drift
	default:
		message += "; " + s.Drift
	}
	if said := s.misread.String(); said != "" {
		message += "; Argo CD: " + said
	}
	return policyreport.Result{
		Scope:  policyreport.Scope{Namespace: s.Namespace, Application: s.Application},
		Object: policyreport.Object{APIVersion: s.apiVersion, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name},
		Policy: "health", Rule: rule, Category: "KServe", Severity: severity, Result: result,
		Message: message,
	}
}
