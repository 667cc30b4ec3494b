package encoding

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

type (
	// Suite is a test suite of a JUnit report.
	Suite struct {
		Name  Text
		Cases []Case
	}
	// Case is a test case, which passes unless it failed or was skipped.
	Case struct {
		Class   Text     `xml:"classname,attr"`
		Name    Text     `xml:"name,attr"`
		Failure *Outcome `xml:"failure"`
		Skipped *Outcome `xml:"skipped"`
		Output  Text     `xml:"system-out,omitempty"`
	}
	// Outcome is why a test case failed or was skipped.
	Outcome struct {
		Type    Text `xml:"type,attr,omitempty"`
		Message Text `xml:"message,attr"`
		Details Text `xml:",chardata"`
	}
)

// Text is text in XML, which has no form for most control characters.
type Text string

func (t Text) MarshalText() ([]byte, error) { return []byte(terminal.QuoteLines(string(t))), nil }

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     Text   `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"` // always 0; the schema of Jenkins asks for it
		Skipped  int    `xml:"skipped,attr,omitempty"`
		Cases    []Case `xml:"testcase"`
	}
)

// JUnit writes a JUnit report in XML, as Jenkins' schema has it (junit-10.xsd of jenkinsci/xunit-plugin).
func JUnit(w io.Writer, name string, suites []Suite) error {
	out := junitSuites{Name: name}
	for _, s := range suites {
		suite := junitSuite{Name: s.Name, Tests: len(s.Cases), Cases: s.Cases}
		for _, c := range s.Cases {
			if c.Failure != nil {
				suite.Failures++
			}
			if c.Skipped != nil {
				suite.Skipped++
			}
		}
		out.Tests += suite.Tests
		out.Failures += suite.Failures
		out.Suites = append(out.Suites, suite)
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
