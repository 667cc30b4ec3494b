// Package chart renders Helm charts with the packages of Helm 4.3.1. It reads only the folder that it is given, reaches
// no cluster and no network, and starts no process.
package chart

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
)

// helmVersion is what templates see as .Capabilities.HelmVersion.Version.
const helmVersion = "v4.3.1"

// silence drops what Helm logs, which quotes values and so perhaps Secrets.
var silence = sync.OnceFunc(func() { slog.SetDefault(slog.New(slog.DiscardHandler)) })

// Render renders a chart as helm template --include-crds does (pkg/action/install.go@v4.3.1, RunWithContext). Its error
// is a line without values.
func Render(in Input) (Result, error) {
	silence()
	l := newLoaded(in)
	result, err := l.render(in)
	if err != nil {
		return Result{}, errors.New(in.redact(err, l.files))
	}
	return result, nil
}

func newLoaded(in Input) *loaded {
	return &loaded{sources: map[*common.File]string{}, maxExpanded: in.MaxExpanded}
}

func (l *loaded) render(in Input) (Result, error) {
	var none Result
	if err := chartutil.ValidateReleaseName(in.Release); err != nil {
		return none, fmt.Errorf("release name %q: at most 53 lower case letters, digits, hyphens and dots; "+
			"set helm-release-name", in.Release)
	}
	files, err := readFiles(in.Files)
	if err != nil {
		return none, err
	}
	if err := l.load(files); err != nil {
		return none, err
	}
	if err := checkInstallable(l.Chart); err != nil {
		return none, err
	}
	values, err := l.values(in)
	if err != nil {
		return none, err
	}
	called := map[string]bool{}
	e := engine.Engine{CustomTemplateFuncs: functions(called)}
	rendered, err := e.RenderWithContext(context.Background(), l.Chart, values) // callers abandon it
	if err != nil {
		return none, l.positioned(err)
	}
	manifests, err := l.sort(rendered, in)
	if err != nil {
		return none, l.positioned(err)
	}
	locate(manifests, rendered, func(m *marks) map[string]string { return m.render(in, files) })
	return Result{Manifests: manifests, Warnings: l.warnings(called)}, nil
}

// positioned names the files in an error of a template in place of Helm's names for them.
func (l *loaded) positioned(err error) error {
	text := err.Error()
	for name, file := range l.templates(l.Chart) {
		text = strings.ReplaceAll(text, name, file)
	}
	return errors.New(text)
}

// values returns what the templates see: .Values, .Chart, .Release and .Capabilities.
func (l *loaded) values(in Input) (common.Values, error) {
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
	want, is := l.Metadata.KubeVersion, capabilities.KubeVersion
	if want != "" && !chartutil.IsCompatibleRange(want, is.String()) {
		return nil, inChart(metadataFile, fmt.Errorf("kubeVersion %s does not include Kubernetes %s; "+
			"see the setting helm-kube-version", want, is.Version))
	}
	return values, nil
}

const notes = "NOTES.txt"

// sort returns the manifests in the order of helm template: CRDs, objects by kind, hooks. NOTES.txt is not a manifest.
func (l *loaded) sort(rendered map[string]string, in Input) ([]Manifest, error) {
	for name := range rendered {
		if strings.HasSuffix(name, notes) {
			delete(rendered, name)
		}
	}
	hooks, objects, err := sortManifests(rendered)
	if err != nil {
		return nil, err
	}
	sources := l.templates(l.Chart)
	var all []Manifest
	add := func(source, file, text string) {
		all = append(all, Manifest{File: file, Data: []byte("---\n# Source: " + source + "\n" + text + "\n")})
	}
	if !in.SkipCRDs {
		for _, crd := range l.CRDObjects() {
			add(crd.Filename, l.sources[crd.File], string(crd.File.Data))
		}
	}
	for _, object := range objects {
		add(object.template, sources[object.template], object.text)
	}
	before := len(all)
	if before > 0 { // helm template trims its output before it adds a line end and the hooks
		last := &all[before-1]
		last.Data = append(bytes.TrimSpace(last.Data), '\n')
	}
	for _, hook := range hooks {
		if !in.SkipHooks && (!in.SkipTests || !slices.Contains(hook.Events, release.HookTest)) {
			add(hook.Path, sources[hook.Path], hook.Manifest)
		}
	}
	if before == 0 && len(all) > 0 {
		all[0].Data = append([]byte{'\n'}, all[0].Data...)
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
