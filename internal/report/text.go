package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Text writes a line for each finding.
func Text(w io.Writer, r Report) error {
	for _, f := range Sorted(r.Findings) {
		if _, err := fmt.Fprintln(w, Line(f)); err != nil {
			return err
		}
	}
	return nil
}

// control shows the characters by which a name in a manifest could break a line or drive a terminal.
var control = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x1b", `\x1b`)

// Line words a finding as path:line:col: Kind ns/name: KSnnn: message. For a rendered object the path is followed by
// the renderer, and the message by the source file where that is known.
func Line(f transform.Finding) string {
	file := f.Object.File
	if file.Renderer == "" {
		return control.Replace(fmt.Sprintf("%s:%d:%d: %s: %s: %s", file.Path, f.Line, f.Col, f.Object, f.Rule.ID, message(f)))
	}
	line := fmt.Sprintf("%s (%s) %s: %s: %s", file.Path, file.Renderer, f.Object, f.Rule.ID, message(f))
	if file.Origin != "" {
		line += " (from " + file.Origin + ")"
	}
	return control.Replace(line)
}

// message says also what a repair would need.
func message(f transform.Finding) string {
	if f.Needs == "" || len(f.Edits) > 0 {
		return f.Message
	}
	return f.Message + "; not repaired: needs the setting " + f.Needs
}
