package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/spelling"
)

// level is where a value comes from, in ascending order of precedence.
type level int

const (
	byDefault level = iota
	byFile
	byPluginEnv
	byParameter
	byEnvironment
	byFlag
)

// locked reports whether the level belongs to whoever runs the plugin. No other level may contradict it, except that a
// flag on a command line, outside Argo CD, simply wins, and that a fact is only warned about.
func (l level) locked() bool { return l >= byEnvironment }

// ofApp reports whether the level belongs to the application or its repository.
func (l level) ofApp() bool { return l > byDefault && !l.locked() }

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
	Cgroup  int64  // the memory limit of the container in bytes; 0 for none

	// Top returns the highest folder that may have a settings file for the app, absolute and without links. If Dir is not
	// below it, there is none. The argument is the setting root of whoever runs the plugin, "" for none. Nil stands for
	// Dir alone.
	Top func(root string) (string, error)

	Function *Part // the configuration of a KRM function, in place of the settings file
}

// Load returns the settings of a run. Its error lists every fault, one per line.
func Load(from Sources) (*Settings, error) {
	env := environment(from.Environ)
	all := from.Flags.given()
	var faults []error
	for _, read := range []func() ([]given, error){
		func() ([]given, error) { return env.prefixed(lockedPrefix, byEnvironment) },
		func() ([]given, error) { return env.parameters() },
		func() ([]given, error) { return env.prefixed(pluginEnvPrefix, byPluginEnv) },
		func() ([]given, error) {
			if from.Function != nil {
				return from.Function.values()
			}
			return readFiles(from, all)
		},
	} {
		values, err := read()
		all = append(all, values...)
		faults = append(faults, err)
	}
	if ns := env[appNamespace]; ns != "" {
		all = append(all, given{"namespace", []string{ns}, origin{byDefault, appNamespace}})
	}
	s, err := resolve(append(all, env.memory(from.Cgroup)...), env.underArgoCD())
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	s.Warnings = env.misplaced()
	return s, nil
}

// LoadLocked returns the settings that the sidecar's own flags and environment give. All others have their defaults.
func LoadLocked(from Sources) (*Settings, error) {
	env := environment(from.Environ)
	variables, fault := env.prefixed(lockedPrefix, byEnvironment)
	s, err := resolve(slices.Concat(from.Flags.given(), variables, env.memory(from.Cgroup)), env.underArgoCD())
	if err := errors.Join(fault, err); err != nil {
		return nil, err
	}
	return s, nil
}

// resolve takes the value with the highest precedence for each setting. The values are in descending order of
// precedence. Under Argo CD a flag locks as the sidecar's environment does; on a command line it simply wins.
func resolve(all []given, underArgoCD bool) (*Settings, error) {
	s := &Settings{origins: map[string]origin{}, flagsLock: underArgoCD}
	var faults []error
	for _, row := range Table {
		if row.Default != "" {
			if err := row.set(s, row.split(row.Default)); err != nil {
				return nil, fmt.Errorf("default of %s: %w", row.Name, err)
			}
		}
		s.origins[row.Name] = origin{byDefault, "default"}
		var values []given
		for _, g := range all {
			if g.name != row.Name {
				continue
			}
			if err := row.set(new(Settings), g.values); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", g.where, err))
				continue
			}
			values = append(values, g)
		}
		if row.ceiling {
			faults = append(faults, row.lower(s, values))
		} else {
			faults = append(faults, row.choose(s, values))
		}
	}
	return s, errors.Join(faults...)
}

