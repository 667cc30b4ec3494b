package cli

import (
	"cmp"
	"maps"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// helm returns what charts are rendered with.
func (env *Env) helm(set *settings.Settings) render.HelmOptions {
	h := set.Helm
	o := render.HelmOptions{
		Charts: env.Charts, ReleaseName: h.ReleaseName, Namespace: h.Namespace,
		ValuesFiles: h.ValuesFiles, IgnoreMissingValuesFiles: h.IgnoreMissingValuesFiles,
		Values:      cmp.Or(h.ValuesObject, h.Values),
		KubeVersion: h.KubeVersion, APIVersions: h.APIVersions,
		SkipCRDs: h.SkipCRDs, SkipTests: h.SkipTests, SkipSchemaValidation: h.SkipSchemaValidation,
	}
	for form, parameters := range []map[string]string{
		render.Typed: h.Parameters, render.Text: h.StringParameters, render.Contents: h.FileParameters,
	} {
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			o.Parameters = append(o.Parameters,
				render.ChartParameter{Name: name, Value: parameters[name], Form: render.ParameterForm(form)})
		}
	}
	return o
}
