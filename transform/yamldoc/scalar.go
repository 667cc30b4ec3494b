package yamldoc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// scalarText formats a string, bool or int. A string gets the given quotes; Plain means no quotes if that is safe.
func scalarText(value any, quotes Style, flow bool) string {
	switch v := value.(type) {
	case string:
		switch {
		case quotes == SingleQuoted && !strings.ContainsFunc(v, needsEscape):
			return "'" + strings.ReplaceAll(v, "'", "''") + "'"
		case quotes == Plain && plainSafe(v) && !(flow && strings.ContainsAny(v, ",[]{}:?")):
			return v
		}
		return doubleQuoted(v)
	case bool:
		return strconv.FormatBool(v)
	}
	return fmt.Sprint(value)
}

// needsEscape reports whether a rune must be escaped, because YAML forbids it or folds it as a line break.
func needsEscape(r rune) bool {
	return isControl(r) || r == '\n' || r == '\r' || r == '\t' || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

// doubleQuoted formats a string for both YAML and JSON.
func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case needsEscape(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// notString matches plain scalars that are not strings in YAML 1.1 or 1.2, once underscores are removed from numbers
// (https://yaml.org/type/, https://yaml.org/spec/1.2.2/#103-core-schema). Kubernetes reads YAML 1.1.
var notString = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` + strings.Join([]string{
		`|~|null|Null|NULL|<<|=`,
		`y|Y|n|N|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF`,
		`[-+]?0[bB][-+]?[01]+|[-+]?0[oO][-+]?[0-7]+|[-+]?0[xX][0-9a-fA-F]+`,
		`[-+]?[0-9]+(:[0-5]?[0-9])*(\.[0-9]*)?([eE][-+]?[0-9]+)?`,
		`[-+]?\.[0-9]+([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)`,
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?`,
	}, "|") + `)$`)
})

// isString reports whether s without quotes is a string to every YAML reader.
func isString(s string) bool {
	switch {
	case s == "":
		return false
	case strings.Contains("+-.0123456789", s[:1]):
		s = strings.ReplaceAll(s, "_", "")
	case !strings.Contains("~<=fFnNoOtTyY", s[:1]) || isLetter(s[0]) && len(s) > len("false"):
		return true
	}
	return !notString().MatchString(s)
}

// plainSafe reports whether s without quotes, in block style, is the string s to every YAML reader.
func plainSafe(s string) bool {
	return isString(s) &&
		!strings.ContainsFunc(s, needsEscape) &&
		!strings.ContainsAny(s[:1], "-?:,[]{}#&*!|>'\"%@` ") &&
		!strings.HasPrefix(s, "...") &&
		!strings.HasSuffix(s, " ") && !strings.HasSuffix(s, ":") &&
		!strings.Contains(s, ": ") && !strings.Contains(s, " #")
}

// quotesOf returns the quotes that all strings share, else Plain.
func quotesOf(strs []*Node) Style {
	style := Plain
	for i, n := range strs {
		switch {
		case n.Style != SingleQuoted && n.Style != DoubleQuoted, i > 0 && n.Style != style:
			return Plain
		}
		style = n.Style
	}
	return style
}

// strings returns the values of n that are strings.
func (n *Node) strings() (strs []*Node) {
	add := func(v *Node) {
		if v.Kind == Scalar && v.tag == tagStr {
			strs = append(strs, v)
		}
	}
	for _, e := range n.Entries {
		add(e.Value)
	}
	for _, item := range n.Items {
		add(item)
	}
	return strs
}

// keys returns the keys of n.
func (n *Node) keys() (keys []*Node) {
	for _, e := range n.Entries {
		keys = append(keys, e.Key)
	}
	return keys
}
