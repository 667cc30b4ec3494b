package run

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/helm"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// options returns what a source is rendered with.
func (l *Loader) options(set *settings.Settings) render.Options {
	return render.Options{
		Source: set.Source, Root: set.Root, RootLocked: set.Locked("root"), RootFrom: set.From("root"),
		LoadFromRoot: set.LoadRestrictor == "root", Recurse: set.Recurse,
		Include: alternatives(set.Include), Exclude: alternatives(set.Exclude),
		Namespace: set.Namespace, Helm: helmOptions(set), Kustomize: kustomize.Options(set.Kustomize),
		MaxInput: int64(set.MaxInput), MaxCopied: set.MaxCopied(),
		Live: l.Live, Stdin: l.Stdin, Dir: string(l.Dir), Getenv: l.Getenv, Ignored: l.ignored,
	}
}

// helmOptions returns what charts are rendered with.
func helmOptions(set *settings.Settings) helm.Options {
	h := set.Helm
	o := helm.Options{
		ReleaseName: h.ReleaseName, Namespace: h.Namespace,
		ValuesFiles: h.ValuesFiles, IgnoreMissingValuesFiles: h.IgnoreMissingValuesFiles,
		Values:      cmp.Or(h.ValuesObject, h.Values),
		KubeVersion: h.KubeVersion, APIVersions: h.APIVersions,
		SkipCRDs: h.SkipCRDs, SkipTests: h.SkipTests, SkipSchemaValidation: h.SkipSchemaValidation,
	}
	for form, parameters := range []map[string]string{
		chart.Typed: h.Parameters, chart.Text: h.StringParameters, chart.Contents: h.FileParameters,
	} {
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			o.Parameters = append(o.Parameters,
				chart.Parameter{Name: name, Value: parameters[name], Form: chart.Form(form)})
		}
	}
	return o
}

// alternatives joins globs to a single one that matches what any of them matches.
func alternatives(globs []string) string {
	if len(globs) < 2 {
		return strings.Join(globs, "")
	}
	return "{" + strings.Join(globs, ",") + "}"
}
