package checkout

import (
	"cmp"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/application"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/helm"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/kustomize"
)

// asArgoCD sets the options to what Argo CD itself renders the source with.
func asArgoCD(app *application.Application, s *application.Source, o *render.Options) error {
	o.Source, o.Recurse, o.Include, o.Exclude, o.Kustomize = render.Auto, false, "", "", kustomize.Options{}
	o.Helm = helm.Options{Namespace: app.DestinationNamespace}
	switch {
	case s.Directory != nil:
		o.Source, o.Recurse = render.Directory, s.Directory.Recurse
		o.Include, o.Exclude = s.Directory.Include, s.Directory.Exclude
		if len(s.Directory.Jsonnet) > 0 {
			return errors.New("directory.jsonnet is not supported")
		}
	case s.Kustomize != nil:
		o.Source = render.Kustomize
		return withKustomizeFields(s.Kustomize, o)
	case s.Helm != nil:
		o.Source = render.Helm
		return withHelmFields(s.Helm, o)
	}
	return nil
}

func withKustomizeFields(k *application.Kustomize, o *render.Options) error {
	o.Kustomize = kustomize.Options{
		NamePrefix: k.NamePrefix, NameSuffix: k.NameSuffix, Namespace: k.Namespace, Images: k.Images,
		CommonLabels: k.CommonLabels, ForceCommonLabels: k.ForceCommonLabels,
		LabelWithoutSelector: k.LabelWithoutSelector, LabelIncludeTemplates: k.LabelIncludeTemplates,
		CommonAnnotations: k.CommonAnnotations, ForceCommonAnnotations: k.ForceCommonAnnotations,
		CommonAnnotationsEnvsubst: k.CommonAnnotationsEnvsubst,
		Components:                k.Components, IgnoreMissingComponents: k.IgnoreMissingComponents,
		KubeVersion: k.KubeVersion, APIVersions: k.APIVersions,
	}
	for _, r := range k.Replicas {
		o.Kustomize.Replicas = append(o.Kustomize.Replicas, fmt.Sprintf("%s=%v", r.Name, r.Count))
	}
	if len(k.Patches) == 0 {
		return nil
	}
	patches, err := yaml.Marshal(k.Patches)
	o.Kustomize.Patches = string(patches)
	return err
}

func withHelmFields(h *application.Helm, o *render.Options) error {
	to := &o.Helm
	to.ReleaseName, to.Namespace = h.ReleaseName, cmp.Or(h.Namespace, to.Namespace)
	to.KubeVersion, to.APIVersions = h.KubeVersion, h.APIVersions
	to.ValuesFiles, to.IgnoreMissingValuesFiles = h.ValueFiles, h.IgnoreMissingValueFiles
	to.SkipCRDs, to.SkipTests, to.SkipSchemaValidation = h.SkipCrds, h.SkipTests, h.SkipSchemaValidation
	to.Values = h.Values
	if h.ValuesObject != nil {
		values, err := yaml.Marshal(h.ValuesObject)
		if err != nil {
			return err
		}
		to.Values = string(values)
	}
	for _, p := range h.Parameters {
		form := chart.Typed
		if p.ForceString {
			form = chart.Text
		}
		to.Parameters = append(to.Parameters, chart.Parameter{Name: p.Name, Value: p.Value, Form: form})
	}
	for _, p := range h.FileParameters {
		to.Parameters = append(to.Parameters,
			chart.Parameter{Name: p.Name, Value: p.Path, Form: chart.Contents})
	}
	return nil
}
