package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestPlaces compares the table with the fields of each release: in the window of a row each of its fields is in one of
// the objects that it belongs to, and in none of those that people write it in. Outside of the window it is nowhere.
func TestPlaces(t *testing.T) {
	has := func(types *schema.Types, objects []yamldoc.Path, name string) bool {
		return slices.ContainsFunc(objects, func(object yamldoc.Path) bool {
			return types.At(object).Field(name).Kept
		})
	}
	for _, row := range places {
		from, to := allPaths(row.from), allPaths(row.to)
		for _, name := range strings.Fields(row.fields) {
			for _, kind := range row.kinds {
				for _, r := range schema.Releases() {
					placed := false
					for _, version := range kserve.KindVersions[kind] {
						types := schema.Of(r).Types(kserve.Group+"/"+version, kind)
						placed = placed || has(types, to, name)
						if row.window.Contains(r) && has(types, from, name) {
							t.Errorf("%s, KServe %s: %s has the field %s, so it belongs there", kind, r, row.from, name)
						}
					}
					if exists := schema.Of(r).Types(kserve.Group+"/v1alpha1", kind) != nil ||
						kind == kserve.InferenceService.Kind; placed != (exists && row.window.Contains(r)) {
						t.Errorf("%s, KServe %s, %s: %s has the field %s: %t", kind, r, row.window, row.to, name, placed)
					}
				}
			}
		}
	}
}

// allPaths returns the paths that a pattern stands for, with the first item of each list.
func allPaths(pattern string) []yamldoc.Path {
	paths := []yamldoc.Path{nil}
	for _, step := range steps(pattern) {
		var next []yamldoc.Path
		for _, path := range paths {
			for _, name := range strings.Split(step, "|") {
				if name == "[]" {
					next = append(next, path.With(0))
				} else {
					next = append(next, path.With(name))
				}
			}
		}
		paths = next
	}
	return paths
}
