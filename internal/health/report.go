package health

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Report is a list of results and the Argo CD release whose bundled checks they are compared with,
// "" for none.
type Report struct {
	Results []Result
	Bundled string
}

// Format is a way to write a report.
type Format struct {
	Name  string
	Write func(io.Writer, Report) error
}

// Formats lists the ways, the default first.
var Formats = []Format{
	{"table", Table},
	{"json", JSON},
	{"junit", JUnit},
	{"github", GitHub},
}

// Failed counts the objects that are neither Healthy nor Suspended.
func (r Report) Failed() int {
	failed := 0
	for _, result := range r.Results {
		if !result.passes() {
			failed++
		}
	}
	return failed
}

func (r Result) passes() bool { return r.Status == Healthy || r.Status == Suspended }

// Table writes a line per object.
func Table(w io.Writer, r Report) error {
	bundled := "BUNDLED"
	if r.Bundled != "" {
		bundled = "ARGO CD " + r.Bundled
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "KIND\tNAME\tSTATUS\t%s\tMESSAGE\n", bundled)
	for _, result := range r.Results {
		says := string(result.Bundled)
		if says == "" {
			says = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", result.Kind, result.QualifiedName(), result.Status, says, line(result.Message))
	}
	return table.Flush()
}

// line makes one harmless line of a message, which the controllers take from anywhere.
func line(message string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(message), " "))
}

// JSON writes an array of the results.
func JSON(w io.Writer, r Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r.Results)
}
