// Package shell writes words of the commands that people copy into a shell.
package shell

import (
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// plain is what names in a cluster consist of. Anything may be in a file.
var plain = lazyregexp.New(`^[a-zA-Z0-9._:/-]+$`)

// Quote returns text as one word, in quotes if it needs them.
func Quote(text string) string {
	if plain().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
