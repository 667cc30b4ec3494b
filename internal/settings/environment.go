package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	lockedPrefix    = "ARGOCD_KSERVE_PLUGIN_"
	pluginEnvPrefix = "ARGOCD_ENV_KSERVE_PLUGIN_" // Argo CD puts ARGOCD_ENV_ before the names in an Application's plugin.env
	appParameters   = "ARGOCD_APP_PARAMETERS"
	appNamespace    = "ARGOCD_APP_NAMESPACE"
)

// env is an environment; of a name that occurs twice the last value counts, as in a process that Go starts.
type env map[string]string

func environment(environ []string) env {
	e := env{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		e[name] = value
	}
	return e
}

// serviceLink matches what Kubernetes adds, below the locked prefix, for a Service called argocd-kserve-plugin.
var serviceLink = regexp.MustCompile(`^(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// prefixed reads the settings whose variables begin with the prefix.
func (e env) prefixed(prefix string, at level) (all []given, err error) {
	var faults []error
	for _, name := range e.names(prefix) {
		key := strings.TrimPrefix(name, prefix)
		row, err := find(strings.ToLower(strings.ReplaceAll(key, "_", "-")))
		if err != nil {
			if at != byEnvironment || !serviceLink.MatchString(key) {
				faults = append(faults, fmt.Errorf("environment variable %s: %w", name, err))
			}
			continue
		}
		if values := trimmed(row.split(e[name])); len(values) > 0 {
			all = append(all, given{row.Name, values, origin{at, "environment variable " + name}})
		}
	}
	return all, errors.Join(faults...)
}

func (e env) names(prefix string) []string {
	var names []string
	for name := range e {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// parameter is Argo CD's ApplicationSourcePluginParameter.
type parameter struct {
	Name   string            `json:"name"`
	String *string           `json:"string"`
	Array  []string          `json:"array"`
	Map    map[string]string `json:"map"`
}

// parameters reads an Application's plugin.parameters.
func (e env) parameters() ([]given, error) {
	text := e[appParameters]
	if text == "" {
		return nil, nil
	}
	var list []parameter
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("%s: not a JSON array of parameters: %w", appParameters, err)
	}
	var all []given
	var faults []error
	for _, p := range list {
		row, err := find(p.Name)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", appParameters, err))
			continue
		}
		where := fmt.Sprintf("parameter %s in %s", p.Name, appParameters)
		values, err := p.values(row)
		if err == nil && slices.ContainsFunc(all, func(g given) bool { return g.name == p.Name }) {
			err = errors.New("given twice")
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", where, err))
			continue
		}
		if len(values) > 0 {
			all = append(all, given{p.Name, values, origin{byParameter, where}})
		}
	}
	return all, errors.Join(faults...)
}

func (p parameter) values(row *Setting) ([]string, error) {
	forms := 0
	for _, present := range []bool{p.String != nil, len(p.Array) > 0, len(p.Map) > 0} {
		if present {
			forms++
		}
	}
	switch {
	case forms > 1:
		return nil, errors.New("has several of string, array and map; give one")
	case len(p.Map) > 0:
		return nil, errors.New("a map was given; it takes " + row.accepts())
	case len(p.Array) > 0:
		return trimmed(p.Array), nil
	case p.String != nil:
		return trimmed(row.split(*p.String)), nil
	}
	return nil, nil
}
