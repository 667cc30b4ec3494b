package kustomize

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize/references"
)

const (
	helmCharts    = "helmCharts"
	helmGenerator = "HelmChartInflationGenerator"
)

// helmChart is a chart of a kustomization, as kustomize's HelmChartInflationGenerator is configured
// (api/internal/builtins/HelmChartInflationGenerator.go@v0.21.2, which starts Helm as a child).
type helmChart struct {
	types.HelmGlobals `json:",inline"`
	types.HelmChart   `json:",inline"`

	field, text string // where messages point to: a field of the kustomization and a text in it
	inline      bool   // for one under generators: whether it isn't in a file of its own
}

// withCharts returns the kustomization as kustomize is to read it: with a component in place of its charts. kustomize
// adds a component's objects after those that it generates, so they come where those of the charts would come. The
// namespace is that of the kustomizations above.
func (k *kustomization) withCharts(namespace string) ([]byte, error) {
	k.FixKustomization() // moves those of helmChartInflationGenerator to helmCharts
	var own []helmChart
	for _, named := range k.HelmCharts {
		c := helmChart{HelmChart: named, field: helmCharts, text: named.Name}
		if k.HelmGlobals != nil {
			c.HelmGlobals = *k.HelmGlobals
		}
		c.Namespace = cmp.Or(c.Namespace, k.Namespace, namespace)
		own = append(own, c)
	}
	var objects []byte
	for _, c := range append(own, k.generatorCharts...) {
		data, err := k.inflate(c)
		if err != nil {
			return nil, err
		}
		objects = append(objects, data...)
	}
	result := k.Kustomization
	result.Generators, result.HelmCharts = k.otherGenerators, nil
	result.HelmGlobals = &types.HelmGlobals{ChartHome: types.HelmDefaultHome} // kustomize refuses an empty kustomization
	if len(objects) > 0 {
		name, err := k.addComponent(objects)
		if err != nil {
			return nil, err
		}
		result.Components = append([]string{name}, k.Components...)
	}
	return yaml.Marshal(result)
}

// addComponent lets kustomize see the folder of a component with the objects. It exists only for kustomize.
func (k *kustomization) addComponent(objects []byte) (name string, err error) {
	name = fmt.Sprintf(".helm-charts-%d", len(k.components))
	dir := filepath.Join(filepath.Dir(k.path), name)
	k.components[dir] = true
	k.schema.File(objects)
	k.cache[filepath.Join(dir, "objects.yaml")] = objects
	k.cache[filepath.Join(dir, konfig.DefaultKustomizationFileName())], err = yaml.Marshal(types.Kustomization{
		TypeMeta:  types.TypeMeta{APIVersion: types.ComponentVersion, Kind: types.ComponentKind},
		Resources: []string{"objects.yaml"},
	})
	return name, err
}

// setOrigin gives an object of a chart the annotation that kustomize gives it, with buildMetadata: [originAnnotations].
func (c *confined) setOrigin(object *resource.Resource) error {
	origin, err := object.GetOrigin()
	if err != nil || origin == nil {
		return err
	}
	dir := filepath.Dir(filepath.Join(c.Base, origin.Path))
	if !c.components[dir] {
		return nil
	}
	k := c.kustomizations[filepath.Dir(dir)]
	above := filepath.Dir(filepath.Dir(origin.Path))
	made := resource.Origin{ConfiguredIn: filepath.Join(above, filepath.Base(k.path))}
	made.ConfiguredBy.APIVersion, made.ConfiguredBy.Kind = konfig.BuiltinPluginApiVersion, helmGenerator
	return object.SetOrigin(&made)
}

// next returns what kustomize is to read of the kustomization this time.
func (k *kustomization) next(data []byte) ([]byte, error) {
	k.visited = append(k.visited, filepath.Dir(k.path))
	if len(k.HelmCharts)+len(k.HelmChartInflationGenerator)+len(k.generatorCharts) == 0 {
		return data, nil
	}
	return k.withCharts(k.inheritedNamespace())
}

// inflate renders a chart, and returns its objects with the mark that keeps kustomize from changing their namespaces.
func (k *kustomization) inflate(c helmChart) ([]byte, error) {
	in, err := k.chart(c)
	if err != nil {
		return nil, k.errorf(c.field, c.text, "%w", err)
	}
	dir := k.chartDir(c)
	defer log.SetOutput(log.Writer()) // slog.SetDefault, which package chart calls, changes it
	rendered, err := chart.Render(in)
	if err != nil {
		return nil, k.errorf(c.field, c.text, "%s: helm: %s", k.Show(dir), fieldNames.Replace(err.Error()))
	}
	for _, warning := range rendered.Warnings {
		k.warnings = append(k.warnings, k.Show(dir)+": "+warning)
	}
	var all bytes.Buffer
	for _, m := range rendered.Manifests {
		file := k.Show(filepath.Join(dir, filepath.FromSlash(m.File)))
		objects, err := references.Parse(m.Data)
		if err != nil {
			return nil, k.errorf(c.field, c.text, "%s: %s", file, in.Redact(err))
		}
		for _, object := range objects {
			data, err := marked(object)
			if err != nil {
				return nil, k.errorf(c.field, c.text, "%s: %w", file, err)
			}
			all.WriteString("---\n")
			all.Write(data)
		}
		k.inflated = append(k.inflated, origin{file: file, data: m.Data, rendered: true})
	}
	return all.Bytes(), nil
}

