package upgrade

import (
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// CompareHealth returns what changes for the kinds in what health config prints for the two releases.
func CompareHealth(from, to healthconfig.Configuration, kinds []string) []Change {
	var changes []Change
	for _, was := range from.Overrides {
		is, found := override(to, was)
		switch {
		case !slices.Contains(kinds, was.Kind) || found && is.Value == was.Value:
		case found:
			changes = append(changes, ofKind(was, transform.Advice,
				"Argo CD keeps the %s of the old release: install what health config prints for the new one"))
		default:
			changes = append(changes, ofKind(was, transform.Warning,
				"Argo CD keeps the %s of the old release, which the new one has no use for: remove that from argocd-cm"))
		}
	}
	for _, is := range to.Overrides {
		if _, found := override(from, is); !found && slices.Contains(kinds, is.Kind) {
			changes = append(changes, Change{Effect: Health, Severity: transform.Advice, Object: is.Kind,
				Message: healthconfig.Without(is.Key()) + ": install what health config prints for the new release"})
		}
	}
	return changes
}

func override(c healthconfig.Configuration, like healthconfig.Override) (healthconfig.Override, bool) {
	i := slices.IndexFunc(c.Overrides, func(o healthconfig.Override) bool {
		return o.Type == like.Type && o.Kind == like.Kind
	})
	if i < 0 {
		return healthconfig.Override{}, false
	}
	return c.Overrides[i], true
}

// names are what the overrides are called.
var names = map[string]string{
	"health": "health check", "actions": "actions stop and resume", "knownTypeFields": "list of quantities",
	"ignoreDifferences": "differences to ignore",
}

// ofKind returns a change for the kind of an override. The format has a %s for what the override is called.
func ofKind(o healthconfig.Override, severity transform.Severity, format string) Change {
	return Change{Effect: Health, Severity: severity, Object: o.Kind, Message: fmt.Sprintf(format, names[o.Type])}
}
