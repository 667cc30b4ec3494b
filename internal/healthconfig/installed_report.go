package healthconfig

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/unified"
)

// WriteChanges writes the changes as a table, nothing if there are none.
func WriteChanges(w io.Writer, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OBJECT\tKEY\tCHANGE")
	for _, c := range changes {
		fmt.Fprintf(table, "%s\t%s\t%s\n", terminal.Quote(c.Object), terminal.Quote(c.Key), terminal.Quote(c.What))
	}
	return table.Flush()
}

// WriteDiff writes a unified diff of the keys that change.
func WriteDiff(w io.Writer, changes []Change) error {
	for _, c := range changes {
		label := terminal.Quote(c.Object + " " + c.Key)
		diff := unified.Diff("a/"+label, "b/"+label, wholeLines(c.Before), wholeLines(c.After))
		if _, err := io.WriteString(w, terminal.QuoteLines(diff)); err != nil {
			return err
		}
	}
	return nil
}

// wholeLines returns text with one line end at its end.
func wholeLines(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return text + "\n"
}
