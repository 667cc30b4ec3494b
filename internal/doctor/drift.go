package doctor

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
)

// How an object differs from Git where that is no difference of values.
const (
	goneFromGit  = "it is no longer in Git"
	changedInGit = "Git has changed since the last sync"
)

// drift says how an object differs from what an Application last applied, "" if that is not known or it does not.
func (c *Cluster) drift(r ref) string {
	for _, a := range c.applying(r) {
		if a.isSync {
			continue
		}
		if a.isGone {
			return goneFromGit
		}
		differences := differing("", c.inGit(r), c.objects[r])
		switch n := len(differences); {
		case n == 0 && a.hasNews:
			return changedInGit
		case n == 0:
			return "it is not as in Git"
		case n > most:
			return fmt.Sprintf("%s, and %d more", strings.Join(differences[:most], ", "), n-most)
		}
		return strings.Join(differences, ", ")
	}
	return ""
}

// most is how many differences are named.
const most = 3

// differing returns the values that an applied object has and the live one does not. null is none.
func differing(at string, applied, live any) []string {
	switch applied := applied.(type) {
	case health.Object:
		mapping, _ := live.(health.Object)
		var all []string
		for _, key := range slices.Sorted(maps.Keys(applied)) {
			if path := strings.TrimPrefix(at+"."+key, "."); path != "metadata.annotations" || mapping[key] != nil {
				all = append(all, differing(path, applied[key], mapping[key])...)
			}
		}
		return all
	case []any:
		items, _ := live.([]any)
		var all []string
		for i, item := range applied {
			var other any
			if i < len(items) {
				other = items[i]
			}
			all = append(all, differing(fmt.Sprintf("%s[%d]", at, i), item, other)...)
		}
		return all
	case nil:
		return nil
	}
	if reflect.DeepEqual(applied, live) {
		return nil
	}
	if mayBeSecret(at, applied) || mayBeSecret(at, live) {
		return []string{at + " has another value than as applied"}
	}
	return []string{fmt.Sprintf("%s is %s as applied and %s now", at, shown(applied), shown(live))}
}

// mayBeSecret reports whether a value is not to be shown. A string may be a token in a variable, an argument, a header or
// an annotation, or a URL with a password or a signature.
func mayBeSecret(at string, value any) bool {
	s, isString := value.(string)
	return isString && (!public().MatchString(at) || strings.Contains(s, "://") && strings.ContainsAny(s, "@?"))
}

// public are paths whose strings are no secrets.
var public = lazyregexp.New(`\.(image|storageUri|name|version|runtime|protocolVersion|type|serviceAccountName|scaleMetric)$|` +
	`\.(requests|limits)\.|^metadata\.labels\.|^metadata\.annotations\.serving\.kserve\.io/`)

func shown(value any) string {
	if value == nil {
		return "not there"
	}
	data, err := json.Marshal(value)
	if err != nil || len(data) > 60 {
		return "another value"
	}
	return string(data)
}
