package rules_test

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// TestAliasOfAnotherKind checks that rules take the fields of an object for those of its kind, also where an alias
// makes the same bytes an object of another kind.
func TestAliasOfAnotherKind(t *testing.T) {
	const (
		begin = `apiVersion: v1
kind: List
items:
- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceServiceList
  items:
  - &one
    metadata: {name: churn}
    spec: {template: {containers: [{name: main, resources: {limits: {cpu: 1000m}}}]}}
`
		again = `- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceServiceList
  items: [*one]
`
		other = `- apiVersion: serving.kserve.io/v1alpha1
  kind: LLMInferenceServiceList
  items: [*one]
`
		count = 10
	)
	config, _, err := rules.Options{KServeVersion: "0.20.0", Select: []string{"KS602"}}.Config()
	if err != nil {
		t.Fatal(err)
	}
	files := []transform.File{{Path: "list.yaml", Data: []byte(begin + strings.Repeat(again+other, count))}}
	result, err := transform.Run(t.Context(), files, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Findings() {
		if f.Object.Kind != "LLMInferenceService" {
			t.Errorf("%s", f)
		}
	}
	if found := len(result.Findings()); found != count {
		t.Errorf("%d findings, want %d", found, count)
	}
}
