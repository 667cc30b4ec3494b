package helm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	chartFile = "apiVersion: v2\nname: broken\nversion: 1.0.0\n"
	object    = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
)

// refused are charts that helm refuses. Without a Chart.yaml of its own a chart has chartFile.
var refused = []struct {
	name    string
	files   map[string]string
	options options
	says    string // what the plugin's error has
}{
	{"a function that does not exist", map[string]string{"templates/a.yaml": "{{ noSuchFunction }}"}, options{},
		`templates/a.yaml:1): function "noSuchFunction" not defined`},
	{"an open action", map[string]string{"templates/a.yaml": object + "data: {{ .Values.a\n"}, options{},
		"templates/a.yaml:4"},
	{"an open block", map[string]string{"templates/a.yaml": "{{ if true }}\n" + object}, options{}, "unexpected EOF"},
	{"a missing value", map[string]string{"templates/a.yaml": "a: {{ .Values.a.b.c }}"}, options{},
		"templates/a.yaml:1:13"},
	{"required", map[string]string{"templates/a.yaml": object + `data: {{ required "set data" .Values.data }}`}, options{},
		"set data"},
	{"fail", map[string]string{"templates/a.yaml": `{{ fail "not like this" }}`}, options{}, "not like this"},
	{"a template that is not defined", map[string]string{"templates/a.yaml": `{{ include "none" . }}`}, options{},
		`no template "none"`},
	{"output that is no YAML", map[string]string{"templates/a.yaml": object + "data: {a: [}\n"}, options{},
		"templates/a.yaml"},
	{"output that is a text", map[string]string{"templates/a.yaml": "text\n"}, options{}, "templates/a.yaml"},
	{"a template that includes itself", map[string]string{
		"templates/a.yaml": `{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
	}, options{}, "templates/a.yaml"},
	{"no Chart.yaml", map[string]string{"Chart.yaml": "-> none"}, options{}, "Chart.yaml"},
	{"a Chart.yaml without a version", map[string]string{"Chart.yaml": "apiVersion: v2\nname: a\n"}, options{}, "version"},
	{"API version v3", map[string]string{"Chart.yaml": "apiVersion: v3\nname: a\nversion: 1.0.0\n"}, options{}, "v3"},
	{"a library", map[string]string{"Chart.yaml": chartFile + "type: library\n"}, options{}, "library"},
	{"a Kubernetes version that the chart refuses", map[string]string{"Chart.yaml": chartFile + "kubeVersion: '>=1.40'\n"},
		options{}, "1.40"},
	{"a dependency that is missing", map[string]string{
		"Chart.yaml": chartFile + "dependencies: [{name: store, version: 1.0.0, repository: https://charts.example.com}]\n",
	}, options{}, "helm dependency build"},
	{"a file in charts/", map[string]string{"charts/README.md": "text\n"}, options{}, "README.md"},
	{"an archive that is none", map[string]string{"charts/store-1.0.0.tgz": "text\n"}, options{}, "store-1.0.0.tgz"},
	{"a subchart without Chart.yaml", map[string]string{"charts/store/values.yaml": "a: 1\n"}, options{}, "store"},
	{"values.yaml is a list", map[string]string{"values.yaml": "[1]\n"}, options{}, "values.yaml"},
	{"values.yaml is no YAML", map[string]string{"values.yaml": "a: [\n"}, options{}, "values.yaml"},
	{"the schema refuses a value", map[string]string{
		"values.yaml":        "a: text\n",
		"values.schema.json": `{"properties": {"a": {"type": "integer"}}}`,
	}, options{}, "got string, want integer"},
	{"the schema refuses a parameter", map[string]string{
		"values.schema.json": `{"additionalProperties": false}`,
	}, options{set: params{"replicas": "2"}}, "replicas"},
	{"a subchart's schema refuses a value", map[string]string{
		"charts/store/Chart.yaml":         "apiVersion: v2\nname: store\nversion: 1.0.0\n",
		"charts/store/values.schema.json": `{"required": ["size"]}`,
	}, options{}, "size"},
	{"a schema that is no JSON", map[string]string{"values.schema.json": "{"}, options{}, "values.schema.json"},
	{"a schema that refers to a file that is not there", map[string]string{
		"values.schema.json": `{"$ref": "file:///none.json"}`,
	}, options{}, "file"},
	{"a values file that is missing", nil, options{files: []string{"none.yaml"}}, "none.yaml"},
	{"a values file that is no YAML", map[string]string{"bad.yaml": "a: [\n"}, options{files: []string{"bad.yaml"}}, "bad.yaml"},
	{"inline values that are a list", nil, options{values: "[1]"}, "helm-values"},
	{"a parameter below a text", map[string]string{"values.yaml": "a: text\n"}, options{set: params{"b": "1", "b.c": "2"}}, "b"},
	{"a file parameter whose file is missing", nil, options{setFile: params{"a": "none.txt"}}, "none.txt"},
	{"a release name with capitals", nil, options{release: "Demo"}, "Demo"},
	{"a release name that is too long", nil, options{release: strings.Repeat("a", 54)}, "53"},
	{"a .helmignore with two stars", map[string]string{".helmignore": "a/**/b\n"}, options{}, ".helmignore"},
}

// TestErrors gives charts with a fault to the plugin and to helm 4.2.1: both refuse them.
func TestErrors(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chart := write(t, c.files)
			if want := byHelm(t, helm4, chart, c.options); want.err == "" {
				t.Errorf("helm accepts it: %v", want.objects)
			}
			got := byPlugin(t, chart, c.options)
			if !strings.Contains(got.err, c.says) || strings.Contains(got.err, chart) || strings.Count(got.err, "\n") > 1 {
				t.Errorf("objects %v and an error that is not one line with %q: %s", got.objects, c.says, got.err)
			}
		})
	}
}

// write writes a chart. A Chart.yaml of "-> none" stands for none.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := folder(t)
	all := map[string]string{"Chart.yaml": chartFile, "templates/object.yaml": object}
	for path, content := range files {
		all[path] = content
	}
	for path, content := range all {
		if content == "-> none" {
			continue
		}
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
