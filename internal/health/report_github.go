package health

import (
	"fmt"
	"io"
	"strings"
)

// The escapes of a workflow command's text and of its properties (actions/toolkit packages/core/src/command.ts@v1).
var (
	githubText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes a workflow command for each object that is neither Healthy nor Suspended.
func GitHub(w io.Writer, r Report) error {
	for _, result := range r.Results {
		if result.passes() {
			continue
		}
		level := "error"
		if result.Status == Progressing {
			level = "warning"
		}
		_, err := fmt.Fprintf(w, "::%s title=%s::%s\n", level,
			githubProperty.Replace(string(result.Status)+" "+result.Ref()), githubText.Replace(result.Message))
		if err != nil {
			return err
		}
	}
	return nil
}
