package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// JUnit writes a test suite for each file with findings and a test case for each finding. A case fails where the
// command does, by fail-on, and what is accepted is skipped. A report without findings is one case that passes. No two
// cases have the same name: GitLab shows only the first of them (docs.gitlab.com, "Unit test reports").
func JUnit(w io.Writer, r Report) error {
	const name = "argocd-kserve-plugin"
	var suites []encoding.Suite
	seen := map[encoding.Case]int{}
	for _, f := range transform.Sorted(slices.Concat(r.Findings, r.Accepted)) {
		path := encoding.Text(r.Place(f).Path)
		if n := len(suites); n == 0 || suites[n-1].Name != path {
			suites = append(suites, encoding.Suite{Name: path})
		}
		name := strings.TrimSuffix(f.Subject()+": "+f.At.String(), ": ") // a finding may be about the whole object
		c := encoding.Case{Class: encoding.Text(f.Rule.ID + " " + f.Rule.Name), Name: encoding.Text(name)}
		if seen[c]++; seen[c] > 1 {
			c.Name += encoding.Text(fmt.Sprintf(" (%d)", seen[c]))
		}
		line := encoding.Text(Line(f))
		switch {
		case f.Accepted != nil:
			c.Skipped = &encoding.Outcome{Message: encoding.Text(accepted(f)), Details: line}
		case r.Fails(f):
			c.Failure = &encoding.Outcome{
				Type: encoding.Text(f.Severity), Message: encoding.Text(f.Text()), Details: line,
			}
		default:
			c.Output = line
		}
		suite := &suites[len(suites)-1]
		suite.Cases = append(suite.Cases, c)
	}
	if len(suites) == 0 {
		c := encoding.Case{Class: name, Name: encoding.Text(fmt.Sprintf("objects without findings: %d", r.Objects))}
		suites = []encoding.Suite{{Name: name, Cases: []encoding.Case{c}}}
	}
	return encoding.JUnit(w, name, suites)
}

// accepted says who accepted a finding, and why.
func accepted(f transform.Finding) string {
	return fmt.Sprintf("accepted by a %s: %s", f.Accepted.By, f.Accepted.Reason)
}
