package report

import (
	"fmt"
	"io"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Compact writes a line for each finding.
func Compact(w io.Writer, r Report) error {
	for _, f := range transform.Sorted(r.Distinct(r.Findings)) {
		line := Line(f)
		if f.Object.File.Renderer != "" {
			if repair := r.Place(f).Repair; repair != "" {
				line += "; " + terminal.Quote(repair)
			}
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, r.Tail)
	return err
}

// Line returns a finding as one line: path:line:col: Kind ns/name: KSnnn: message.
func Line(f transform.Finding) string { return terminal.Quote(f.String()) }
