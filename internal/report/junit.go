package report

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a test suite for each file with findings and a test case for each finding. Advice passes. A report
// without findings is one case that passes.
func JUnit(w io.Writer, r Report) error {
	out := junitSuites{Name: "argocd-kserve-plugin"}
	for _, f := range Sorted(r.Findings) {
		path, _, _ := source(f)
		if n := len(out.Suites); n == 0 || out.Suites[n-1].Name != path {
			out.Suites = append(out.Suites, junitSuite{Name: path})
		}
		suite := &out.Suites[len(out.Suites)-1]
		c := junitCase{Class: f.Rule.ID + " " + f.Rule.Name, Name: f.Object.String()}
		if f.Severity.AtLeast(transform.Warning) {
			c.Failure = &junitFailure{Type: string(f.Severity), Message: message(f), Text: Line(f)}
			suite.Failures++
			out.Failures++
		} else {
			c.Output = Line(f)
		}
		suite.Cases = append(suite.Cases, c)
		suite.Tests++
		out.Tests++
	}
	if out.Tests == 0 {
		c := junitCase{Class: out.Name, Name: fmt.Sprintf("%d objects without findings", r.Objects)}
		out.Tests, out.Suites = 1, []junitSuite{{Name: out.Name, Tests: 1, Cases: []junitCase{c}}}
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
