package kustomize

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// charted is a kustomization with charts, in place of app/kustomization.yaml of testdata/charts. The kustomization in
// path is built, by default app.
type charted struct{ name, kustomization, path string }

var inflated = []charted{
	{"a chart", "helmCharts: [{name: web, releaseName: r}]", ""},
	{"two releases", "helmCharts: [{name: web, releaseName: a}, {name: web, releaseName: b, valuesInline: {sub: {on: false}}}]", ""},
	{"namespace", "helmCharts: [{name: web, releaseName: r, namespace: other}]", ""},
	{"namespace of the kustomization", "namespace: own\nhelmCharts: [{name: web, releaseName: r}]\nresources: [extra.yaml]", ""},
	{"both namespaces", "namespace: own\nhelmCharts: [{name: web, releaseName: r, namespace: other}]\nresources: [extra.yaml]", ""},
	{"namespace of an overlay", "helmCharts: [{name: web, releaseName: r}]\nresources: [extra.yaml]", "prod"},
	{"namespaces of two overlays", "helmCharts: [{name: web, releaseName: r}]\nresources: [extra.yaml]", "both"},
	{"definitions", "helmCharts: [{name: web, releaseName: r, includeCRDs: true}]", ""},
	{"without hooks", "helmCharts: [{name: web, releaseName: r, skipHooks: true}]", ""},
	{"without tests", "helmCharts: [{name: web, releaseName: r, skipTests: true}]", ""},
	{"versions", "helmCharts: [{name: web, releaseName: r, kubeVersion: 1.31.2, apiVersions: [serving.kserve.io/v1beta1]}]", ""},
	{"name template", "helmCharts: [{name: web, nameTemplate: 'a-{{ \"b\" }}'}]", ""},
	{"values file", "helmCharts: [{name: web, releaseName: r, valuesFile: values.yaml}]", ""},
	{"additional values files", "helmCharts: [{name: web, releaseName: r, additionalValuesFiles: [values.yaml, more.yaml]}]", ""},
	{"all values", "helmCharts: [{name: web, releaseName: r, valuesFile: values.yaml, additionalValuesFiles: [more.yaml], " +
		"valuesInline: {list: [z], image: {name: other}, map: {a: null}, big: 2000000}}]", ""},
	{"inline values", "helmCharts: [{name: web, releaseName: r, valuesInline: {list: [z], map: {b: {d: 4}}, text: 'yes', image: {tag: 1.10}}}]", ""},
	{"override", "helmCharts: [{name: web, releaseName: r, valuesMerge: override, valuesInline: {replicas: 5, new: 1, list: [z]}}]", ""},
	{"merge", "helmCharts: [{name: web, releaseName: r, valuesMerge: merge, valuesInline: {replicas: 5, new: 1, list: [z]}}]", ""},
	{"replace", "helmCharts: [{name: web, releaseName: r, valuesMerge: replace, valuesInline: {replicas: 5, new: 1, list: [z]}}]", ""},
	{"debug and devel", "helmCharts: [{name: web, releaseName: r, debug: true, devel: true}]", ""},
	{"homes", "helmGlobals: {chartHome: home, configHome: anywhere}\nhelmCharts: [{name: other, releaseName: r, version: 2.0.0, repo: 'https://example.com'}]", ""},
	{"a home outside", "helmGlobals: {chartHome: ../shared/charts}\nhelmCharts: [{name: far, releaseName: r, valuesFile: values.yaml, valuesInline: {a: x}}]", ""},
	{"a version without repo", "helmCharts: [{name: web, releaseName: r, version: 9.9.9}]", ""},
	{"a chart without objects", "helmCharts: [{name: empty, releaseName: r}]\nresources: [extra.yaml]", ""},
	{"old field", "helmChartInflationGenerator: [{chartName: web, releaseName: r, values: values.yaml, valuesLocal: {replicas: 8}}]", ""},

	{"with everything else", `
namePrefix: p-
namespace: own
resources: [extra.yaml]
helmCharts: [{name: web, releaseName: r}]
configMapGenerator: [{name: generated, literals: [a=b]}]
secretGenerator: [{name: secret, literals: [a=b]}]
commonLabels: {team: ml}
commonAnnotations: {note: x}
images: [{name: nginx, newTag: "9"}]
replicas: [{name: r, count: 4}]
patches:
- target: {kind: Deployment}
  patch: |
    - {op: add, path: /spec/paused, value: true}
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: r}
    spec: {template: {spec: {containers: [{name: web, resources: {limits: {cpu: 1}}}]}}}
components: [../component]
replacements:
- source: {kind: ConfigMap, name: r-settings, fieldPath: data.service}
  targets: [{select: {kind: Service}, fieldPaths: [metadata.annotations.service], options: {create: true}}]
`, ""},
	{"origins", "buildMetadata: [originAnnotations]\nhelmCharts: [{name: web, releaseName: r}]\nresources: [extra.yaml]", ""},
	{"generator in a file", "generators: [generators/web.yaml]", ""},
	{"generators", `
resources: [extra.yaml]
helmCharts: [{name: web, releaseName: field}]
namespace: own
generators:
- generators/web.yaml
- |-
  apiVersion: builtin
  kind: HelmChartInflationGenerator
  metadata: {name: inline}
  name: web
  releaseName: inline
  namespace: of-its-own
  skipHooks: true
`, ""},
	{"a chart home of a generator", `
generators:
- |-
  apiVersion: builtin
  kind: HelmChartInflationGenerator
  metadata: {name: inline}
  name: other
  chartHome: home
  version: 2.0.0
  repo: https://example.com
  releaseName: inline
`, ""},
}

