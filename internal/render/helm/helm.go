// Package helm renders charts as Argo CD does: it reads what the fields of spec.source.helm name, and gives it to the
// engine in package chart.
package helm

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/buildenv"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// Name is the renderer of the files.
const Name = "helm"

// Options are what Argo CD's spec.source.helm has (ApplicationSourceHelm in
// pkg/apis/application/v1alpha1/types.go@v3.5.7).
type Options struct {
	ReleaseName string // default: the application's name, else release-name
	Namespace   string // default: Input.AppNamespace, else default

	ValuesFiles              []string // paths or globs, relative to the chart or, with a slash at the start, to the root
	IgnoreMissingValuesFiles bool
	Values                   string            // YAML; above the files
	Parameters               []chart.Parameter // above Values; the form Contents has the path of a file as its value

	KubeVersion string   // default: KUBE_VERSION, which Argo CD sets
	APIVersions []string // default: KUBE_API_VERSIONS

	SkipCRDs, SkipTests, SkipSchemaValidation bool
}

// Refuse returns an error if values are set for a directory that is not a chart.
func (o Options) Refuse(named, source string) error {
	if len(o.ValuesFiles)+len(o.Values)+len(o.Parameters) == 0 {
		return nil
	}
	return fmt.Errorf("%s: values for Helm are set, but its source is %s; remove them, or set source: helm", named, source)
}

// Input is what a chart is rendered with.
type Input struct {
	Options
	AppNamespace string // of the application
	MaxCopied    int64  // the maximum number of bytes that the archives of a chart may make; 0 means no limit
	Env          buildenv.Env
}

// Render renders the chart in the named directory, and returns one file per object and warnings, one line each.
func Render(ctx context.Context, t *tree.Tree, in Input) (files []transform.File, warnings []string, err error) {
	c, err := in.chart(t)
	if err != nil {
		return nil, nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	rendered, err := chart.Render(c)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: helm: %w", t.Named, err)
	}
	for _, warning := range rendered.Warnings {
		warnings = append(warnings, t.Named+": "+warning)
	}
	show := func(file string) string { return t.Show(filepath.Join(t.Base, filepath.FromSlash(file))) }
	for _, m := range rendered.Manifests {
		files = append(files, transform.File{
			Path: show(m.File), Data: m.Data, Renderer: Name,
			FindSource: func(_ yamldoc.Path, line int) transform.Source {
				source := m.FindSource(line)
				return transform.Source{Path: show(source.File), Line: source.Line, Value: source.Value}
			},
		})
	}
	return files, warnings, nil
}

// chart returns what the engine renders the chart in the named directory with.
func (in Input) chart(t *tree.Tree) (chart.Input, error) {
	c := chart.Input{
		Files:       t.Folder(t.Base),
		Release:     cmp.Or(in.ReleaseName, in.Env.AppName(), "release-name"),
		Namespace:   cmp.Or(in.Namespace, in.AppNamespace),
		KubeVersion: in.Env.KubeVersion(in.KubeVersion), APIVersions: in.Env.APIVersions(in.APIVersions),
		SkipCRDs: in.SkipCRDs, SkipTests: in.SkipTests, SkipSchemaValidation: in.SkipSchemaValidation,
		MaxExpanded: in.MaxCopied,
	}
	files, err := in.valuesFiles(t)
	if err != nil {
		return chart.Input{}, err
	}
	for _, file := range files {
		data, err := t.Read(file)
		if err != nil {
			return chart.Input{}, err
		}
		c.Values = append(c.Values, chart.Values{Name: t.Show(file), Data: data})
	}
	if in.Values != "" {
		c.Values = append(c.Values, chart.Values{Name: "helm-values", Data: []byte(in.Values)})
	}
	for _, p := range in.Parameters {
		if p.Form != chart.Contents {
			p.Value = in.Env.Substitute(p.Value)
		} else {
			file, err := in.path(t, "helm-file-parameters", p.Value)
			if err != nil {
				return chart.Input{}, err
			}
			data, err := t.Read(file)
			if err != nil {
				return chart.Input{}, err
			}
			p.Value = string(data)
		}
		c.Parameters = append(c.Parameters, p)
	}
	return c, nil
}
