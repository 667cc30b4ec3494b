package health

import (
	"encoding/xml"
	"fmt"
	"io"
)

type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Type string `xml:"type,attr,omitempty"`
		Text string `xml:"message,attr"`
	}
)

// JUnit writes a test case for each object. A Suspended one is skipped.
func JUnit(w io.Writer, r Report) error {
	suite := junitSuite{Name: "argocd-kserve-plugin health", Tests: len(r.Results)}
	for _, result := range r.Results {
		test := junitCase{Class: result.Kind, Name: result.QualifiedName()}
		switch {
		case result.Status == Suspended:
			test.Skipped = &junitMessage{Text: result.Message}
			suite.Skipped++
		case !result.passes():
			test.Failure = &junitMessage{Type: string(result.Status), Text: result.Message}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, test)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
