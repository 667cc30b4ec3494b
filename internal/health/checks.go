package health

import (
	"fmt"
	"io/fs"

	bundled2 "github.com/argoproj/argo-cd/v2/resource_customizations"
	bundled3 "github.com/argoproj/argo-cd/v3/resource_customizations"
	"golang.org/x/mod/semver"

	customizations "github.com/argocd-kserve-plugin/argocd-kserve-plugin/resource_customizations"
)

const group = "serving.kserve.io"

// Kinds are the kinds of serving.kserve.io that have a check.
var Kinds = []string{"InferenceService", "InferenceGraph", "TrainedModel", "LLMInferenceService", "LocalModelCache"}

// Checks are health checks by kind of serving.kserve.io.
type Checks map[string]Check

// Ours are the checks of this project.
func Ours() (Checks, error) {
	return load(customizations.Lua, "serving.kserve.io health check", false)
}

// Bundled are the checks inside the given release of Argo CD, and the release they were taken from.
// An unknown version ("") means the newest one known. The checks did not change from 2.13 to 3.0.20,
// 3.1.9 and 3.2.0, nor from 3.0.21, 3.1.10 and 3.2.1 on; older ones are not at hand: source is "".
func Bundled(argocd Version) (checks Checks, source string, err error) {
	switch {
	case argocd == "":
	case argocd.before("v2.13.0"):
		return Checks{}, "", nil
	case argocd.before("v3.0.21"),
		argocd.minor() == "v3.1" && argocd.before("v3.1.10"),
		argocd.minor() == "v3.2" && argocd.before("v3.2.1"):
		checks, err = load(bundled2.Embedded, "Argo CD 2.14.21", true)
		return checks, "2.14.21", err
	}
	checks, err = load(bundled3.Embedded, "Argo CD 3.5.7", true)
	return checks, "3.5.7", err
}

func load(tree fs.FS, origin string, openLibs bool) (Checks, error) {
	checks := Checks{}
	for _, kind := range Kinds {
		path := group + "/" + kind + "/health.lua"
		source, err := fs.ReadFile(tree, path)
		if err != nil {
			continue
		}
		check, err := compile(path, string(source), openLibs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", origin, err)
		}
		checks[kind] = check
	}
	return checks, nil
}

// Version is a release as golang.org/x/mod/semver writes it, or "" for unknown.
type Version string

// ParseVersion reads x.y.z, vx.y.z, x.y or unknown. x.y means every patch release of it, so it is
// newer than any one of them.
func ParseVersion(text string) (Version, error) {
	if text == "" || text == "unknown" {
		return "", nil
	}
	version := text
	if version[0] != 'v' {
		version = "v" + version
	}
	if !semver.IsValid(version) || semver.MajorMinor(version) == "" || version == semver.Major(version) {
		return "", fmt.Errorf("version %q: write it as 3.5.7, v3.5.7, 3.5 or unknown", text)
	}
	if version == semver.MajorMinor(version) {
		version += ".999"
	}
	return Version(version), nil
}

func (v Version) before(release string) bool {
	return v != "" && semver.Compare(string(v), release) < 0
}

func (v Version) minor() string { return semver.MajorMinor(string(v)) }
