package cli

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// maxComplaint bounds the length of an error under Argo CD, which keeps all of it in the Application's status, its
// cache and its user interface.
const maxComplaint = 2048

// copied matches the directory that argocd-cmp-server copies a repository to; it differs in every run
// (util/cmp/stream.go@v2.14.21).
var copied = lazyregexp.New(`(/[^\s:"']*)?/_cmp_server/[^/\s]+/`)

// unknownAnchor matches the error about an alias without its anchor. It may be a password that starts with *.
var unknownAnchor = lazyregexp.New(`unknown anchor '.*' referenced`)

// complain writes an error to Stderr.
func (env *Env) complain(err error) {
	_, _ = io.WriteString(env.Stderr, env.complaint(err)) // nothing is left to report it to
}

// complaint returns the text of an error, one line for each of the errors that it joins, each after the Application's
// name if Argo CD gives it. Other line ends are part of a name and quoted.
func (env *Env) complaint(err error) string {
	prefix, most := "", math.MaxInt
	if app := env.caller.Getenv("ARGOCD_APP_NAME"); app != "" {
		prefix, most = terminal.Quote(app)+": ", maxComplaint
	}
	here := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(env.Dir+"/"))
	all := run.Joined(err)
	var b strings.Builder
	for i, err := range all {
		text := copied().ReplaceAllString(here.ReplaceAllString(err.Error(), "$1"), "")
		text = unknownAnchor().ReplaceAllString(text, "an alias to an unknown anchor; quote text that starts with *")
		line := prefix + terminal.Quote(strings.TrimSpace(text)) + "\n"
		rest := fmt.Sprintf("%s... and %d more lines; run check to see them\n", prefix, len(all)-i)
		room := most - b.Len() - len(rest)
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
	return b.String()
}

// findingsError ends a command that has reported findings at or above fail-on: exit code 1 and no further message.
type findingsError struct{ count int }

func (e *findingsError) Error() string { return fmt.Sprintf("%d findings", e.count) }

// found returns the error that ends a command with findings, or nil if there are none.
func found(count int) error {
	if count == 0 {
		return nil
	}
	return &findingsError{count}
}
