package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// level is where a value comes from, the strongest first.
type level int

const (
	byDefault level = iota
	byFile
	byPluginEnv
	byParameter
	byEnvironment
	byFlag
)

// locked levels belong to whoever runs the sidecar; no other may contradict them.
func (l level) locked() bool { return l >= byEnvironment }

type origin struct {
	level level
	where string
}

// given is a setting's value at one level.
type given struct {
	name   string
	values []string // never empty
	origin
}

// Sources are the places a run takes its settings from.
type Sources struct {
	Flags   *Flags
	Environ []string
	Dir     string // the app's folder, where the settings file may be
	Shown   string // that folder as messages show it
}

// Load works out the settings of a run. Its error names every fault that was found, one a line.
func Load(from Sources) (*Settings, error) {
	env := environment(from.Environ)
	all := from.Flags.given()
	var faults []error
	for _, read := range []func() ([]given, error){
		func() ([]given, error) { return env.prefixed(lockedPrefix, byEnvironment) },
		func() ([]given, error) { return env.parameters() },
		func() ([]given, error) { return env.prefixed(pluginEnvPrefix, byPluginEnv) },
		func() ([]given, error) { return readFile(from.Dir, from.Shown) },
	} {
		values, err := read()
		all = append(all, values...)
		faults = append(faults, err)
	}
	if ns := env[appNamespace]; ns != "" {
		all = append(all, given{"namespace", []string{ns}, origin{byDefault, appNamespace}})
	}
	s, err := resolve(all)
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	return s, nil
}

// LoadLocked works out what the sidecar's own flags and environment say and leaves everything else at its default.
func LoadLocked(from Sources) (*Settings, error) {
	variables, fault := environment(from.Environ).prefixed(lockedPrefix, byEnvironment)
	s, err := resolve(append(from.Flags.given(), variables...))
	if err := errors.Join(fault, err); err != nil {
		return nil, err
	}
	return s, nil
}

// resolve takes the strongest value of each setting. The values come in the order of their strength.
func resolve(all []given) (*Settings, error) {
	s := &Settings{origins: map[string]origin{}}
	var faults []error
	for _, row := range Table {
		if row.Default != "" {
			if err := row.set(s, row.split(row.Default)); err != nil {
				return nil, fmt.Errorf("default of %s: %w", row.Name, err)
			}
		}
		s.origins[row.Name] = origin{byDefault, "default"}
		winner := true
		for _, g := range all {
			if g.name != row.Name {
				continue
			}
			var at Settings
			if err := row.set(&at, g.values); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", g.where, err))
				continue
			}
			if winner {
				winner = false
				s.origins[row.Name] = g.origin
				faults = append(faults, row.set(s, g.values))
				continue
			}
			lock := s.origins[row.Name]
			if lock.level.locked() && !g.level.locked() && g.level != byDefault && row.text(&at) != row.text(s) {
				faults = append(faults, fmt.Errorf("%s: %q differs from %q, to which the sidecar's %s locks it; remove it here or have it changed there",
					g.where, row.text(&at), row.text(s), lock.where))
			}
		}
	}
	return s, errors.Join(faults...)
}

// find returns the row of a setting, or an error that lists the valid names.
func find(name string) (*Setting, error) {
	names := make([]string, len(Table))
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i], nil
		}
		names[i] = Table[i].Name
	}
	hint := ""
	if near := Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s? ", near)
	}
	return nil, fmt.Errorf("unknown setting %q; %sthe settings are %s", name, hint, strings.Join(names, ", "))
}

// Nearest returns the candidate that differs least from the text, or nothing when none is like it.
func Nearest(text string, candidates []string) string {
	best, distance := "", 1+max(2, len(text)/3)
	for _, c := range candidates {
		d := levenshtein(strings.ToLower(text), strings.ToLower(c))
		if d < distance {
			best, distance = c, d
		}
	}
	return best
}

func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// trimmed drops the empty values: an empty setting is an unset one.
func trimmed(values []string) []string {
	values = slices.Clone(values)
	for i := range values {
		values[i] = strings.TrimSpace(values[i])
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}
