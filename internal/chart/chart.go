// Package chart renders Helm charts with the packages of Helm 4.2.1, which Argo CD 3.5.7 renders with. It reads only the
// folder that it is given, reaches no cluster and no network, and starts no process.
package chart

import (
	"cmp"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
)

// helmVersion is what templates see as .Capabilities.HelmVersion.Version.
const helmVersion = "v4.2.1"

// Renderer renders charts.
type Renderer struct{}

// silence drops what Helm logs. It quotes values, which may be Secrets.
var silence = sync.OnceFunc(func() { slog.SetDefault(slog.New(slog.DiscardHandler)) })

// Render renders a chart as helm template --include-crds does (pkg/action/install.go@v4.2.1, RunWithContext).
func (Renderer) Render(in render.Chart) (render.ChartResult, error) {
	silence()
	if err := chartutil.ValidateReleaseName(in.Release); err != nil {
		return render.ChartResult{}, fmt.Errorf("release name %q: at most 53 lower case letters, digits, hyphens and dots; "+
			"set helm-release-name", in.Release)
	}
	files, err := readFiles(in.Files)
	if err != nil {
		return render.ChartResult{}, err
	}
	c, err := load(files, in.MaxExpanded)
	if err != nil {
		return render.ChartResult{}, err
	}
	if err := checkInstallable(c.Chart); err != nil {
		return render.ChartResult{}, err
	}
	values, err := c.values(in)
	if err != nil {
		return render.ChartResult{}, err
	}
	rendered, err := engine.Engine{}.Render(c.Chart, values)
	if err != nil {
		return render.ChartResult{}, err
	}
	manifests, err := c.sort(rendered, in)
	return render.ChartResult{Manifests: manifests}, err
}

// values returns what the templates see: .Values, .Chart, .Release and .Capabilities.
func (l *loaded) values(in render.Chart) (common.Values, error) {
	given, err := mergeValues(in)
	if err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependencies(l.Chart, given); err != nil {
		return nil, err
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.HelmVersion.Version = helmVersion
	capabilities.APIVersions = slices.Concat(capabilities.APIVersions, in.APIVersions)
	if in.KubeVersion != "" {
		version, err := common.ParseKubeVersion(in.KubeVersion)
		if err != nil {
			return nil, fmt.Errorf("helm-kube-version %q: %w", in.KubeVersion, err)
		}
		capabilities.KubeVersion = *version
	}
	options := common.ReleaseOptions{
		Name: in.Release, Namespace: cmp.Or(in.Namespace, "default"), Revision: 1, IsInstall: true,
	}
	values, err := util.ToRenderValuesWithSchemaValidation(l.Chart, given, options, capabilities, true)
	if err != nil {
		return nil, err
	}
	if own, ok := values["Values"].(common.Values); ok && !in.SkipSchemaValidation {
		if err := validate(l.Chart, own); err != nil {
			return nil, err
		}
	}
	if want := l.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, capabilities.KubeVersion.String()) {
		return nil, fmt.Errorf("Chart.yaml: kubeVersion %s does not include Kubernetes %s; see the setting helm-kube-version",
			want, capabilities.KubeVersion.Version)
	}
	return values, nil
}

const notes = "NOTES.txt"

// sort returns the manifests in the order of helm template: CRDs, objects by kind, hooks. NOTES.txt is no manifest.
func (l *loaded) sort(rendered map[string]string, in render.Chart) ([]render.ChartManifest, error) {
	for name := range rendered {
		if strings.HasSuffix(name, notes) {
			delete(rendered, name)
		}
	}
	hooks, objects, err := releaseutil.SortManifests(rendered, nil, releaseutil.InstallOrder)
	if err != nil {
		return nil, err
	}
	sources := l.templates(l.Chart)
	var all []render.ChartManifest
	add := func(source, file, text string) {
		all = append(all, render.ChartManifest{File: file, Data: fmt.Appendf(nil, "---\n# Source: %s\n%s\n", source, text)})
	}
	if !in.SkipCRDs {
		for _, crd := range l.CRDObjects() {
			add(crd.Filename, l.sources[crd.File], string(crd.File.Data))
		}
	}
	for _, object := range objects {
		add(object.Name, sources[object.Name], object.Content)
	}
	for _, hook := range hooks {
		if !in.SkipHooks && (!in.SkipTests || !slices.Contains(hook.Events, release.HookTest)) {
			add(hook.Path, sources[hook.Path], hook.Manifest)
		}
	}
	return all, nil
}

// templates maps the names that Helm gives to the templates of a chart to their files.
func (l *loaded) templates(c *chart.Chart) map[string]string {
	files := map[string]string{}
	for _, template := range c.Templates {
		files[path.Join(c.ChartFullPath(), template.Name)] = l.sources[template]
	}
	for _, sub := range c.Dependencies() {
		for name, file := range l.templates(sub) {
			files[name] = file
		}
	}
	return files
}
