package kustomize

import (
	"fmt"
	"path/filepath"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// addPatches adds the files with strategic merge patches of the kustomization k.
func (all *origins) addPatches(k *kustomization, dir, prefix, suffix string) {
	var paths []string
	inline := func(data string) {
		*all = append(*all, origin{file: k.Show(k.path), data: []byte(data), prefix: prefix, suffix: suffix, inline: true})
	}
	for _, patch := range k.Patches {
		paths = append(paths, patch.Path)
		if patch.Target != nil {
			inline(fmt.Sprintf("{kind: %q, metadata: {name: %q}}", patch.Target.Kind, patch.Target.Name))
		} else {
			inline(patch.Patch)
		}
	}
	//lint:ignore SA1019 kustomize still reads the deprecated field
	for _, patch := range k.PatchesStrategicMerge {
		paths = append(paths, string(patch))
	}
	for _, path := range paths {
		path = filepath.Join(dir, path)
		if data, isFile := k.cache[path]; isFile {
			*all = append(*all, origin{file: k.Show(path), data: data, prefix: prefix, suffix: suffix, patch: true})
		}
	}
}

// patches maps a build's objects to the patches that name them, in files. Those that only a target selects are
// not there.
func (all origins) patches() map[identity][]original {
	found := map[identity][]original{}
	for _, from := range all {
		if from.patch {
			for id, node := range from.objects() {
				found[id] = append(found[id], original{file: from.file, node: node})
			}
		}
	}
	return found
}

// naming maps a build's objects to the files with patches that name them or their target.
func (all origins) naming() map[identity][]string {
	found := map[identity][]string{}
	for _, from := range all {
		if !from.patch && !from.inline {
			continue
		}
		for id := range from.objects() {
			if !slices.Contains(found[id], from.file) {
				found[id] = append(found[id], from.file)
			}
		}
	}
	return found
}

// source returns where what is at a path in a rendered object comes from: the last patch that gives it this value, else
// the original.
func (o original) source(patches []original, data []byte, at yamldoc.Path) transform.Source {
	found := transform.Source{Path: o.file, Line: o.line(data, at)}
	var document yaml.Node
	if len(patches) == 0 || o.node == nil || yaml.Unmarshal(data, &document) != nil {
		return found
	}
	made := document.Content[0]
	_, _, before := follow(o.node, made, at)
	for _, patch := range patches {
		key, is, value := follow(patch.node, made, at)
		if key == nil || is == nil || before != nil && (is.Kind != yaml.ScalarNode || before.Value == is.Value) {
			continue
		}
		if value.Kind == is.Kind && value.Value == is.Value {
			found = transform.Source{Path: patch.file, Line: key.Line}
		}
	}
	return found
}

// follow returns the key and the value at a path in n, and what is there in the rendered object. They are nil where the
// path leads to nothing.
func follow(n, rendered *yaml.Node, at yamldoc.Path) (key, made, value *yaml.Node) {
	key, made, value = n, rendered, n
	for _, step := range at {
		switch step := step.(type) {
		case string:
			key, value = entry(value, step)
			made = field(made, step)
		case int:
			value, made = counterpart(value, made, step)
			key = value
		}
		if key == nil || made == nil {
			return nil, nil, nil
		}
	}
	return key, made, value
}
