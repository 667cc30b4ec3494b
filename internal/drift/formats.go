package drift

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/encoding"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Format is a way to write differences.
type Format struct {
	encoding.Format[[]Difference]
	Single  bool // whether it is for the Application of one source
	Partial bool // whether it leaves out what a rule repairs
}

// Formats lists the formats, the default first.
var Formats = []Format{
	{encoding.Format[[]Difference]{Name: "text", Write: Text}, false, false},
	{encoding.Format[[]Difference]{Name: "application", Write: Application}, true, true},
	{encoding.Format[[]Difference]{Name: "argocd-cm", Write: ConfigMap}, false, true},
	{encoding.Format[[]Difference]{Name: "json", Write: JSON}, false, false},
}

// Text writes a table.
func Text(w io.Writer, differences []Difference) error {
	if len(differences) == 0 {
		_, err := fmt.Fprintln(w, "nothing drifts")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OBJECT\tFIELD\tCHANGED BY\tREPAIRED")
	for _, d := range differences {
		repaired := "by " + d.Rule
		if d.Rule == "" {
			repaired = "no: " + d.Left()
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n",
			terminal.Quote(d.Object.String()), terminal.Quote(d.At.String()), d.By, terminal.Quote(repaired))
	}
	return table.Flush()
}
