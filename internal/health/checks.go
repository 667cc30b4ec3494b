package health

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/mod/semver"

	customizations "github.com/argocd-kserve-plugin/argocd-kserve-plugin/resource_customizations"
)

// Group is the API group of KServe.
const Group = "serving.kserve.io"

// Kinds are the kinds of serving.kserve.io that have a check.
var Kinds = []string{"InferenceService", "InferenceGraph", "TrainedModel", "LLMInferenceService", "LocalModelCache",
	"LocalModelNamespaceCache"}

// Checks are health checks by kind of serving.kserve.io.
type Checks map[string]Check

// Ours are the checks of this project.
func Ours() (Checks, error) {
	return load(customizations.Lua, "serving.kserve.io health check", false)
}

// Bundled returns the checks inside a release of Argo CD (x.y.z, or x.y for its newest patch), and the release they
// were taken from. "unknown" means the newest release known. The checks did not change from 2.13 to 3.0.20, 3.1.9 and
// 3.2.0, nor from 3.0.21, 3.1.10 and 3.2.1 on; older ones are not available: source is "" then.
func Bundled(argocd string) (checks Checks, source string, err error) {
	minor := semver.MajorMinor("v" + argocd)
	source = "3.5.7"
	switch {
	case Before(argocd, "v2.13.0"):
		return Checks{}, "", nil
	case Before(argocd, "v3.0.21"),
		minor == "v3.1" && Before(argocd, "v3.1.10"),
		minor == "v3.2" && Before(argocd, "v3.2.1"):
		source = "2.14.21"
	}
	tree, err := fs.Sub(customizations.ArgoCD, "argocd/"+source)
	if err != nil {
		return nil, "", err
	}
	checks, err = load(tree, "Argo CD "+source, true)
	return checks, source, err
}

// Before reports whether a release of Argo CD is older than another. An unknown one is the newest.
func Before(argocd, release string) bool {
	version := "v" + argocd
	if version == semver.MajorMinor(version) {
		version += ".999"
	}
	return semver.IsValid(version) && semver.Compare(version, release) < 0
}

func load(tree fs.FS, origin string, openLibs bool) (Checks, error) {
	checks := Checks{}
	for _, kind := range Kinds {
		path := Group + "/" + kind + "/health.lua"
		source, err := fs.ReadFile(tree, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		check, err := Compile(path, string(source), openLibs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", origin, err)
		}
		checks[kind] = check
	}
	return checks, nil
}
