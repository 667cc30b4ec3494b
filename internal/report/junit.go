package report

import (
	"fmt"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// JUnit writes a test suite for each file with findings and a test case for each finding. Advice passes. A report
// without findings is one case that passes.
func JUnit(w io.Writer, r Report) error {
	const name = "argocd-kserve-plugin"
	var suites []encoding.Suite
	for _, f := range transform.Sorted(r.Findings) {
		path, _, _ := source(f)
		if n := len(suites); n == 0 || suites[n-1].Name != encoding.Text(path) {
			suites = append(suites, encoding.Suite{Name: encoding.Text(path)})
		}
		c := encoding.Case{Class: encoding.Text(f.Rule.ID + " " + f.Rule.Name), Name: encoding.Text(f.Subject())}
		line := encoding.Text(Line(f))
		if f.Severity.AtLeast(transform.Warning) {
			c.Failure = &encoding.Outcome{
				Type: encoding.Text(f.Severity), Message: encoding.Text(f.Text()), Details: line,
			}
		} else {
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
