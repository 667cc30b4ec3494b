package controlplane

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is a place at which the stored object differs from the manifest. Before is missing for what was added, After
// for what was removed.
type Change struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	// Drifts reports whether Argo CD's client-side comparison shows the change. It shows neither an added key of a
	// mapping nor a null that is gone, but it shows an added item of a list (gitops-engine's util/json,
	// RemoveMapFields and RemoveListFields).
	Drifts bool `json:"drifts,omitempty"`
}

// absent stands for a value that is not there, which is not the same as null.
type absent struct{}

// Changes compares two objects, decoded from JSON. It returns what differs, in the order of the paths.
func Changes(before, after any) []Change {
	return changes("", before, after, true)
}

// changes compares two values. additions tells whether an added value drifts.
func changes(path string, before, after any, additions bool) []Change {
	if same(before, after) {
		return nil
	}
	if b, ok := before.(map[string]any); ok {
		if a, ok := after.(map[string]any); ok {
			return mappings(path, b, a)
		}
	}
	if b, ok := before.([]any); ok {
		if a, ok := after.([]any); ok {
			return lists(path, b, a)
		}
	}
	drifts := before != nil
	if before == (absent{}) {
		drifts = additions
	}
	return []Change{{Path: path, Before: raw(before), After: raw(after), Drifts: drifts}}
}

func mappings(path string, before, after map[string]any) (all []Change) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		b, inBefore := before[key]
		if !inBefore {
			b = absent{}
		}
		a, inAfter := after[key]
		if !inAfter {
			a = absent{}
		}
		all = append(all, changes(join(path, key), b, a, false)...)
	}
	return all
}

func lists(path string, before, after []any) (all []Change) {
	for i := range max(len(before), len(after)) {
		var b, a any = absent{}, absent{}
		if i < len(before) {
			b = before[i]
		}
		if i < len(after) {
			a = after[i]
		}
		all = append(all, changes(fmt.Sprintf("%s[%d]", path, i), b, a, true)...)
	}
	return all
}

// same compares numbers by value, since 1 and 1.0 are one number to Kubernetes.
func same(a, b any) bool {
	return reflect.DeepEqual(a, b) || number(a) != nil && number(b) != nil && *number(a) == *number(b)
}

func number(value any) *float64 {
	switch n := value.(type) {
	case int64:
		f := float64(n)
		return &f
	case float64:
		return &n
	}
	return nil
}

func raw(value any) json.RawMessage {
	if value == (absent{}) {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // values are decoded from JSON
	}
	return text
}

// join appends a key to a path. Keys with dots or slashes, as annotations have them, are quoted.
func join(path, key string) string {
	switch {
	case strings.ContainsAny(key, "./[] "):
		return fmt.Sprintf("%s[%q]", path, key)
	case path == "":
		return key
	}
	return path + "." + key
}
