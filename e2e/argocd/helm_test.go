package argocd_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v2/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v2/reposerver/apiclient"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/helm"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// otherwise returns why a release of Argo CD renders a case differently from the plugin, or "".
func otherwise(v argocd.Version, c helm.Case) string {
	name := c.Chart + "/" + c.Name
	switch {
	case v.Tool != toolchain.ArgoCD2:
		return ""
	case strings.HasSuffix(name, "a version of a distribution"):
		return "Argo CD 2.14 gives helm the whole version"
	}
	return helm.Otherwise[name]
}

// TestHelm renders the charts of e2e/helm with Argo CD's own helm and with the plugin, as an Application says it in
// spec.source.helm and in spec.source.plugin.
func TestHelm(t *testing.T) {
	for _, version := range argocd.Versions {
		t.Run(version.Name(t), func(t *testing.T) {
			t.Parallel()
			server := startRepoServer(t, version)
			repo := argocd.NewRepository(t, server.stack, "charts")
			program, err := version.Helm.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			charts := filepath.Join(t.TempDir(), "charts")
			packed := filepath.Join(repository(t), "e2e/helm/testdata/charts")
			if err := helm.Unpack(t.Context(), program, packed, charts); err != nil {
				t.Fatal(err)
			}
			repo.Copy("charts", charts)
			revision := repo.Commit()
			for _, c := range helm.Cases {
				table.Run(t, version.Name(t), "helm: "+c.Chart+", "+c.Name, func(t *testing.T) {
					render := func(edit func(*v1alpha1.ApplicationSource)) []string {
						request := argocd.Request(repo.URL, revision, "charts/"+c.Chart)
						request.ApplicationSource.Plugin = nil
						edit(request.ApplicationSource)
						return server.objects(t, request)
					}
					want := render(func(s *v1alpha1.ApplicationSource) { s.Helm = helmSource(c.Options) })
					got := render(func(s *v1alpha1.ApplicationSource) { s.Plugin = helmPlugin(c.Options) })
					reason := otherwise(version, c)
					if reason == "" {
						equal(t, got, want)
					} else if slices.Equal(got, want) {
						t.Errorf("Argo CD renders the same, although %s", reason)
					}
				})
			}
		})
	}
}

// objects returns what the repo-server makes of a source, sorted, without Argo CD's tracking annotation.
func (r *repoServer) objects(t *testing.T, request *apiclient.ManifestRequest) []string {
	t.Helper()
	response, err := r.Generate(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var objects []string
	for _, object := range untracked(t, response.Manifests) {
		objects = append(objects, canonical(t, object))
	}
	slices.Sort(objects)
	return objects
}

// helmSource is spec.source.helm of an Application.
func helmSource(o helm.Options) *v1alpha1.ApplicationSourceHelm {
	source := &v1alpha1.ApplicationSourceHelm{
		ReleaseName: o.Release, Namespace: o.Namespace, KubeVersion: o.KubeVersion, APIVersions: o.APIVersions,
		ValueFiles: o.Files, Values: o.Values, IgnoreMissingValueFiles: o.IgnoreMissingFiles,
		SkipCrds: o.SkipCRDs, SkipTests: o.SkipTests, SkipSchemaValidation: o.SkipSchemaValidation,
	}
	for name, value := range o.Set {
		source.Parameters = append(source.Parameters, v1alpha1.HelmParameter{Name: name, Value: value})
	}
	for name, value := range o.SetString {
		source.Parameters = append(source.Parameters, v1alpha1.HelmParameter{Name: name, Value: value, ForceString: true})
	}
	for name, path := range o.SetFile {
		source.FileParameters = append(source.FileParameters, v1alpha1.HelmFileParameter{Name: name, Path: path})
	}
	return source
}

// helmPlugin is spec.source.plugin of an Application with the same. Its only rule is about deletion.
func helmPlugin(o helm.Options) *v1alpha1.ApplicationSourcePlugin {
	plugin := &v1alpha1.ApplicationSourcePlugin{Name: "argocd-kserve-plugin"}
	add := func(p v1alpha1.ApplicationSourcePluginParameter) { plugin.Parameters = append(plugin.Parameters, p) }
	text := func(name, value string) {
		if value != "" {
			add(v1alpha1.ApplicationSourcePluginParameter{Name: name, String_: &value})
		}
	}
	list := func(name string, values ...string) {
		if len(values) > 0 {
			add(v1alpha1.ApplicationSourcePluginParameter{Name: name, OptionalArray: &v1alpha1.OptionalArray{Array: values}})
		}
	}
	mapping := func(name string, values map[string]string) {
		if len(values) > 0 {
			add(v1alpha1.ApplicationSourcePluginParameter{
				Name: name, OptionalMap: &v1alpha1.OptionalMap{Map: maps.Clone(values)},
			})
		}
	}
	truth := func(name string, value bool) {
		if value {
			text(name, "true")
		}
	}
	list("rules", "KS911")
	text("helm-release-name", o.Release)
	text("helm-namespace", o.Namespace)
	text("helm-kube-version", o.KubeVersion)
	list("helm-api-versions", o.APIVersions...)
	list("helm-values-files", o.Files...)
	truth("helm-ignore-missing-values-files", o.IgnoreMissingFiles)
	text("helm-values", o.Values)
	mapping("helm-parameters", o.Set)
	mapping("helm-string-parameters", o.SetString)
	mapping("helm-file-parameters", o.SetFile)
	truth("helm-skip-crds", o.SkipCRDs)
	truth("helm-skip-tests", o.SkipTests)
	truth("helm-skip-schema-validation", o.SkipSchemaValidation)
	return plugin
}
