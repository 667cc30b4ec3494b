package render

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// printer is an engine that renders what it gets.
type printer struct{}

func (printer) Render(c Chart) (ChartResult, error) {
	about, err := fs.ReadFile(c.Files, "Chart.yaml")
	if err != nil {
		return ChartResult{}, err
	}
	var values []string
	for _, v := range c.Values {
		values = append(values, v.Name+"="+strings.TrimSpace(string(v.Data)))
	}
	text := fmt.Sprintf("---\n# Source: a\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata:\n  about: %q\n  text: %q\n",
		c.Release, strings.TrimSpace(string(about)), fmt.Sprint(c.Namespace, " ", c.KubeVersion, " ", c.APIVersions, " ",
			c.SkipCRDs, c.SkipHooks, c.SkipTests, " ", values))
	return ChartResult{Manifests: []ChartManifest{{File: "templates/cm.yaml", Data: []byte(text)}}, Warnings: []string{"careful"}}, nil
}

// TestKustomizeCharts has a base with charts in two overlays with namespaces of their own.
func TestKustomizeCharts(t *testing.T) {
	top := write(t, `
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
name: a
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
	o := options(top)
	o.Getenv = env("KUBE_VERSION", "1.34+", "KUBE_API_VERSIONS", "v1,apps/v1")
	_, err := Render(t.Context(), ".", o)
	if !errors.Is(err, ErrNeedsCharts) {
		t.Errorf("without an engine: %v", err)
	}
	o.Helm.Charts = printer{}
	result, err := Render(t.Context(), ".", o)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Warnings) != 5 || result.Warnings[0] != "charts/a: careful" {
		t.Errorf("warnings %q", result.Warnings)
	}
	got := ""
	for _, f := range result.Files {
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
first-stage: |- stage 1.34 [v1 apps/v1] false false false [base/values.yaml=b: 2 c: 3 base/more.yaml=e: 5] from charts/a/templates/cm.yaml
prod-first: |- prod 1.34 [v1 apps/v1] false false false [base/values.yaml=b: 2 c: 3 base/more.yaml=e: 5] from charts/a/templates/cm.yaml
prod-second: 'own 1.2.3 [b/v1] true false false [valuesInline=d: 4]' from charts/a/templates/cm.yaml
second-stage: 'own 1.2.3 [b/v1] true false false [valuesInline=d: 4]' from charts/a/templates/cm.yaml
third-stage: ' 1.34 [v1 apps/v1] true true false [charts/a/Chart.yaml=name: a]' from charts/a/templates/cm.yaml
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
