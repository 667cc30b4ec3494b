package kustomize

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	imageutil "sigs.k8s.io/kustomize/api/pkg/util"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
)

// edited changes the kustomization as Argo CD does before it builds one, and returns it as YAML. Argo CD runs
// kustomize edit for one option after the other, and appends the patches itself (Build in
// util/kustomize/kustomize.go@v3.5.7; commands/edit in kustomize@v5.8.1). Nothing is written to disk.
func (k *kustomization) edited(in Input) ([]byte, error) {
	k.FixKustomization()
	k.NamePrefix = cmp.Or(in.NamePrefix, k.NamePrefix)
	k.NameSuffix = cmp.Or(in.NameSuffix, k.NameSuffix)
	k.Namespace = cmp.Or(in.Namespace, k.Namespace)
	for _, edit := range []struct {
		setting string
		apply   func(Input) error
	}{
		{"kustomize-images", k.setImages},
		{"kustomize-replicas", k.setReplicas},
		{"kustomize-common-labels", k.addLabels},
		{"kustomize-common-annotations", k.addAnnotations},
		{"kustomize-patches", k.addPatches},
		{"kustomize-components", k.addComponents},
	} {
		if err := edit.apply(in); err != nil {
			return nil, fmt.Errorf("%s: setting %s: %w", k.Show(k.path), edit.setting, err)
		}
	}
	return yaml.Marshal(k.Kustomization)
}

// setImages replaces the images of the same names and sorts all by name (commands/edit/set/setimage.go).
func (k *kustomization) setImages(in Input) error {
	if len(in.Images) == 0 {
		return nil
	}
	images := map[string]types.Image{}
	for _, image := range slices.Backward(k.Images) { // of several with one name, the first counts
		images[image.Name] = image
	}
	before := maps.Clone(images)
	for _, text := range in.Images {
		image, err := parseImage(in.Env.Substitute(text))
		if err != nil {
			return err
		}
		old := before[image.Name]
		keep(&image.NewName, old.NewName)
		keep(&image.NewTag, old.NewTag)
		keep(&image.Digest, old.Digest)
		images[image.Name] = image
	}
	k.Images = nil
	for _, name := range slices.Sorted(maps.Keys(images)) {
		k.Images = append(k.Images, images[name])
	}
	return nil
}

// keep replaces an asterisk, which stands for the value that the kustomization has.
func keep(value *string, old string) {
	if *value == "*" {
		*value = old
	}
}

func parseImage(text string) (types.Image, error) {
	name, value, renamed := strings.Cut(text, "=")
	if !renamed {
		value = text
	}
	base, tag, digest := imageutil.SplitImageName(value)
	switch {
	case base == text:
		return types.Image{}, fmt.Errorf("%q has no new name, tag or digest; write name:tag, name@digest, "+
			"name=other, name=other:tag or name=other@digest", text)
	case renamed:
		return types.Image{Name: name, NewName: base, NewTag: tag, Digest: digest}, nil
	}
	return types.Image{Name: base, NewTag: tag, Digest: digest}, nil
}

// setReplicas replaces the counts of the same names and sorts all by name (commands/edit/set/setreplicas.go).
func (k *kustomization) setReplicas(in Input) error {
	if len(in.Replicas) == 0 {
		return nil
	}
	counts := map[string]int64{}
	for _, r := range slices.Backward(k.Replicas) { // as with images
		counts[r.Name] = r.Count
	}
	for _, text := range in.Replicas {
		name, number, _ := strings.Cut(text, "=")
		count, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not name=count", text)
		}
		counts[name] = count
	}
	k.Replicas = nil
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		k.Replicas = append(k.Replicas, types.Replica{Name: name, Count: counts[name]})
	}
	return nil
}

// addLabels adds to commonLabels, or without selectors to the first entry of labels that has the same switches
// (commands/edit/add/addmetadata.go).
func (k *kustomization) addLabels(in Input) error {
	labels := map[string]string{}
	for name, value := range in.CommonLabels {
		labels[name] = in.Env.Substitute(value)
	}
	switch {
	case len(labels) == 0:
		return nil
	case in.LabelWithoutSelector:
		return add("labels", k.labels(in.LabelIncludeTemplates), labels, in.ForceCommonLabels)
	case in.LabelIncludeTemplates:
		return errors.New("kustomize-label-include-templates needs kustomize-label-without-selector")
	}
	//lint:ignore SA1019 kustomize edit uses it
	return add("labels", &k.CommonLabels, labels, in.ForceCommonLabels)
}

