package health

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Report is a list of results and the release of Argo CD whose bundled checks they are compared with, "" for none.
type Report struct {
	Results []Result
	Bundled string
}

// Formats lists the formats, the default first.
var Formats = []encoding.Format[Report]{
	{Name: "text", Write: Text},
	{Name: "json", Write: JSON},
	{Name: "junit", Write: JUnit},
	{Name: "github", Write: GitHub},
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

// Text writes one line per object.
func Text(w io.Writer, r Report) error {
	bundled := "BUNDLED"
	if r.Bundled != "" {
		bundled = "ARGO CD " + r.Bundled
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "KIND\tNAME\tSTATUS\t%s\tMESSAGE\n", bundled)
	for _, result := range r.Results {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", result.Kind, terminal.Quote(result.QualifiedName()),
			result.Status, cmp.Or(string(result.Bundled), "-"), line(result.Message))
	}
	return table.Flush()
}

// line makes one line of a message, which controllers copy from anywhere.
func line(message string) string {
	return terminal.Quote(strings.Join(strings.Fields(message), " "))
}

// JSON writes an array of the results.
func JSON(w io.Writer, r Report) error {
	return encoding.JSON(w, r.Results)
}
