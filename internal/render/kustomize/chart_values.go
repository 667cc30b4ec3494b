package kustomize

import (
	"fmt"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
)

// chartValues returns the values in the order in which helm template gets them: the file or the chart's own, merged
// with the inline ones, and the additional files.
func (k *kustomization) chartValues(c helmChart) ([]chart.Values, error) {
	file := filepath.Join(filepath.Dir(k.path), c.ValuesFile)
	switch {
	case c.ValuesFile == "":
		file = filepath.Join(k.chartDir(c), "values.yaml")
	case filepath.IsAbs(c.ValuesFile):
		file = c.ValuesFile
	}
	first := chart.Values{Name: k.Show(file)}
	var err error
	if len(c.ValuesInline) > 0 && c.ValuesMerge == "replace" {
		first = chart.Values{Name: "valuesInline"}
	} else if first.Data, err = k.valuesFile(file); err != nil {
		return nil, err
	}
	if len(c.ValuesInline) > 0 {
		if first.Data, err = mergeInline(first.Data, c.HelmChart); err != nil {
			return nil, fmt.Errorf("valuesInline can't be merged with %s: one has a map where the other has none",
				first.Name)
		}
	}
	all := []chart.Values{first}
	for _, path := range c.AdditionalValuesFiles {
		file := filepath.Join(filepath.Dir(k.path), path)
		data, err := k.valuesFile(file)
		if err != nil {
			return nil, fmt.Errorf("additionalValuesFiles: %w", err)
		}
		all = append(all, chart.Values{Name: k.Show(file), Data: data})
	}
	return all, nil
}

// valuesFile reads a file that kustomize loads itself, and so with its restriction.
func (k *kustomization) valuesFile(file string) ([]byte, error) {
	real, err := k.Resolve(file)
	if err != nil {
		return nil, err
	}
	if dir, err := k.Resolve(filepath.Dir(k.path)); err == nil && !k.mayLoad(dir, real) {
		return nil, fmt.Errorf("%s: %w", k.Show(file), errRestricted)
	}
	data, err := k.Read(file)
	if err != nil {
		return nil, err
	}
	if err := k.aliases.add(k.Show(file), data); err != nil {
		return nil, err
	}
	return data, nil
}

// valuesMerges are the values of valuesMerge; override is the default.
var valuesMerges = []string{"override", "merge", "replace"}

// mergeInline merges the inline values with those of a file (replaceValuesInline in
// api/internal/builtins/HelmChartInflationGenerator.go@v0.21.2).
func mergeInline(file []byte, c types.HelmChart) ([]byte, error) {
	if c.ValuesMerge == "replace" {
		return yaml.Marshal(c.ValuesInline)
	}
	values, err := kyaml.Parse(string(file))
	if err != nil {
		return nil, err
	}
	inline, err := kyaml.FromMap(c.ValuesInline)
	if err != nil {
		return nil, err
	}
	var merged *kyaml.RNode
	if c.ValuesMerge == "merge" {
		merged, err = merge2.Merge(values, inline, kyaml.MergeOptions{})
	} else {
		merged, err = merge2.Merge(inline, values, kyaml.MergeOptions{})
	}
	if err != nil {
		return nil, err
	}
	result, err := merged.Map()
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(result)
}
