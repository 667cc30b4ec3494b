package rules_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// TestLargeDefinition checks at which size of its JSON a definition in block style is repaired: one byte above the limit.
func TestLargeDefinition(t *testing.T) {
	definition := func(filler int) (yaml string, size int) {
		description := strings.Repeat("x", filler)
		data, err := json.Marshal(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": "inferenceservices.serving.kserve.io"},
			"spec": map[string]any{
				"group": "serving.kserve.io", "preserveUnknownFields": false,
				"versions": []any{map[string]any{"name": "v1", "order": 10, "empty": nil, "none": map[string]any{}},
					map[string]any{"description": description}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`# A comment is not in the JSON; that of a definition from the generator is smaller by more than this line.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: inferenceservices.serving.kserve.io
spec:
  group: serving.kserve.io
  preserveUnknownFields: false
  versions:
    - name: v1
      order: 10
      empty: null
      none: {}
    - description: %s
`, description), len(data)
	}
	config, _, err := rules.Options{}.Config()
	if err != nil {
		t.Fatal(err)
	}
	const limit = 262144
	_, frame := definition(0)
	for size, want := range map[int]int{limit: 0, limit + 1: 1} {
		yaml, length := definition(size - frame)
		if length != size {
			t.Fatalf("the JSON has %d bytes, want %d", length, size)
		}
		result, err := transform.Run(t.Context(), []transform.File{{Path: "crd.yaml", Data: []byte(yaml)}}, config)
		if err != nil {
			t.Fatal(err)
		}
		if findings := result.Findings(); len(findings) != want {
			t.Errorf("%d bytes: %v, want %d findings", size, findings, want)
		}
	}
}