// fieldNames turns the names of settings in the engine's errors into those of a chart in a kustomization.
var fieldNames = strings.NewReplacer("helm-release-name", "releaseName", "helm-kube-version", "kubeVersion")

// marked returns an object with the annotation of those that a chart made.
func marked(object *resource.Resource) ([]byte, error) {
	if err := object.PipeE(kyaml.SetAnnotation(konfig.HelmGeneratedAnnotation, "true")); err != nil {
		return nil, err
	}
	return manifest(object)
}

// chartDir returns the folder of a chart.
func (k *kustomization) chartDir(c helmChart) string {
	home := cmp.Or(c.ChartHome, types.HelmDefaultHome)
	if !filepath.IsAbs(home) {
		home = filepath.Join(filepath.Dir(k.path), home)
	}
	if c.Version != "" && c.Repo != "" {
		home = filepath.Join(home, c.Name+"-"+c.Version)
	}
	return filepath.Join(home, c.Name)
}

// chart returns what a chart is rendered with: what kustomize gives to helm template.
func (k *kustomization) chart(c helmChart) (chart.Input, error) {
	switch {
	case c.Name == "":
		return chart.Input{}, errors.New("a chart without a name")
	case c.ValuesMerge != "" && !slices.Contains(valuesMerges, c.ValuesMerge):
		return chart.Input{}, fmt.Errorf("valuesMerge is %q; it must be one of %s", c.ValuesMerge, strings.Join(valuesMerges, ", "))
	}
	dir := k.chartDir(c)
	if _, err := k.Resolve(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return chart.Input{}, err
	}
	if !k.IsDir(dir) {
		return chart.Input{}, fmt.Errorf("%s: no such chart; nothing is fetched, so copy it into the repository: %s",
			k.Show(dir), pull(c, k.Show(filepath.Dir(dir))))
	}
	release, err := releaseName(c.HelmChart)
	if err != nil {
		return chart.Input{}, err
	}
	values, err := k.chartValues(c)
	if err != nil {
		return chart.Input{}, err
	}
	versions := c.ApiVersions
	if len(versions) == 0 {
		versions = k.input.Env.APIVersions(k.input.APIVersions)
	}
	return chart.Input{
		Files:       k.Folder(dir),
		Release:     release,
		Namespace:   c.Namespace,
		KubeVersion: cmp.Or(c.KubeVersion, k.input.Env.KubeVersion(k.input.KubeVersion)),
		APIVersions: versions,
		Values:      values,
		SkipCRDs:    !c.IncludeCRDs,
		SkipHooks:   c.SkipHooks,
		SkipTests:   c.SkipTests,
		MaxExpanded: k.input.MaxCopied,
	}, nil
}

// pull returns the command that copies a chart into a folder.
func pull(c helmChart, folder string) string {
	command := "helm pull " + c.Name
	switch {
	case c.Repo == "":
		command += " --repo ADDRESS"
	case strings.HasPrefix(c.Repo, "oci://"):
		command = "helm pull " + strings.TrimSuffix(withoutUser(c.Repo), "/") + "/" + c.Name
	default:
		command += " --repo " + withoutUser(c.Repo)
	}
	if c.Version != "" {
		command += " --version " + c.Version
	}
	return command + " --untar --untardir " + folder
}

// releaseName returns the name of the release. Helm would make up another one for each run if there is none.
func releaseName(c types.HelmChart) (string, error) {
	switch {
	case c.ReleaseName == "" && c.NameTemplate == "":
		return "", errors.New("no releaseName; Helm makes up another name for each run, so set it")
	case c.NameTemplate == "":
		return c.ReleaseName, nil
	case c.ReleaseName != "":
		return "", errors.New("both releaseName and nameTemplate; Helm accepts one of them")
	}
	parsed, err := template.New("nameTemplate").Parse(c.NameTemplate)
	if err != nil {
		return "", fmt.Errorf("%w; functions are not supported here, so set releaseName", err)
	}
	var name strings.Builder
	err = parsed.Execute(&name, nil)
	return name.String(), err
}

// inheritedNamespace returns the namespace that kustomize gives to the charts of the kustomization that it has read
// last: that of the nearest kustomization above with one. kustomize reads a kustomization each time that another one
// names it, so its place among those read so far tells which one did.
func (c *confined) inheritedNamespace() string {
	type frame struct {
		namespace string
		folders   []string // that it has still to read
	}
	var above []frame
	namespace := ""
	for _, dir := range c.visited {
		namespace = ""
		for len(above) > 0 {
			last := &above[len(above)-1]
			if i := slices.Index(last.folders, dir); i >= 0 {
				last.folders = last.folders[i+1:]
				namespace = last.namespace
				break
			}
			above = above[:len(above)-1]
		}
		k := c.kustomizations[dir]
		above = append(above, frame{cmp.Or(k.Namespace, namespace), k.folders()})
	}
	return namespace
}

// folders returns the folders that the kustomization names, in the order in which kustomize reads them.
func (k *kustomization) folders() []string {
	//lint:ignore SA1019 kustomize still reads it
	bases := k.Bases
	var folders []string
	for _, path := range slices.Concat(k.Resources, bases, k.Generators, k.Components, k.Transformers, k.Validators) {
		if folder, err := k.Resolve(filepath.Join(filepath.Dir(k.path), path)); err == nil && k.IsDir(folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}
