package render

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gobwas/glob/syntax"
	"github.com/gobwas/glob/syntax/ast"
)

// maxGlob bounds a glob in bytes.
const maxGlob = 1024

// compile parses a glob as Argo CD does, with the same library and without
// separators, so that * matches slashes (util/glob/glob.go@v2.14.21). But it
// matches with a regular expression, whose time is linear in the length of the
// path: 32 stars are enough to keep the library busy for minutes.
func compile(setting, pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	if len(pattern) > maxGlob {
		return nil, fmt.Errorf("%s: %d bytes of globs, more than the limit of %d; use shorter or fewer ones",
			setting, len(pattern), maxGlob)
	}
	tree, err := syntax.Parse(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", setting, pattern, err)
	}
	return regexp.Compile(`(?s)\A` + expression(tree) + `\z`)
}

// expression returns a regular expression for a part of a glob.
func expression(n *ast.Node) string {
	var parts []string
	for _, child := range n.Children {
		parts = append(parts, expression(child))
	}
	switch n.Kind {
	case ast.KindPattern:
		return strings.Join(parts, "")
	case ast.KindAnyOf:
		return "(?:" + strings.Join(parts, "|") + ")"
	case ast.KindText:
		return regexp.QuoteMeta(n.Value.(ast.Text).Text)
	case ast.KindList:
		list := n.Value.(ast.List)
		var chars strings.Builder
		for _, char := range list.Chars {
			fmt.Fprintf(&chars, `\x{%x}`, char)
		}
		return class(list.Not, chars.String())
	case ast.KindRange:
		r := n.Value.(ast.Range)
		return class(r.Not, fmt.Sprintf(`\x{%x}-\x{%x}`, r.Lo, r.Hi))
	case ast.KindSingle:
		return "."
	}
	return ".*" // KindAny and KindSuper
}

// class returns an expression for one of some characters, or for any other.
func class(not bool, chars string) string {
	if not {
		return "[^" + chars + "]"
	}
	return "[" + chars + "]"
}
