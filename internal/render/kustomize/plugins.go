package kustomize

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
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
	slices.SortStableFunc(k.generatorCharts, func(a, b helmChart) int { // kustomize runs generators from files last
		switch {
		case a.inline == b.inline:
			return 0
		case a.inline:
			return -1
		}
		return 1
	})
	return nil
}

func (k *kustomization) checkPlugin(field, text string) error {
	objects, isInline := references.Inline(text)
	if !isInline {
		if err := k.checkPath(references.Reference{Field: field, Text: text, Path: text}); err != nil {
			return err
		}
		// A directory is not read here, and other errors are kustomize's to report.
		if data, err := k.Read(filepath.Join(filepath.Dir(k.path), text)); err == nil {
			objects, _ = references.Inline(string(data))
		}
	}
	if field == "generators" {
		if err := k.takeCharts(text, objects, isInline); err != nil {
			return err
		}
	}
	for _, object := range objects {
		if !isBuiltin(object) {
			return k.errorf(field, text, "%s: only plugins that are built into kustomize are supported, "+
				"not programs or containers", object.GetKind())
		}
		var paths pluginPaths
		data, err := object.MarshalJSON()
		if err != nil || json.Unmarshal(data, &paths) != nil {
			continue // an error that kustomize reports
		}
		for _, r := range paths.references(field) {
			if err := k.checkPath(references.Reference{Field: field, Text: text, Path: r.Path}); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeCharts separates the charts under generators from the other generators, which kustomize runs.
func (k *kustomization) takeCharts(text string, objects []*resource.Resource, isInline bool) error {
	var others []string
	for _, object := range objects {
		data, err := object.AsYAML()
		if err != nil {
			return k.errorf("generators", text, "%w", err)
		}
		if !isBuiltin(object) || object.GetKind() != helmGenerator {
			others = append(others, string(data))
			continue
		}
		chart := helmChart{field: "generators", text: text, inline: isInline}
		if err := yaml.Unmarshal(data, &chart); err != nil {
			return k.errorf("generators", text, "%s", k.redact(strings.Join(strings.Fields(err.Error()), " ")))
		}
		k.generatorCharts = append(k.generatorCharts, chart)
	}
	switch {
	case len(others) == len(objects):
		k.otherGenerators = append(k.otherGenerators, text)
	case len(others) > 0:
		k.otherGenerators = append(k.otherGenerators, strings.Join(others, "---\n"))
	}
	return nil
}

// pluginPaths are the fields of kustomize's built-in plugins that hold paths to
// load (api/internal/builtins@v0.21.2).
type pluginPaths struct {
	Path           string   `json:"path"`
	Paths          []string `json:"paths"`
	TargetFilePath string   `json:"targetFilePath"`
	Replacements   []struct {
		Path string `json:"path"`
	} `json:"replacements"`
	types.KvPairSources `json:",inline"`
}

func (p pluginPaths) references(field string) references.List {
	var list references.List
	list.Add(field, p.Path, p.TargetFilePath)
	for _, text := range p.Paths {
		list.AddPatch(field, text)
	}
	for _, r := range p.Replacements {
		list.Add(field, r.Path)
	}
	list.AddSources(field, p.KvPairSources)
	return list
}
