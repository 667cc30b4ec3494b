package plugin_test

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestCompiledOnce checks that modules of one kind have one version of each dependency. Another version of a
// library of Kubernetes means that Go compiles it and all that imports it again, for minutes.
func TestCompiledOnce(t *testing.T) {
	groups := map[string][]string{
		"Argo CD 2": {"e2e/tools/argocd2", "e2e"},
		"Argo CD 3": {"e2e/tools/argocd3", "e2e/applications", "e2e/health/argocd3", "e2e/health/flux",
			"e2e/kustomize/argocd", "e2e/tools/kwok"},
		"Kubernetes":    {"e2e/tools/kubernetes", "e2e/tools/kubectl", "e2e/conformance"},
		"the plugin":    {".", "e2e/stream"},
		"KServe 0.20.0": {"controlplane/kserve-v0.20.0", "hack/upstream/kserve"},
	}
	type use struct{ module, version string }
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		first := map[string]use{}
		for _, module := range groups[group] {
			versions := dependencies(t, module)
			for _, dependency := range slices.Sorted(maps.Keys(versions)) {
				version := versions[dependency]
				its, known := first[dependency]
				switch {
				case !known:
					first[dependency] = use{module, version}
				case its.version != version:
					t.Errorf("%s has %s %s, and %s has %s", module, dependency, version, its.module, its.version)
				}
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
