package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// maxComplaint bounds what an error writes: Argo CD keeps all of it in the Application's status, its cache and its user
// interface.
const maxComplaint = 2048

// copied matches the folder that argocd-cmp-server copies a repository to; it differs in every run
// (util/cmp/stream.go@v2.14.21).
var copied = regexp.MustCompile(`(/[^\s:"']*)?/_cmp_server/[^/\s]+/`)

// complain writes an error to Stderr, a cause a line, with the Application's name where Argo CD gives it.
func (env *Env) complain(err error) {
	prefix := ""
	if app := env.getenv("ARGOCD_APP_NAME"); app != "" {
		prefix = app + ": "
	}
	here := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(env.Dir+"/"))
	text := copied.ReplaceAllString(here.ReplaceAllString(err.Error(), "$1"), "")
	lines := strings.Split(strings.TrimSpace(printable(text)), "\n")
	var b strings.Builder
	for i, line := range lines {
		line = prefix + line + "\n"
		rest := fmt.Sprintf("%s... and %d more lines; run check to see them\n", prefix, len(lines)-i)
		room := maxComplaint - b.Len() - len(rest)
		if len(line) > room {
			if i == 0 {
				line = strings.ToValidUTF8(line[:max(0, room-len("...\n"))], "") + "...\n"
				b.WriteString(line)
				rest = ""
			}
			b.WriteString(rest)
			break
		}
		b.WriteString(line)
	}
	_, _ = io.WriteString(env.Stderr, b.String()) // nobody is left to tell
}

// printable drops what could drive a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
