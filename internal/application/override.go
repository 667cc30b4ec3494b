package application

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"

	"sigs.k8s.io/yaml"
)

// Overridden returns the source with what the files .argocd-source.yaml and .argocd-source-<application>.yaml in its
// folder change, which readFile reads (mergeSourceParameters in reposerver/repository/repository.go@v3.5.7). They
// cannot change where the source is.
func (s Source) Overridden(application string, readFile func(path string) ([]byte, error)) (Source, error) {
	merged := s
	for _, name := range []string{".argocd-source.yaml", ".argocd-source-" + application + ".yaml"} {
		name = path.Join(s.Path, name)
		patch, err := readFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			merged, err = merged.patched(patch)
		}
		if err != nil {
			return Source{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	merged.Chart, merged.Path, merged.RepoURL, merged.TargetRevision = s.Chart, s.Path, s.RepoURL, s.TargetRevision
	return merged, nil
}

// patched applies a JSON merge patch, RFC 7396, in YAML.
func (s Source) patched(patch []byte) (Source, error) {
	var target, changes any
	data, err := json.Marshal(s)
	if err != nil {
		return Source{}, err
	}
	if err := json.Unmarshal(data, &target); err != nil {
		return Source{}, err
	}
	if err := yaml.Unmarshal(patch, &changes); err != nil {
		return Source{}, err
	}
	if changes == nil {
		return s, nil
	}
	if data, err = json.Marshal(mergePatch(target, changes)); err != nil {
		return Source{}, err
	}
	var merged Source
	err = json.Unmarshal(data, &merged)
	return merged, mistyped(err)
}

func mergePatch(target, patch any) any {
	changes, isMapping := patch.(map[string]any)
	if !isMapping {
		return patch
	}
	mapping, _ := target.(map[string]any)
	all := map[string]any{}
	maps.Copy(all, mapping)
	for name, value := range changes {
		if value == nil {
			delete(all, name)
			continue
		}
		all[name] = mergePatch(all[name], value)
	}
	return all
}
