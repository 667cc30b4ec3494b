package install

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Formats lists the formats, the default first.
var Formats = []encoding.Format[[]Problem]{{Name: "text", Write: writeText}, {Name: "json", Write: writeJSON}}

// writeText writes a table, nothing if there are no problems.
func writeText(w io.Writer, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OBJECT\tPROBLEM\tFIELD\tWHAT")
	for _, p := range problems {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n",
			terminal.Quote(p.Object), p.Problem, terminal.Quote(p.Field), terminal.Quote(p.Message))
	}
	return table.Flush()
}

// writeJSON writes an array of the problems, which may be empty.
func writeJSON(w io.Writer, problems []Problem) error {
	return encoding.JSON(w, append([]Problem{}, problems...))
}
