package render

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/tree"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// HelmOptions are what Argo CD's spec.source.helm has (ApplicationSourceHelm in
// pkg/apis/application/v1alpha1/types.go@v3.5.7).
type HelmOptions struct {
	ReleaseName string // default: the application's name, else release-name
	Namespace   string // default: Options.Namespace, else default

	ValuesFiles              []string // paths or globs, relative to the chart or, with a slash at the start, to the root
	IgnoreMissingValuesFiles bool
	Values                   string            // YAML; above the files
	Parameters               []chart.Parameter // above Values; the form Contents has the path of a file as its value

	KubeVersion string   // default: KUBE_VERSION, which Argo CD sets
	APIVersions []string // default: KUBE_API_VERSIONS

	SkipCRDs, SkipTests, SkipSchemaValidation bool
}

// refuse returns an error if values are set for a directory that is no chart.
func (o HelmOptions) refuse(named, source string) error {
	if len(o.ValuesFiles)+len(o.Values)+len(o.Parameters) == 0 {
		return nil
	}
	return fmt.Errorf("%s: values for Helm are set, but its source is %s; remove them, or set source: helm", named, source)
}

// helm renders the chart in the named directory and returns one file per object.
func helm(ctx context.Context, t *tree.Tree, o Options) (Result, error) {
	rendered, err := renderChart(ctx, t, t.Base, o)
	if err != nil {
		return Result{}, err
	}
	result := Result{Renderer: Helm}
	for _, warning := range rendered.Warnings {
		result.Warnings = append(result.Warnings, t.Named+": "+warning)
	}
	show := func(file string) string { return t.Show(filepath.Join(t.Base, filepath.FromSlash(file))) }
	for _, m := range rendered.Manifests {
		result.Files = append(result.Files, transform.File{
			Path: show(m.File), Data: m.Data, Renderer: Helm,
			FindSource: func(_ yamldoc.Path, line int) transform.Source {
				source := m.FindSource(line)
				return transform.Source{Path: show(source.File), Line: source.Line, Value: source.Value}
			},
		})
	}
	return result, nil
}

// renderChart renders the chart in dir, which is absolute. Its error has no values.
func renderChart(ctx context.Context, t *tree.Tree, dir string, o Options) (chart.Result, error) {
	c := chart.Input{
		Files:       t.Folder(dir),
		Release:     cmp.Or(o.Helm.ReleaseName, o.appName(), "release-name"),
		Namespace:   cmp.Or(o.Helm.Namespace, o.Namespace),
		KubeVersion: o.kubeVersion(o.Helm.KubeVersion), APIVersions: o.apiVersions(o.Helm.APIVersions),
		SkipCRDs: o.Helm.SkipCRDs, SkipTests: o.Helm.SkipTests, SkipSchemaValidation: o.Helm.SkipSchemaValidation,
		MaxExpanded: o.MaxCopied,
	}
	files, err := valuesFiles(t, dir, o)
	if err != nil {
		return chart.Result{}, err
	}
	for _, file := range files {
		data, err := t.Read(file)
		if err != nil {
			return chart.Result{}, err
		}
		c.Values = append(c.Values, chart.Values{Name: t.Show(file), Data: data})
	}
	if o.Helm.Values != "" {
		c.Values = append(c.Values, chart.Values{Name: "helm-values", Data: []byte(o.Helm.Values)})
	}
	for _, p := range o.Helm.Parameters {
		if p.Form != chart.Contents {
			p.Value = o.substitute(p.Value)
		} else {
			file, err := inRoot(t, dir, "helm-file-parameters", p.Value, o)
			if err != nil {
				return chart.Result{}, err
			}
			data, err := t.Read(file)
			if err != nil {
				return chart.Result{}, err
			}
			p.Value = string(data)
		}
		c.Parameters = append(c.Parameters, p)
	}
	if err := context.Cause(ctx); err != nil {
		return chart.Result{}, err
	}
	result, err := chart.Render(c)
	if err != nil {
		return chart.Result{}, fmt.Errorf("%s: helm: %s", t.Show(dir), redactChart(err, c))
	}
	return result, nil
}

// appName is the application's name without its namespace (ParseInstanceName in util/argo/argo.go@v3.5.7).
func (o Options) appName() string {
	name := o.Getenv("ARGOCD_APP_NAME")
	if _, after, found := strings.Cut(name, "_"); found {
		return after
	}
	return name
}

// release matches the numbers of a version. Argo CD passes only these to Helm (parseKubeVersion in
// reposerver/repository/repository.go@v3.5.7).
var release = lazyregexp.New(`^v?(\d+(\.\d+)*)`)

// kubeVersion returns the version of Kubernetes that charts see: the given one, else that of the cluster.
func (o Options) kubeVersion(given string) string {
	version := cmp.Or(given, o.Getenv("KUBE_VERSION"))
	if match := release().FindStringSubmatch(version); match != nil {
		return match[1]
	}
	return version
}

// apiVersions returns the API versions that charts see: the given ones, else those of the cluster.
func (o Options) apiVersions(given []string) []string {
	if len(given) > 0 {
		return given
	}
	return strings.FieldsFunc(o.Getenv("KUBE_API_VERSIONS"), func(r rune) bool { return r == ',' })
}
