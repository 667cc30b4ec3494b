package render

import (
	"encoding/json"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/types"
)

// checkPlugins refuses generators, transformers and validators that would run a
// program or load anything remote or outside the root. It checks those written
// inline and in files. For those that another kustomization builds, plugins are
// disabled and the build has no network.
func (k *kustomization) checkPlugins() error {
	for _, list := range []struct {
		field string
		texts []string
	}{
		{"generators", k.Generators},
		{"transformers", k.Transformers},
		{"validators", k.Validators},
	} {
		for _, text := range list.texts {
			if err := k.checkPlugin(list.field, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *kustomization) checkPlugin(field, text string) error {
	objects, isInline := inline(text)
	if !isInline {
		if err := k.checkPath(reference{field, text, text}); err != nil {
			return err
		}
		data, err := k.readFile(filepath.Join(filepath.Dir(k.path), text))
		if err != nil {
			return nil // a directory, or an error that kustomize reports
		}
		objects, _ = inline(string(data))
	}
	for _, object := range objects {
		if !isBuiltin(object) {
			return k.errorf(field, text, "%s: only plugins that are built into kustomize are supported, "+
				"not programs or containers", object.GetKind())
		}
		if object.GetKind() == "HelmChartInflationGenerator" {
			return k.errorf(field, text, "%s: %w", object.GetKind(), errHelm)
		}
		var paths pluginPaths
		data, err := object.MarshalJSON()
		if err != nil || json.Unmarshal(data, &paths) != nil {
			continue // an error that kustomize reports
		}
		for _, r := range paths.references(field) {
			if err := k.checkPath(reference{field, text, r.path}); err != nil {
				return err
			}
		}
	}
	return nil
}

// pluginPaths are the fields of kustomize's built-in plugins that hold paths to
// load (api/internal/builtins@v0.21.1).
type pluginPaths struct {
	Path           string   `json:"path"`
	Paths          []string `json:"paths"`
	TargetFilePath string   `json:"targetFilePath"`
	Replacements   []struct {
		Path string `json:"path"`
	} `json:"replacements"`
	types.KvPairSources `json:",inline"`
}

func (p pluginPaths) references(field string) references {
	var list references
	list.add(field, p.Path, p.TargetFilePath)
	for _, text := range p.Paths {
		list.addPatch(field, text)
	}
	for _, r := range p.Replacements {
		list.add(field, r.Path)
	}
	list.addSources(field, p.KvPairSources)
	return list
}
