package encoding

import (
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
)

// special are the characters that mean something in Markdown, in HTML and in GitHub's mathematics.
const special = "\\`*_[]<>|~&$"

// Markdown returns text that Markdown shows as it is, also in a cell of a table. GitHub looks for names, issues and
// addresses also in escaped text, so a comment parts those.
func Markdown(text string) string {
	var b strings.Builder
	text = terminal.Quote(text)
	for i, r := range text {
		switch {
		case r == '@', r == '#', r == ':' && strings.HasPrefix(text[i:], "://"):
			b.WriteString(string(r) + "<!-- -->")
		case strings.ContainsRune(special, r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// MarkdownCode returns text as code. GitHub looks for no names and issues in it.
func MarkdownCode(text string) string { return "<code>" + Markdown(text) + "</code>" }
