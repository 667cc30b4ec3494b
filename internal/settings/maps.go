package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// isMap reports whether the setting maps names to texts. On its way through the levels each entry is a text name=value.
func (row *Setting) isMap() bool {
	_, ok := row.field(new(Settings)).(*map[string]string)
	return ok
}

// setMap validates and stores entries.
func (row *Setting) setMap(field *map[string]string, entries []string) error {
	*field = nil
	if len(entries) == 1 && entries[0] == row.Unset {
		return nil
	}
	*field = map[string]string{}
	for _, entry := range entries {
		name, value, found := strings.Cut(entry, "=")
		if (!found || name == "") && row.isPrivate {
			return errors.New("an entry is not name=value")
		}
		if !found || name == "" {
			return fmt.Errorf("%q is not name=value", entry)
		}
		(*field)[strings.TrimSpace(name)] = value
	}
	return nil
}

// entriesOf returns the entries of a map, by name.
func entriesOf(m map[string]string) []string {
	var entries []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		entries = append(entries, name+"="+m[name])
	}
	return entries
}

// mapping returns the entries of a mapping in the settings file, or false if it holds anything but scalars.
func mapping(node *yamldoc.Node) ([]string, bool) {
	var entries []string
	for _, entry := range node.Entries {
		if entry.Value.Kind != yamldoc.Scalar {
			return nil, false
		}
		entries = append(entries, entry.Key.Value+"="+entry.Value.Value)
	}
	return entries, true
}

// yamlOf returns a YAML mapping of names to YAML.
func yamlOf(m map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%q:\n  %s\n", name, strings.ReplaceAll(strings.TrimSpace(m[name]), "\n", "\n  "))
	}
	return b.String()
}
