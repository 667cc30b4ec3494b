// Package lazyregexp compiles regular expressions when they are first used. A run uses few of all that the program has,
// and compiling them took a tenth of the CPU time of a small application.
package lazyregexp

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// New returns a function that returns the regular expression. It panics if the text is none, in tests at once.
func New(text string) func() *regexp.Regexp {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	if inTest {
		compiled()
	}
	return compiled
}

var inTest = strings.HasSuffix(filepath.Base(os.Args[0]), ".test")
