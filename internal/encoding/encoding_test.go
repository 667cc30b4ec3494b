package encoding

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
)

// hostile is text that a manifest may hold and that must not reach a terminal as it is.
const hostile = "100% <b>,:\r\n\x1b[31m\a\x7f\u009b\u202e\u2066"

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := JSON(&b, map[string]string{"name": hostile}); err != nil {
		t.Fatal(err)
	}
	want := "{\n" + `  "name": "100% <b>,:\r\n\u001b[31m\u0007\u007f\u009b\u202e\u2066"` + "\n}\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back["name"] != hostile {
		t.Errorf("decoded %q, %v", back["name"], err)
	}
}

func TestJSONHoldsNoCommand(t *testing.T) {
	var b strings.Builder
	if err := JSON(&b, []string{"::error::a", "##[error]b", "##vso[c]", "# ##"}); err != nil {
		t.Fatal(err)
	}
	want := "[\n" + `  "::error::a",` + "\n" + `  "\u0023#[error]b",` + "\n" + `  "\u0023#vso[c]",` + "\n" + `  "# ##"` + "\n]\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestGitHub(t *testing.T) {
	var b strings.Builder
	if err := GitHub(&b, []Annotation{
		{Level: "error", File: "a,b:c%\x1b.yaml", Line: 3, Column: 7, Title: "KS101: " + hostile, Message: hostile},
		{Level: "notice", File: "a.yaml", Title: "rendered", Message: "no position"},
		{Level: "warning", Title: "live", Message: "no file"},
	}); err != nil {
		t.Fatal(err)
	}
	want := `::error file=a%2Cb%3Ac%25\x1b.yaml,line=3,col=7,` +
		`title=KS101%3A 100%25 <b>%2C%3A\r%0A\x1b[31m\a\x7f\u009b\u202e\u2066` +
		`::100%25 <b>,:\r%0A\x1b[31m\a\x7f\u009b\u202e\u2066
::notice file=a.yaml,title=rendered::no position
::warning title=live::no file
`
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestJUnit(t *testing.T) {
	var b strings.Builder
	if err := JUnit(&b, "program", []Suite{
		{Name: "one", Cases: []Case{
			{Class: "class", Name: "passes", Output: hostile},
			{Class: "class", Name: hostile, Failure: &Outcome{Type: "error", Message: hostile, Details: hostile}},
		}},
		{Name: "two", Cases: []Case{{Class: "class", Name: "skipped", Skipped: &Outcome{Message: "why"}}}},
	}); err != nil {
		t.Fatal(err)
	}
	type counts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Errors   int `xml:"errors,attr"`
	}
	var back struct {
		counts
		Suites []struct {
			counts
			Cases []Case `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &back); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), ` errors="0"`); n != len(back.Suites) {
		t.Errorf("%d suites say that they have no errors, which Jenkins' schema asks for", n)
	}
	one, two := back.Suites[0], back.Suites[1]
	if back.counts != (counts{3, 1, 0, 0}) || one.counts != (counts{2, 1, 0, 0}) || two.counts != (counts{1, 0, 1, 0}) {
		t.Errorf("counts in %s", &b)
	}
	const quoted = `100% <b>,:\r` + "\n" + `\x1b[31m\a\x7f\u009b\u202e\u2066`
	passed, failed := one.Cases[0], one.Cases[1]
	for _, got := range []Text{passed.Output, failed.Name, failed.Failure.Message, failed.Failure.Details} {
		if got != quoted {
			t.Errorf("got %q, want %q", got, quoted)
		}
	}
}
