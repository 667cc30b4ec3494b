package chart_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
)

// TestLines shows what each line of the output comes from.
func TestLines(t *testing.T) {
	files := fstest.MapFS{}
	for path, text := range map[string]string{
		"Chart.yaml":  "apiVersion: v2\nname: models\nversion: 1.0.0\n",
		"values.yaml": "names: [iris]\nresources: {limits: {cpu: 1}}\nimage: {tag: v1}\n",
		"templates/_helpers.tpl": `{{/* What all objects have. */}}
{{- define "labels" -}}
app: {{ .Chart.Name }}
{{- if .Values.team }}
team: {{ .Values.team }}
{{- end }}
{{- end }}
{{- define "extra" }}
extra: {tier: "2"}
{{- end }}
`,
		"templates/objects.yaml": `{{- range .Values.names }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ . }}
  labels:
    {{- include "labels" $ | nindent 4 }}
    {{- toYaml (fromYaml (include "extra" $)).extra | nindent 4 }}
  annotations: {checksum: {{ include "labels" $ | sha256sum | trunc 8 | quote }}}
{{- end }}
data:
  limits: |

    {{- toYaml .Values.resources.limits | nindent 4 }}
  {{ .Values.image.tag }}: {{ .Values.missing }}
`,
	} {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	result, err := chart.Render(chart.Input{Files: files, Release: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, m := range result.Manifests {
		lines := strings.Split(strings.TrimSpace(string(m.Data)), "\n")
		for i, line := range lines[2:] {
			source := m.FindSource(i + 3)
			fmt.Fprintf(&got, "%s <- %s:%d [%s]\n",
				strings.TrimSpace(line), filepath.Base(source.File), source.Line, source.Value)
		}
	}
	if want := strings.TrimPrefix(wantLines, "\n"); got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

const wantLines = `
apiVersion: v1 <- objects.yaml:3 []
kind: ConfigMap <- objects.yaml:4 []
metadata: <- objects.yaml:5 []
name: iris <- objects.yaml:6 []
labels: <- objects.yaml:7 []
app: models <- _helpers.tpl:3 []
tier: "2" <- objects.yaml:9 []
annotations: {checksum: "70371ff4"} <- objects.yaml:10 []
data: <- objects.yaml:12 []
limits: | <- objects.yaml:13 []
cpu: 1 <- objects.yaml:15 [resources.limits]
v1: <- objects.yaml:16 [image.tag]
`

// TestEveryLine looks for lines whose source is not known, in the charts with every feature.
func TestEveryLine(t *testing.T) {
	const charts = "../../e2e/helm/testdata/charts"
	folders, err := os.ReadDir(charts)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if folder.Name() == "archives" {
			continue // it needs packed charts
		}
		t.Run(folder.Name(), func(t *testing.T) {
			files := os.DirFS(filepath.Join(charts, folder.Name()))
			result, err := chart.Render(chart.Input{Files: files, Release: "demo", KubeVersion: "1.34.4"})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range result.Manifests {
				for i, line := range strings.Split(strings.TrimSpace(string(m.Data)), "\n")[2:] {
					if source := m.FindSource(i + 3); source.File == "" || source.Line == 0 {
						t.Errorf("%s: %q has source %+v", m.File, line, source)
					}
				}
			}
		})
	}
}
