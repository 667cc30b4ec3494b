package kustomize

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var block = regexp.MustCompile("(?s)```yaml\n((?:kustomize|plugin):.*?)```")

// TestPage runs the snippets of docs/kustomize.md: the plugin with the parameters of the second of a pair makes what
// Argo CD's code makes with the fields of the first, which is not what the kustomization is without them.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/kustomize.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := block.FindAllSubmatch(page, -1)
	if len(blocks) < 6 || len(blocks)%2 != 0 {
		t.Fatalf("%d blocks of YAML", len(blocks))
	}
	plain := byPlugin(t, checkout(t, "apps"), "overlay")
	shown := ""
	for i := 0; i < len(blocks); i += 2 {
		var from struct{ Kustomize json.RawMessage }
		var to struct {
			Plugin struct {
				Name       string
				Parameters json.RawMessage
			}
		}
		if err := yaml.UnmarshalStrict(blocks[i][1], &from); err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(blocks[i+1][1], &to); err != nil {
			t.Fatal(err)
		}
		shown += string(blocks[i][1])
		root := checkout(t, "apps")
		got := byPlugin(t, root, "overlay", append(variables, "ARGOCD_APP_PARAMETERS="+string(to.Plugin.Parameters))...)
		compare(t, got, run(t, root, variables, from.Kustomize, argocd, kustomize, root, "overlay"))
		if got.failure != "" || reflect.DeepEqual(got, plain) || to.Plugin.Name != "argocd-kserve-plugin" {
			t.Errorf("the snippets change nothing, or fail: %s\n%s%s", got.failure, blocks[i][1], blocks[i+1][1])
		}
	}
	for _, field := range strings.Fields("namePrefix nameSuffix namespace images replicas commonLabels forceCommonLabels " +
		"labelWithoutSelector labelIncludeTemplates commonAnnotations forceCommonAnnotations commonAnnotationsEnvsubst patches " +
		"components ignoreMissingComponents kubeVersion apiVersions version") {
		if !strings.Contains(string(page), "\n| `"+field+"` | ") {
			t.Errorf("the table lacks %s", field)
		}
		isForCharts := field == "kubeVersion" || field == "apiVersions" || field == "version"
		if !isForCharts && !strings.Contains(shown, field+":") {
			t.Errorf("no snippet has %s", field)
		}
	}
}
