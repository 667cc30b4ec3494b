package plugin_test

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// ownVersions are the modules whose dependencies may have other versions than those of their group, with the reason.
var ownVersions = map[string]string{
	"e2e/conformance/judge/kserve-v0.13.1": "the judge needs controller-runtime 0.18, and KServe 0.13.1 needs 0.16",
}

// TestCompiledOnce checks that the programs of a release have one version of each dependency. Another version of a
// library of Kubernetes means that Go compiles it and all that imports it again, for minutes.
func TestCompiledOnce(t *testing.T) {
	groups := map[string][]string{
		"Argo CD 2": {"e2e/tools/argocd2", "e2e"},
		"Argo CD 3": {"e2e/tools/argocd3", "e2e/applications", "e2e/health/argocd3", "e2e/health/flux",
			"e2e/kustomize/argocd", "e2e/tools/kwok"},
		"Kubernetes": {"e2e/tools/kubernetes", "e2e/tools/kubectl", "e2e/conformance"},
		"the plugin": {".", "e2e/stream"},
		// The other modules of the releases follow.
		"kserve-v0.20.0": {"hack/upstream/kserve"},
	}
	for _, dir := range []string{"e2e/tools", "e2e/conformance/judge", "e2e/statuses", "controlplane"} {
		found, err := filepath.Glob(filepath.Join(dir, "kserve-v*"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", dir, found, err)
		}
		for _, name := range found {
			release := filepath.Base(name)
			groups[release] = append(groups[release], filepath.ToSlash(name))
		}
	}
	type use struct{ module, version string }
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		first := map[string]use{}
		for _, module := range groups[group] {
			reason, own := ownVersions[module]
			differs := false
			versions := dependencies(t, module)
			for _, dependency := range slices.Sorted(maps.Keys(versions)) {
				version := versions[dependency]
				its, known := first[dependency]
				switch {
				case !known && !own:
					first[dependency] = use{module, version}
				case known && its.version != version && own:
					differs = true
				case known && its.version != version:
					t.Errorf("%s has %s %s, and %s has %s", module, dependency, version, its.module, its.version)
				}
			}
			if own && !differs {
				t.Errorf("%s has the versions of its group, so take this out of the list: %s", module, reason)
			}
		}
	}
}

// dependencies returns the versions of the modules that a module is built with, by their paths.
func dependencies(t *testing.T, module string) map[string]string {
	t.Helper()
	name := path.Join(module, "go.mod")
	file, err := modfile.Parse(name, []byte(read(t, name)), nil)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, require := range file.Require {
		versions[require.Mod.Path] = require.Mod.Version
	}
	for _, replace := range file.Replace {
		if _, required := versions[replace.Old.Path]; !required {
			continue
		}
		switch {
		case replace.New.Version == "":
			delete(versions, replace.Old.Path) // a folder of the repository
		case replace.Old.Version == "" || replace.Old.Version == versions[replace.Old.Path]:
			versions[replace.Old.Path] = strings.TrimPrefix(replace.New.String(), replace.Old.Path+"@")
		}
	}
	return versions
}
