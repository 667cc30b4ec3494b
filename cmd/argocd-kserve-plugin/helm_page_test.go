package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/chart"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/helm"
)

// helmFields is Argo CD's ApplicationSourceHelm (pkg/apis/application/v1alpha1/types.go@v3.5.7).
type helmFields struct {
	ReleaseName             string              `json:"releaseName"`
	Namespace               string              `json:"namespace"`
	ValueFiles              []string            `json:"valueFiles"`
	IgnoreMissingValueFiles bool                `json:"ignoreMissingValueFiles"`
	Values                  string              `json:"values"`
	ValuesObject            json.RawMessage     `json:"valuesObject"`
	Parameters              []helmParameter     `json:"parameters"`
	FileParameters          []helmFileParameter `json:"fileParameters"`
	KubeVersion             string              `json:"kubeVersion"`
	APIVersions             []string            `json:"apiVersions"`
	SkipCrds                bool                `json:"skipCrds"`
	SkipTests               bool                `json:"skipTests"`
	SkipSchemaValidation    bool                `json:"skipSchemaValidation"`
	Version                 string              `json:"version"`
	PassCredentials         bool                `json:"passCredentials"`
}

type helmParameter struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	ForceString bool   `json:"forceString"`
}

type helmFileParameter struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// options returns what the renderer makes of the fields.
func (h helmFields) options() helm.Options {
	o := helm.Options{
		ReleaseName: h.ReleaseName, Namespace: h.Namespace, ValuesFiles: h.ValueFiles,
		IgnoreMissingValuesFiles: h.IgnoreMissingValueFiles, Values: h.Values, KubeVersion: h.KubeVersion,
		APIVersions: h.APIVersions, SkipCRDs: h.SkipCrds, SkipTests: h.SkipTests, SkipSchemaValidation: h.SkipSchemaValidation,
	}
	if len(h.ValuesObject) > 0 {
		o.Values = string(h.ValuesObject)
	}
	for _, p := range h.Parameters {
		form := chart.Typed
		if p.ForceString {
			form = chart.Text
		}
		o.Parameters = append(o.Parameters, chart.Parameter{Name: p.Name, Value: p.Value, Form: form})
	}
	for _, p := range h.FileParameters {
		o.Parameters = append(o.Parameters, chart.Parameter{Name: p.Name, Value: p.Path, Form: chart.Contents})
	}
	return o
}

var block = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestHelmPage runs the snippets of docs/helm.md: the plugin with the parameters of the second of a pair prints what the
// fields of the first make, which is not what the chart makes without them.
func TestHelmPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/helm.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := block.FindAllSubmatch(page, -1)
	if len(blocks) < 10 || len(blocks)%2 != 0 {
		t.Fatalf("%d blocks of YAML", len(blocks))
	}
	plain := generate(t, "")
	shown := ""
	for i := 0; i < len(blocks); i += 2 {
		var from struct{ Helm helmFields }
		var to struct {
			Plugin struct {
				Name       string
				Parameters []struct {
					Name   string            `json:"name"`
					String string            `json:"string,omitempty"`
					Array  []string          `json:"array,omitempty"`
					Map    map[string]string `json:"map,omitempty"`
				}
			}
		}
		if err := yaml.UnmarshalStrict(blocks[i][1], &from); err != nil {
			t.Fatalf("%v\n%s", err, blocks[i][1])
		}
		if err := yaml.UnmarshalStrict(blocks[i+1][1], &to); err != nil {
			t.Fatalf("%v\n%s", err, blocks[i+1][1])
		}
		parameters, err := json.Marshal(to.Plugin.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		shown += string(blocks[i][1])
		got, want := generate(t, string(parameters)), rendered(t, from.Helm)
		if got != want || got == plain || to.Plugin.Name != "argocd-kserve-plugin" {
			t.Errorf("the parameters\n%s\ngive\n%s\nwant\n%s", blocks[i+1][1], got, want)
		}
	}
	for _, field := range strings.Fields("releaseName namespace valueFiles ignoreMissingValueFiles values valuesObject " +
		"parameters fileParameters kubeVersion apiVersions skipCrds skipTests skipSchemaValidation version passCredentials") {
		if !strings.Contains(string(page), "\n| `"+field+"` | ") {
			t.Errorf("the table lacks %s", field)
		}
		if !strings.Contains(shown, field+":") && field != "version" && field != "passCredentials" {
			t.Errorf("no snippet has %s", field)
		}
	}
}

var environ = []string{
	"ARGOCD_APP_NAME=iris", "ARGOCD_APP_NAMESPACE=default-models", "ARGOCD_APP_REVISION=abc", "ARGOCD_APP_SOURCE_PATH=chart",
	"KUBE_VERSION=1.31.0", "KUBE_API_VERSIONS=v1,apps/v1",
}

// generate returns what the plugin prints for the chart in testdata.
func generate(t *testing.T, parameters string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("argocd-kserve-plugin", "generate")
	cmd.Dir, cmd.Env = "testdata/chart", append(environ, "ARGOCD_APP_PARAMETERS="+parameters)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", parameters, err, &stderr)
	}
	return stdout.String()
}

// rendered returns the output of the renderer alone.
func rendered(t *testing.T, fields helmFields) string {
	t.Helper()
	getenv := func(name string) string {
		for _, variable := range environ {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	result, err := render.Render(t.Context(), ".", render.Options{
		Dir: dir + "/testdata/chart", Getenv: getenv, Namespace: getenv("ARGOCD_APP_NAMESPACE"), Helm: fields.options(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range result.Files {
		all.Write(file.Data)
	}
	return all.String()
}
