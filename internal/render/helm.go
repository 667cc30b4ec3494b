package render

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// HelmOptions are what Argo CD's spec.source.helm has (ApplicationSourceHelm in
// pkg/apis/application/v1alpha1/types.go@v3.5.7).
type HelmOptions struct {
	// Charts renders charts. Without it a source with a chart fails with ErrNeedsCharts.
	Charts Charts

	ReleaseName string // default: the application's name, else release-name
	Namespace   string // default: Helm's own, default

	ValuesFiles              []string // paths or globs, relative to the chart or, with a slash at the start, to the root
	IgnoreMissingValuesFiles bool
	Values                   string           // YAML; above the files
	Parameters               []ChartParameter // above Values; the form Contents has the path of a file as its value

	KubeVersion string
	APIVersions []string

	SkipCRDs, SkipTests, SkipSchemaValidation bool
}

// helm renders the chart in the named directory and returns one file per object.
func helm(ctx context.Context, t *tree, o Options) (Result, error) {
	rendered, err := renderChart(ctx, t, t.base, o)
	if err != nil {
		return Result{}, err
	}
	result := Result{}
	for _, warning := range rendered.Warnings {
		result.Warnings = append(result.Warnings, t.named+": "+warning)
	}
	for _, m := range rendered.Manifests {
		path := t.show(filepath.Join(t.base, filepath.FromSlash(m.File)))
		result.Files = append(result.Files, transform.File{Path: path, Data: m.Data, Renderer: Helm})
	}
	return result, nil
}

// renderChart renders the chart in dir, which is absolute. Its error has no values.
func renderChart(ctx context.Context, t *tree, dir string, o Options) (ChartResult, error) {
	if o.Helm.Charts == nil {
		return ChartResult{}, ErrNeedsCharts
	}
	env := environment{o.Getenv}
	c := Chart{
		Files:       folder{t, dir},
		Release:     cmp.Or(o.Helm.ReleaseName, env.appName(), "release-name"),
		Namespace:   o.Helm.Namespace,
		KubeVersion: o.Helm.KubeVersion, APIVersions: o.Helm.APIVersions,
		SkipCRDs: o.Helm.SkipCRDs, SkipTests: o.Helm.SkipTests, SkipSchemaValidation: o.Helm.SkipSchemaValidation,
		MaxExpanded: o.MaxCopied,
	}
	files, err := valuesFiles(t, dir, o.Helm, env)
	if err != nil {
		return ChartResult{}, err
	}
	for _, file := range files {
		data, err := t.readFile(file)
		if err != nil {
			return ChartResult{}, err
		}
		c.Values = append(c.Values, ChartValues{t.show(file), data})
	}
	if o.Helm.Values != "" {
		c.Values = append(c.Values, ChartValues{"helm-values", []byte(o.Helm.Values)})
	}
	for _, p := range o.Helm.Parameters {
		if p.Form != Contents {
			p.Value = env.expand(p.Value)
		} else {
			file, err := inRoot(t, dir, "helm-file-parameters", p.Value, env)
			if err != nil {
				return ChartResult{}, err
			}
			data, err := t.readFile(file)
			if err != nil {
				return ChartResult{}, err
			}
			p.Value = string(data)
		}
		c.Parameters = append(c.Parameters, p)
	}
	if err := context.Cause(ctx); err != nil {
		return ChartResult{}, err
	}
	result, err := o.Helm.Charts.Render(c)
	if err != nil {
		return ChartResult{}, fmt.Errorf("%s: helm: %s", t.show(dir), strings.Join(strings.Fields(err.Error()), " "))
	}
	return result, nil
}

// environment looks up the variables that Argo CD calls the build environment.
type environment struct{ getenv func(string) string }

// buildVariables are those that Argo CD replaces in spec.source.helm (newEnv in
// reposerver/repository/repository.go@v3.5.7).
var buildVariables = []string{
	"ARGOCD_APP_NAME", "ARGOCD_APP_NAMESPACE", "ARGOCD_APP_PROJECT_NAME", "ARGOCD_APP_REVISION",
	"ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8", "ARGOCD_APP_SOURCE_REPO_URL",
	"ARGOCD_APP_SOURCE_PATH", "ARGOCD_APP_SOURCE_TARGET_REVISION",
}

// expand replaces $NAME and ${NAME} as Argo CD does: $$ is a dollar sign, and any other variable is empty (Envsubst in
// pkg/apis/application/v1alpha1/types.go@v3.5.7).
func (e environment) expand(text string) string {
	return os.Expand(text, func(name string) string {
		switch {
		case name == "$":
			return name
		case slices.Contains(buildVariables, name):
			return e.getenv(name)
		}
		return ""
	})
}

// appName is the application's name without its namespace (ParseInstanceName in util/argo/argo.go@v3.5.7).
func (e environment) appName() string {
	name := e.getenv("ARGOCD_APP_NAME")
	if _, after, found := strings.Cut(name, "_"); found {
		return after
	}
	return name
}
