package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// change returns what has become of an object.
func change(old, is Object) (effect Effect, diff string, restarts []string) {
	switch {
	case old == nil:
		return Made, "", nil
	case is == nil:
		return Deleted, "", nil
	}
	effect = Changed
	switch {
	case at(old, "metadata", "uid") != at(is, "metadata", "uid"):
		effect = Replaced
	case reflect.DeepEqual(spoken(old), spoken(is)):
		return Unchanged, "", nil
	}
	if shares, _ := at(is, "spec", "traffic").([]any); len(shares) < 2 { // else older pods of Knative serve too
		restarts = templateChanges(old, is)
	}
	return effect, unifiedDiff(Plain(old), Plain(is)), restarts
}

// templates are where the kinds have that of their pods.
var templates = map[string][]string{
	"Deployment":      {"spec", "template"},
	"LeaderWorkerSet": {"spec", "leaderWorkerTemplate"},
	"Service":         {"spec", "template"}, // Knative's; Kubernetes' has none
}

func templateChanges(old, is Object) []string {
	path := templates[referenceOf(is).Kind]
	if path == nil || at(old, "spec", "replicas") == 0.0 || at(is, "spec", "replicas") == 0.0 {
		return nil // no pod runs before, or after
	}
	var fields []string
	differences(strings.Join(path, "."), at(old, path...), at(is, path...), &fields)
	return fields
}

// differences adds the paths at which two values differ.
func differences(path string, a, b any, to *[]string) {
	if reflect.DeepEqual(a, b) {
		return
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			for _, key := range sortedKeys(x, y) {
				below := path + "." + key
				if strings.ContainsAny(key, "./") {
					below = fmt.Sprintf("%s[%q]", path, key)
				}
				differences(below, x[key], y[key], to)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				differences(fmt.Sprintf("%s[%s]", path, itemName(i, x[i], y[i])), x[i], y[i], to)
			}
			return
		}
	}
	*to = append(*to, path)
}

// itemName is the name of an item that has one in both lists, or its number.
func itemName(i int, a, b any) string {
	if name, _ := at(a, "name").(string); name != "" && at(b, "name") == name {
		return name
	}
	return fmt.Sprint(i)
}

func sortedKeys(a, b map[string]any) []string {
	var keys []string
	for key := range a {
		keys = append(keys, key)
	}
	for key := range b {
		if _, both := a[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
