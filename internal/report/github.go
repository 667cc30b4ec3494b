package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

var githubLevel = map[transform.Severity]string{
	transform.Advice: "notice", transform.Warning: "warning", transform.Error: "error",
}

// The escapes of a workflow command's text and of its properties (actions/toolkit packages/core/src/command.ts@v1).
var (
	githubText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations of the changed files.
func GitHub(w io.Writer, r Report) error {
	for _, f := range Sorted(r.Findings) {
		path, line, col := source(f)
		at := "file=" + githubProperty.Replace(path)
		if line > 0 {
			at += fmt.Sprintf(",line=%d,col=%d", line, col)
		}
		_, err := fmt.Fprintf(w, "::%s %s,title=%s::%s\n", githubLevel[f.Severity], at,
			githubProperty.Replace(f.Rule.ID+" "+f.Rule.Name), githubText.Replace(f.Object.String()+": "+message(f)))
		if err != nil {
			return err
		}
	}
	return nil
}
