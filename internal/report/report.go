// Package report writes findings in the formats that people, CI systems and code hosts read.
package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Report is the result of checking sources.
type Report struct {
	Findings []transform.Finding
	Accepted []transform.Finding // by comments, annotations and a baseline
	Rules    []*transform.Rule   // the catalogue
	Objects  int                 // manifests looked at
	Sources  []string            // their paths, sorted
	Version  string              // of this program

	// Place returns where a person finds what a finding is about.
	Place func(transform.Finding) Place

	// Distinct returns findings with one in the place of several that people repair at once; its Same are the others' objects.
	Distinct func([]transform.Finding) []transform.Finding

	// Fails reports whether fail-on of its source makes the finding fail the command.
	Fails func(transform.Finding) bool

	// Path returns the path of a source file as Place shows it.
	Path func(string) string

	// Diff returns what the repairs change as a unified diff, for people.
	Diff func() (string, error)

	Scopes []policyreport.Scope // the namespaces and applications of the objects, for report objects

	Restarts []string // the services whose pods restart, once, because of the repairs

	Tail  string // the lines after the findings in the reports for people
	Color bool   // whether the format text is coloured
	Width int    // of the lines of the format text
}

// Place is where a person finds what a finding is about.
type Place struct {
	Path      string // with slashes, relative to the working directory; of a live object, what it is called
	Line, Col int    // from 1; columns count runes. Line is 0 where only the file is known
	EndCol    int    // after what the finding is about
	Text      string // the line, as a person may see it; empty where it is not known
	Overlay   bool   // whether that is the overlay, and not the source of what a renderer made
	Repair    string // how to repair what a renderer made, such as "patch PATH in FILE"; empty where that is this place
}

// text returns the text of a finding at the place.
func (p Place) text(f transform.Finding) string {
	if p.Repair == "" {
		return f.Text()
	}
	return f.Text() + "; " + p.Repair
}

// Format is a way to write a report.
type Format struct {
	Name  string
	Help  string // what it is for
	Text  bool   // for people, with the Tail
	Write func(io.Writer, Report) error
}

// Formats lists the formats, the default first.
var Formats = []Format{
	{"text", "for people: by object, with the line, what is wrong and what the repair does", true, Text},
	{"compact", "one finding a line, for grep", true, Compact},
	{"json", "for programs; docs/check.schema.json describes it", false, JSON},
	{"sarif", "for code hosts such as GitHub, with the repairs", false, SARIF},
	{"junit", "for test reports of CI systems", false, JUnit},
	{"github", "annotations of GitHub Actions", false, GitHub},
	{"markdown", "for a comment on a pull request or the summary of a step, with the diff", false, Markdown},
	{"openreports", "Report objects of openreports.io for kubectl apply, one a namespace and application", false,
		Objects("openreports")},
	{"policyreport", "the same as PolicyReport objects of wgpolicyk8s.io", false, Objects("policyreport")},
	{"baseline", "for --baseline", false, WriteBaseline},
}

// bySeverity lists the severities, the greatest first.
var bySeverity = []transform.Severity{transform.Error, transform.Warning, transform.Advice}

// count returns the number of findings with a severity.
func count(findings []transform.Finding, severity transform.Severity) int {
	n := 0
	for _, f := range findings {
		if f.Severity == severity {
			n++
		}
	}
	return n
}

// Repairable returns the number of findings that generate repairs.
func Repairable(findings []transform.Finding) int {
	n := 0
	for _, f := range findings {
		if f.Repaired() {
			n++
		}
	}
	return n
}

// severest sorts findings: the greatest severity first, then by rule.
func severest(findings []transform.Finding) {
	slices.SortStableFunc(findings, func(a, b transform.Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(bySeverity, a.Severity), slices.Index(bySeverity, b.Severity)),
			cmp.Compare(a.Rule.ID, b.Rule.ID),
		)
	})
}
