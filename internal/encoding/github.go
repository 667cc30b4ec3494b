package encoding

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// Annotation is a message that GitHub Actions shows beside the run, and beside the line of the file that it names.
type Annotation struct {
	Level        string // notice, warning or error
	File         string // may be empty
	Line, Column int    // 0 without a position
	Title        string
	Message      string
}

// The escapes of a workflow command's text and of its properties (actions/toolkit packages/core/src/command.ts@v1).
var (
	githubText     = strings.NewReplacer("%", "%25", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes a workflow command for each annotation.
func GitHub(w io.Writer, annotations []Annotation) error {
	for _, a := range annotations {
		at := ""
		if a.File != "" {
			at = "file=" + githubProperty.Replace(terminal.QuoteLines(a.File)) + ","
		}
		if a.Line > 0 {
			at += fmt.Sprintf("line=%d,col=%d,", a.Line, a.Column)
		}
		_, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", a.Level, at,
			githubProperty.Replace(terminal.QuoteLines(a.Title)), githubText.Replace(terminal.QuoteLines(a.Message)))
		if err != nil {
			return err
		}
	}
	return nil
}
