// Package settings reads what a user, an Application and a sidecar may set, by precedence and with a lock for the sidecar.
package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Settings are the effective values of a run.
type Settings struct {
	transform.Options

	ArgoCDVersion string
	FailOn        string // never, advice, warning, error; empty: the command's own default
	Source        string
	Root          string // empty: found by the renderer
	Recurse       bool
	Include       []string
	Exclude       []string
	AllowEmpty    bool
	Timeout       time.Duration
	MaxInput      Size

	origins map[string]origin
}

// Value is one effective setting as people read it.
type Value struct {
	Name, Text, From string
	Locked           bool
}

// Values lists every setting in the table's order.
func (s *Settings) Values() []Value {
	values := make([]Value, len(Table))
	for i, row := range Table {
		from := s.origins[row.Name]
		text := row.text(s)
		if text == "" {
			text = row.Unset
		}
		values[i] = Value{Name: row.Name, Text: text, From: from.where, Locked: from.level.locked()}
	}
	return values
}

// Locked reports whether the sidecar's own flags or environment gave the setting.
func (s *Settings) Locked(name string) bool { return s.origins[name].level.locked() }

// Setting is a row of the table.
type Setting struct {
	Name    string
	Title   string   // in Argo CD's user interface
	Help    string   // one line, no full stop
	Values  []string // what is accepted; empty when Accepts says it
	Accepts string
	Default string
	Unset   string // what an empty default means

	field func(*Settings) any                // a *string, *[]string, *bool, *int, *time.Duration or *Size
	check func(value string) (string, error) // returns the canonical spelling
}

func (row *Setting) isList() bool {
	_, ok := row.field(new(Settings)).(*[]string)
	return ok
}

func (row *Setting) isSwitch() bool {
	_, ok := row.field(new(Settings)).(*bool)
	return ok
}

// accepts says in words what may be given.
func (row *Setting) accepts() string {
	if row.Accepts != "" {
		return row.Accepts
	}
	return strings.Join(row.Values, ", ")
}

// split takes the text form of a value apart. Items of a list are separated by commas or blanks, except within the
// braces of a glob.
func (row *Setting) split(text string) []string {
	if !row.isList() {
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

// set stores values, which are not empty.
func (row *Setting) set(s *Settings, values []string) error {
	field := row.field(s)
	list, isList := field.(*[]string)
	if !isList && len(values) > 1 {
		return fmt.Errorf("takes one value, not a list of %d", len(values))
	}
	if isList && len(values) == 1 && values[0] == row.Unset {
		*list = nil
		return nil
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

// text is the canonical form, by which two values are the same or not.
func (row *Setting) text(s *Settings) string {
	switch field := row.field(s).(type) {
	case *string:
		return *field
	case *[]string:
		return strings.Join(*field, " ")
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