// uninflated are errors of kustomize too.
var uninflated = []charted{
	{"no chart", "helmCharts: [{name: none, releaseName: r}]", ""},
	{"no name", "helmCharts: [{releaseName: r}]", ""},
	{"no values.yaml", "helmCharts: [{name: bare, releaseName: r}]", ""},
	{"no values file", "helmCharts: [{name: web, releaseName: r, valuesFile: none.yaml}]", ""},
	{"no additional file", "helmCharts: [{name: web, releaseName: r, additionalValuesFiles: [none.yaml]}]", ""},
	{"values outside", "helmGlobals: {chartHome: ../shared/charts}\nhelmCharts: [{name: far, releaseName: r}]", ""},
	{"additional file outside", "helmCharts: [{name: web, releaseName: r, additionalValuesFiles: [../shared/charts/far/values.yaml]}]", ""},
	{"unknown merge", "helmCharts: [{name: web, releaseName: r, valuesMerge: none, valuesInline: {a: 1}}]", ""},
	{"unknown merge without values", "helmCharts: [{name: web, releaseName: r, valuesMerge: none}]", ""},
	{"two names", "helmCharts: [{name: web, releaseName: r, nameTemplate: a}]", ""},
	{"bad release name", "helmCharts: [{name: web, releaseName: R_}]", ""},
	{"one release twice", "helmCharts: [{name: web, releaseName: r}, {name: web, releaseName: r}]", ""},
	{"bad version", "helmCharts: [{name: web, releaseName: r, kubeVersion: x}]", ""},
	{"broken template", "helmCharts: [{name: web, releaseName: r, valuesInline: {image: 1}}]", ""},
}

// TestCharts compares with kustomize build --enable-helm, which starts helm.
func TestCharts(t *testing.T) {
	for i, c := range slices.Concat(inflated, uninflated) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := c.path
			if path == "" {
				path = "app"
			}
			root := checkout(t, "charts")
			if err := os.WriteFile(filepath.Join(root, "app/kustomization.yaml"), []byte(c.kustomization), 0o644); err != nil {
				t.Fatal(err)
			}
			got := byPlugin(t, root, path)
			want := run(t, root, nil, nil, kustomize, "build", "--enable-helm", "--helm-command", helm, path)
			if fails := i >= len(inflated); fails != (want.failure != "") {
				t.Fatalf("failure %q of kustomize", want.failure)
			}
			asNewer(want)
			compare(t, got, want)
		})
	}
}

// newer are the values by which a chart can tell the helm of Argo CD from the newer one in the plugin: its release, and
// the version of Kubernetes that it assumes where none is given.
var newer = map[any]string{"v4.2.1": "v4.3.1", "v1.36.0": "v1.37.0"}

// asNewer replaces these values where the chart prints them.
func asNewer(r rendered) {
	for _, object := range r.objects {
		data, _ := object["data"].(map[string]any)
		for _, key := range []string{"helm", "kubeVersion"} {
			if value, ok := newer[data[key]]; ok {
				data[key] = value
			}
		}
	}
}
