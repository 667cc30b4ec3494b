// Package terminal writes for people: it detects terminals, and keeps text from driving them and the CI systems that
// read their lines.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// Count returns a number with its noun, which takes an s: 1 object, 2 objects.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Some lists names, of many only the first ones.
func Some(names []string, most int) string {
	if more := len(names) - most; more > 1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Height returns the number of lines of the terminal w, 24 if it does not say.
func Height(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if _, height, err := term.GetSize(int(f.Fd())); err == nil && height > 0 {
			return height
		}
	}
	return 24
}

// IsControl reports whether a terminal may obey r instead of showing it, or shows nothing: the C0 and C1 controls, what
// separates lines, and what formats text without a width, such as its direction and tags
// (https://www.unicode.org/reports/tr36).
func IsControl(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

var command = lazyregexp.New(`^##[a-z]*\[`)

// IsCommand reports whether text starts with what a CI system obeys anywhere in a line: ##[name] in GitHub Actions
// (actions/runner src/Runner.Common/ActionCommand.cs@079cdb1), ##vso[name] in Azure Pipelines.
func IsCommand(text string) bool { return command().MatchString(text) }

// StartsCommand reports whether GitHub Actions obeys a line because of its start: :: after any white space.
func StartsCommand(line string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::")
}

// Quote returns text as one line: control characters and invalid bytes are written as in Go source, such as \n, \x1b
// and \u202e. What would make the line a command of a CI system is written so too.
func Quote(text string) string {
	if StartsCommand(text) {
		space, rest, _ := strings.Cut(text, "::")
		return Quote(space) + `\x3a:` + Quote(rest)
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case IsControl(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		case r == '#' && IsCommand(text):
			b.WriteString(`\x23`)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// QuoteLines quotes each line of text.
func QuoteLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Quote(line)
	}
	return strings.Join(lines, "\n")
}
