package kustomize

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
)

// TestKustomizeCharts has a base with charts in two overlays with namespaces of their own.
func TestKustomizeCharts(t *testing.T) {
	top := rendertest.Write(t, `
-- .git/HEAD --
-- prod/kustomization.yaml --
namespace: prod
namePrefix: prod-
resources: [../middle]
-- stage/kustomization.yaml --
namespace: stage
nameSuffix: -stage
resources: [../middle, ../charts]
-- middle/kustomization.yaml --
resources: [../base]
-- base/kustomization.yaml --
configMapGenerator: [{name: generated}]
helmGlobals: {chartHome: ../charts}
helmCharts:
- {name: a, releaseName: first, valuesFile: values.yaml, valuesInline: {c: 3}, additionalValuesFiles: [more.yaml], includeCRDs: true}
- {name: a, releaseName: second, namespace: own, valuesMerge: replace, valuesInline: {d: 4}, kubeVersion: 1.2.3, apiVersions: [b/v1]}
-- base/values.yaml --
b: 2
-- base/more.yaml --
e: 5
-- charts/a/Chart.yaml --
{apiVersion: v2, name: a, version: 1.0.0}
-- charts/a/crds/cm.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: crd
-- charts/a/templates/cm.yaml --
{{- $_ := now -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  text: {{ list .Release.Namespace .Capabilities.KubeVersion.Version (.Capabilities.APIVersions.Has "a/v1")
    (.Capabilities.APIVersions.Has "b/v1") (toJson .Values) | join " " | squote }}
-- charts/a/templates/hook.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {helm.sh/hook: pre-install}
-- charts/kustomization.yaml --
generators: [generator.yaml]
-- charts/generator.yaml --
apiVersion: builtin
kind: HelmChartInflationGenerator
metadata: {name: generator}
chartHome: .
name: a
valuesFile: a/Chart.yaml
releaseName: third
skipHooks: true
-- kustomization.yaml --
resources: [prod, stage]
`)
	o := narrow(top)
	o.in.Env = rendertest.Env("KUBE_VERSION", "1.34+", "KUBE_API_VERSIONS", "v1,a/v1")
	files, warnings, err := o.render(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 5 || !strings.HasPrefix(warnings[0], "charts/a: templates/cm.yaml:1: now ") {
		t.Errorf("warnings %q", warnings)
	}
	got := ""
	for _, f := range files {
		text := string(f.Data)
		_, name, _ := strings.Cut(text, "\n  name: ")
		_, about, _ := strings.Cut(text, "\n  text: ")
		name, _, _ = strings.Cut(name, "\n")
		about, _, _ = strings.Cut(about, "\nkind:")
		got += name + ": " + strings.Join(strings.Fields(about), " ") + " from " + f.Origin() + "\n"
		if strings.Contains(text, "helm-generated") {
			t.Errorf("the mark is left in\n%s", text)
		}
	}
	const want = `prod-generated-6ct58987ht:  from 
generated-stage-6ct58987ht:  from 
crd-stage:  from charts/a/crds/cm.yaml
first-hook-stage:  from charts/a/templates/hook.yaml
first-stage: stage v1.34 true false {"b":2,"c":3,"e":5} from charts/a/templates/cm.yaml
prod-crd:  from charts/a/crds/cm.yaml
prod-first: prod v1.34 true false {"b":2,"c":3,"e":5} from charts/a/templates/cm.yaml
prod-first-hook:  from charts/a/templates/hook.yaml
prod-second: own v1.2.3 false true {"d":4} from charts/a/templates/cm.yaml
prod-second-hook:  from charts/a/templates/hook.yaml
second-hook-stage:  from charts/a/templates/hook.yaml
second-stage: own v1.2.3 false true {"d":4} from charts/a/templates/cm.yaml
third-stage: default v1.34 true false {"apiVersion":"v2","name":"a","version":"1.0.0"} from charts/a/templates/cm.yaml
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