// choose takes the first value. Its error lists the values that contradict a locked one. A fact gets a warning instead:
// the sidecar knows the cluster, and an upgrade of the cluster must not stop the applications that name the old
// release. A sidecar that does not know the fact leaves it to the application.
func (row *Setting) choose(s *Settings, values []given) error {
	var faults []error
	if row.isFact && len(values) > 1 && s.locks(values[0].origin) && slices.Equal(values[0].values, []string{unknown}) {
		values = values[1:]
	}
	for i, g := range values {
		if i == 0 {
			s.origins[row.Name] = g.origin
			faults = append(faults, row.set(s, g.values))
			continue
		}
		var at Settings
		faults = append(faults, row.set(&at, g.values))
		lock := s.origins[row.Name]
		switch {
		case !s.locks(lock) || !g.level.ofApp() || row.text(&at) == row.text(s):
		case row.isFact && !s.flagsLock:
			s.Overruled = append(s.Overruled, fmt.Sprintf("%s: %q has no effect: the %s is %q, and wins; correct one of them",
				g.where, row.text(&at), lock.where, row.text(s)))
		case row.isFact:
			s.Overruled = append(s.Overruled, fmt.Sprintf(
				"%s: %q has no effect: what the cluster runs is said by the sidecar's %s, %q; remove it, or correct the sidecar",
				g.where, row.text(&at), lock.where, row.text(s)))
		default:
			faults = append(faults, fmt.Errorf(
				"%s: %q conflicts with %q, locked by the %s%s; remove it or change it there",
				g.where, row.shown(&at), row.shown(s), s.whose(), lock.where))
		}
	}
	return errors.Join(faults...)
}

// lower takes the ceiling, which the first locked value or else the default sets, or the first value of the
// application. Its error lists the values of the application above the ceiling.
func (row *Setting) lower(s *Settings, values []given) error {
	var faults []error
	if i := slices.IndexFunc(values, func(g given) bool { return !g.level.ofApp() }); i >= 0 {
		s.origins[row.Name] = values[i].origin
		faults = append(faults, row.set(s, values[i].values))
	}
	ceiling, amount, text := s.origins[row.Name], row.amount(s), row.text(s)
	if ceiling.level == byFlag && !s.flagsLock {
		return errors.Join(faults...)
	}
	lowered := false
	for _, g := range values {
		if !g.level.ofApp() {
			continue
		}
		var at Settings
		faults = append(faults, row.set(&at, g.values))
		switch {
		case row.amount(&at) > amount && ceiling.level.locked():
			faults = append(faults, fmt.Errorf("%s: %q is above the ceiling of %q, set by the %s%s; "+
				"lower it or raise the ceiling there", g.where, row.text(&at), text, s.whose(), ceiling.where))
		case row.amount(&at) > amount:
			faults = append(faults, fmt.Errorf("%s: %q is above the ceiling of %q, from the %s; "+
				"lower it or raise the ceiling with the flag --%s or with %s in the %senvironment",
				g.where, row.text(&at), text, ceiling.where, row.Name, Variable(row.Name), s.whose()))
		case !lowered:
			lowered = true
			s.origins[row.Name] = g.origin
			faults = append(faults, row.set(s, g.values))
		}
	}
	return errors.Join(faults...)
}

// find returns the row of a setting, or an error that names the nearest one.
func find(name string) (*Setting, error) {
	names := make([]string, len(Table))
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i], nil
		}
		names[i] = Table[i].Name
	}
	return nil, fmt.Errorf("unknown setting %q; %sargocd-kserve-plugin settings --help-all lists them",
		name, DidYouMean(name, names))
}

// DidYouMean returns the part of a message that names the candidate nearest to the text, with a blank after it, or "".
func DidYouMean(text string, candidates []string) string {
	if near := nearest(text, candidates); near != "" {
		return "did you mean " + near + "? "
	}
	return ""
}

// nearest returns the candidate that begins with the text, or else the one that differs least from it, by at most two
// letters and fewer than half of them. It returns "" if there is none.
func nearest(text string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		typed, name := strings.ToLower(text), strings.ToLower(c)
		distance := spelling.Distance(typed, name)
		if strings.HasPrefix(name, typed) {
			distance = 0
		}
		if distance < least && 2*distance < len(typed) {
			best, least = c, distance
		}
	}
	return best
}

// trimmed trims the values and drops empty ones: an empty setting is not set. A value of several lines is YAML, whose
// indentation counts.
func trimmed(values []string) []string {
	values = slices.Clone(values)
	for i := range values {
		if text := strings.TrimSpace(values[i]); !strings.Contains(text, "\n") {
			values[i] = text
		}
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}
