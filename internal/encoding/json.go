// Package encoding writes the forms that other programs read: JSON, JUnit and GitHub's workflow commands.
package encoding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// JSON writes v on indented lines. Control characters and commands of CI systems in strings are escaped, also where
// JSON allows them: the value is the same, and neither a terminal nor a CI system obeys it.
func JSON(w io.Writer, v any) error { return writeJSON(w, v, "  ") }

// JSONLine writes v as JSON does, on one line.
func JSONLine(w io.Writer, v any) error { return writeJSON(w, v, "") }

func writeJSON(w io.Writer, v any, indent string) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	text := b.String()
	var escaped bytes.Buffer
	for i, r := range text {
		if r != '\n' && terminal.IsControl(r) || r == '#' && terminal.IsCommand(text[i:]) {
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&escaped, `\u%04x`, unit)
			}
		} else {
			escaped.WriteRune(r)
		}
	}
	_, err := w.Write(escaped.Bytes())
	return err
}