// labels returns the first entry of labels without selectors, which it adds if there is none.
func (k *kustomization) labels(templates bool) *map[string]string {
	i := slices.IndexFunc(k.Labels, func(l types.Label) bool {
		return !l.IncludeSelectors && l.IncludeTemplates == templates
	})
	if i < 0 {
		i = len(k.Labels)
		k.Labels = append(k.Labels, types.Label{IncludeTemplates: templates})
	}
	return &k.Labels[i].Pairs
}

func (k *kustomization) addAnnotations(in Input) error {
	annotations := maps.Clone(in.CommonAnnotations)
	if len(annotations) == 0 {
		return nil
	}
	if in.CommonAnnotationsEnvsubst {
		for name, value := range annotations {
			annotations[name] = in.Env.Substitute(value)
		}
	}
	return add("annotations", &k.CommonAnnotations, annotations, in.ForceCommonAnnotations)
}

// add adds labels or annotations. One that is there already is an error, unless it is to be replaced.
func add(what string, to *map[string]string, entries map[string]string, force bool) error {
	if *to == nil {
		*to = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if _, found := (*to)[name]; found && !force {
			return fmt.Errorf("the kustomization has %s already; the setting kustomize-force-common-%s replaces it",
				name, what)
		}
		(*to)[name] = unquoted(entries[name])
	}
	return nil
}

// unquoted removes the double quotes around a value, as kustomize edit does (trimQuotes in
// commands/internal/util/util.go).
func unquoted(value string) string {
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		return value[1 : len(value)-1]
	}
	return value
}

func (k *kustomization) addPatches(in Input) error {
	if in.Patches == "" {
		return nil
	}
	var patches []types.Patch
	if err := yaml.UnmarshalStrict([]byte(in.Patches), &patches); err != nil {
		return fmt.Errorf("not a list of patches: %s", k.redact(strings.Join(strings.Fields(err.Error()), " ")))
	}
	for _, patch := range patches {
		if patch.Path == "" {
			continue
		}
		if err := k.refusal(references.Reference{Field: "patches", Text: patch.Path, Path: patch.Path}); err != nil {
			return err
		}
	}
	k.Patches = append(k.Patches, patches...)
	return nil
}

// addComponents adds the folders that the globs match, but none twice (commands/edit/add/addcomponent.go).
func (k *kustomization) addComponents(in Input) error {
	for _, pattern := range in.Components {
		if at := filepath.Join(k.Base, pattern); in.IgnoreMissingComponents && !k.Exists(at) {
			if !filepath.IsLocal(k.Rel(at)) {
				k.warnings = append(k.warnings, fmt.Sprintf("component %q is outside the root, so it is left out", pattern))
			}
			continue
		}
		folders, err := k.glob(pattern)
		if err != nil {
			return err
		}
		for _, folder := range folders {
			if err := k.refusal(references.Reference{Field: "components", Text: folder, Path: folder}); err != nil {
				return err
			}
			if !slices.Contains(k.Components, folder) {
				k.Components = append(k.Components, folder)
			}
		}
	}
	return nil
}

// glob returns what a glob matches, relative to the kustomization, or else the glob itself.
func (k *kustomization) glob(pattern string) ([]string, error) {
	if !strings.ContainsAny(pattern, `*?[\`) || references.IsRemote(pattern) {
		return []string{pattern}, nil
	}
	base := filepath.ToSlash(k.Rel(k.Base))
	matches, err := fs.Glob(k.Tree.Root.FS(), path.Join(escaped(base), filepath.ToSlash(pattern)))
	if err != nil {
		return nil, fmt.Errorf("%q is not a glob", pattern)
	}
	if len(matches) == 0 {
		return nil, fmt.Errorf("nothing matches %s", pattern)
	}
	for i, match := range matches {
		if matches[i], err = filepath.Rel(base, match); err != nil {
			return nil, err
		}
	}
	return matches, nil
}

// escaped returns a glob that matches only the path.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}
