// Package settings reads the settings of the sidecar, the Application, the settings file and the command line, in order
// of precedence. What the sidecar sets is locked.
package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// Settings are the effective values of a run.
type Settings struct {
	rules.Options

	ArgoCDVersion  string
	FailOn         string // never, advice, warning, error; empty: the command's own default
	Report         string // none, or the name of a form of internal/policyreport
	Source         string
	Root           string // empty: package render finds it
	Recurse        bool
	Include        []string
	Exclude        []string
	AllowEmpty     bool
	LoadRestrictor string
	Helm           Helm
	Kustomize      Kustomize
	Timeout        time.Duration
	MaxInput       Size
	MaxMemory      Size

	Warnings  []string // what is ignored but looks like a setting, one line each
	Overruled []string // the application's facts about the cluster that the sidecar's differ from, one line each

	origins   map[string]origin
	flagsLock bool // whether flags lock, which they do under Argo CD
}

// Value is an effective setting in the form that people read.
type Value struct {
	Name, Text, From string
	Locked           bool // whether no application and no settings file may contradict it
}

// Values returns every setting, in the order of Table.
func (s *Settings) Values() []Value {
	values := make([]Value, len(Table))
	for i, row := range Table {
		from := s.origins[row.Name]
		values[i] = Value{Name: row.Name, Text: row.shown(s), From: from.where, Locked: s.locks(from)}
	}
	return values
}

// whose says, before the name of a flag or of a variable, that it is the sidecar's. Outside Argo CD there is none.
func (s *Settings) whose() string {
	if s.flagsLock {
		return "sidecar's "
	}
	return ""
}

func (s *Settings) locks(from origin) bool {
	return from.level.locked() && (from.level != byFlag || s.flagsLock)
}

// From returns where a setting has its value from, as [Value.From].
func (s *Settings) From(name string) string { return s.origins[name].where }

// Locked reports whether the flags or the environment of whoever runs the plugin gave the setting.
func (s *Settings) Locked(name string) bool { return s.origins[name].level.locked() }

// Setting is a row of the table.
type Setting struct {
	Name    string
	Title   string   // in Argo CD's user interface
	Help    string   // one line, no full stop
	Values  []string // the accepted values, unless Accepts describes them
	Accepts string
	Default string
	Unset   string // shown for an empty default

	pattern string                             // of the text of a value, for the JSON Schema; the items of a list
	ceiling bool                               // whether applications may lower the value but not raise it
	isYAML  bool                               // whether the text is YAML, which the settings file may hold as it is
	isLines bool                               // whether only line breaks separate the entries of a map
	field   func(*Settings) any                // a pointer; parse and text list the types
	check   func(value string) (string, error) // returns the canonical spelling

	isFact    bool // about the cluster: what the sidecar says of it wins over an application, which gets a warning
	isPrivate bool // whether the value may be a secret, so that no message shows it
}

func (row *Setting) isList() bool {
	_, ok := row.field(new(Settings)).(*[]string)
	return ok
}

func (row *Setting) isSwitch() bool {
	_, ok := row.field(new(Settings)).(*bool)
	return ok
}

// accepts describes the accepted values.
func (row *Setting) accepts() string {
	if row.Accepts != "" {
		return row.Accepts
	}
	return strings.Join(row.Values, ", ")
}

// split splits the text form of a value. Commas and blanks separate the items of a list, except within the braces of a
// glob. Commas and line breaks separate the entries of a map.
func (row *Setting) split(text string) []string {
	switch {
	case row.isMap():
		return strings.FieldsFunc(text, func(r rune) bool { return r == ',' && !row.isLines || r == '\n' })
	case row.isYAML:
		return []string{text}
	case !row.isList():
		return []string{strings.TrimSpace(text)}
	}
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case ',', ' ', '\t', '\n', '\r':
			return depth <= 0
		}
		return false
	})
}

// set validates and stores the values, of which there is at least one.
func (row *Setting) set(s *Settings, values []string) error {
	field := row.field(s)
	list, isList := field.(*[]string)
	entries, isMap := field.(*map[string]string)
	if !isList && !isMap && len(values) > 1 {
		return fmt.Errorf("takes one value, not a list of %d", len(values))
	}
	if isList && len(values) == 1 && values[0] == row.Unset {
		*list = nil
		return nil
	}
	if isMap {
		return row.setMap(entries, values)
	}
	values = slices.Clone(values)
	for i, v := range values {
		if len(row.Values) > 0 && !slices.Contains(row.Values, v) {
			return fmt.Errorf("%q is not one of %s", v, strings.Join(row.Values, ", "))
		}
		if row.check == nil {
			continue
		}
		var err error
		if values[i], err = row.check(v); err != nil {
			return err
		}
	}
	if isList {
		*list = values
		return nil
	}
	if err := parse(field, values[0]); err != nil {
		return fmt.Errorf("%q is not %s", values[0], row.accepts())
	}
	return nil
}

func parse(field any, text string) (err error) {
	switch field := field.(type) {
	case *string:
		*field = text
	case *bool:
		*field = text == "true"
	case *int:
		if text == none {
			*field = 0
			return nil
		}
		if *field, err = strconv.Atoi(text); err == nil && *field <= 0 {
			err = strconv.ErrRange
		}
	case *time.Duration:
		if *field, err = time.ParseDuration(text); err == nil && *field <= 0 {
			err = strconv.ErrRange
		}
	case *Size:
		*field, err = parseSize(text)
	}
	return err
}

// text returns the canonical form: two values are the same if their text is.
func (row *Setting) text(s *Settings) string {
	switch field := row.field(s).(type) {
	case *string:
		return cmp.Or(*field, row.Unset)
	case *[]string:
		return cmp.Or(strings.Join(*field, " "), row.Unset)
	case *map[string]string:
		return cmp.Or(strings.Join(entriesOf(*field), ","), row.Unset)
	case *bool:
		return strconv.FormatBool(*field)
	case *int:
		if *field == 0 {
			return none
		}
		return strconv.Itoa(*field)
	case *time.Duration:
		return field.String()
	case *Size:
		return field.String()
	}
	return ""
}

// shown returns what messages show of a value.
func (row *Setting) shown(s *Settings) string {
	text := row.text(s)
	if row.isPrivate && text != row.Unset {
		return "(not shown)"
	}
	return text
}

// amount returns the value of a ceiling.
func (row *Setting) amount(s *Settings) int64 {
	switch field := row.field(s).(type) {
	case *time.Duration:
		return int64(*field)
	case *Size:
		return int64(*field)
	}
	return 0
}

const none = "none"

// Size is a number of bytes.
type Size int64

var units = []struct {
	suffix string
	bytes  Size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}, {"", 1}}

func (s Size) String() string {
	for _, u := range units[:3] {
		if s >= u.bytes && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + " " + u.suffix
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

func parseSize(text string) (Size, error) {
	for _, u := range units {
		number, found := strings.CutSuffix(text, u.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil {
			return 0, err
		}
		if n <= 0 || n > (1<<62)/int64(u.bytes) {
			return 0, strconv.ErrRange
		}
		return Size(n) * u.bytes, nil
	}
	return 0, strconv.ErrSyntax
}

// MaxCopied is how many bytes may be made of the input by copying parts of it, as aliases and archives do.
func (s *Settings) MaxCopied() int64 { return int64(min(s.MaxInput, s.MaxMemory/4)) }
