package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

const (
	lockedPrefix    = "ARGOCD_KSERVE_PLUGIN_"
	pluginEnvPrefix = "ARGOCD_ENV_KSERVE_PLUGIN_" // Argo CD prefixes the names in plugin.env with ARGOCD_ENV_
	barePrefix      = "KSERVE_PLUGIN_"
	goMemLimit      = "GOMEMLIMIT"
	appName         = "ARGOCD_APP_NAME"
	appParameters   = "ARGOCD_APP_PARAMETERS"
	appNamespace    = "ARGOCD_APP_NAMESPACE"
)

// env maps environment variables to their values. The last value of a repeated name wins, as in a process that Go
// starts.
type env map[string]string

func environment(environ []string) env {
	e := env{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		e[name] = value
	}
	return e
}

// serviceLink matches the variables that Kubernetes sets for a Service called argocd-kserve-plugin or
// argocd-kserve-plugin-anything, as NAME=value without the prefix.
var serviceLink = lazyregexp.New(`^(.+_)?(` +
	`SERVICE_HOST=[0-9a-f.:]+|SERVICE_PORT(_[A-Z0-9_]+)?=\d+|PORT=(tcp|udp|sctp)://.*|` +
	`PORT_\d+_(TCP|UDP|SCTP)(=(tcp|udp|sctp)://.*|_PROTO=(tcp|udp|sctp)|_PORT=\d+|_ADDR=[0-9a-f.:]+))$`)

// prefixed returns the settings in the variables that start with the prefix.
func (e env) prefixed(prefix string, at level) (all []given, err error) {
	var faults []error
	for _, name := range e.names(prefix) {
		row, err := find(settingName(name, prefix))
		if err != nil {
			if !e.isServiceLink(name, prefix) {
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

func settingName(variable, prefix string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, prefix), "_", "-"))
}

// Variable returns the name of the variable that sets a setting in the sidecar's environment.
func Variable(setting string) string {
	return lockedPrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

func (e env) isServiceLink(name, prefix string) bool {
	return serviceLink().MatchString(strings.TrimPrefix(name, prefix) + "=" + e[name])
}

// misplaced returns a warning for each variable that lacks the first part of its prefix, and so has no effect.
func (e env) misplaced() []string {
	var warnings []string
	for _, name := range e.names(barePrefix) {
		if e[name] != "" && !e.isServiceLink(name, barePrefix) {
			warnings = append(warnings, fmt.Sprintf("the environment variable %s has no effect; in the sidecar its name is "+
				"ARGOCD_%s, and in an Application's plugin.env Argo CD adds ARGOCD_ENV_ to it", name, name))
		}
	}
	return warnings
}

// memory returns the default of max-memory: what GOMEMLIMIT says, else half of the container's limit, because
// argocd-cmp-server and other runs share that.
func (e env) memory(cgroup int64) []given {
	limit, where := Size(cgroup/2), "container's memory limit"
	if n, err := parseSize(strings.TrimSuffix(e[goMemLimit], "B")); err == nil {
		limit, where = n, goMemLimit
	}
	if limit <= 0 {
		return nil
	}
	return []given{{maxMemory, []string{limit.String()}, origin{byDefault, where}}}
}

func (e env) underArgoCD() bool { return e[appName] != "" }

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

// parameters returns the settings in an Application's plugin.parameters.
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
			err = errors.New("set twice")
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
		return nil, errors.New("sets more than one of string, array and map")
	case len(p.Map) > 0 && row.isMap():
		return entriesOf(p.Map), nil
	case len(p.Map) > 0 && row.isYAML:
		return []string{yamlOf(p.Map)}, nil
	case len(p.Map) > 0:
		return nil, errors.New("takes " + row.accepts() + ", not a map")
	case len(p.Array) > 0:
		return trimmed(p.Array), nil
	case p.String != nil:
		return trimmed(row.split(*p.String)), nil
	}
	return nil, nil
}
