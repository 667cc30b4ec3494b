package model

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// lookLLM builds the model of a render and calls the function for the first of its LLMInferenceServices.
func lookLLM(t *testing.T, manifests string, at func(*Model, *LLMService)) {
	t.Helper()
	versions, _, err := kserve.ParseVersions("unknown")
	if err != nil {
		t.Fatal(err)
	}
	rule := &transform.Rule{
		ID: "KS900", Name: "look", Title: "Looks", Doc: "Looks.", Example: "none", Severity: transform.Advice,
		Kinds: LLMKinds, Run: func(*transform.Pass) {},
	}
	_, err = transform.Run(t.Context(), []transform.File{{Path: "input.yaml", Data: []byte(manifests)}}, transform.Config{
		Rules: []*transform.Rule{rule}, Releases: versions.Releases(),
		Index: func(render *transform.Snapshot) transform.Index {
			m := New(render, versions, "")
			at(m, m.LLMService(render.Objects(kserve.LLMInferenceService)[0]))
			return m
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func llmConfig(namespace, name, spec string) string {
	return "---\napiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceServiceConfig\nmetadata:\n  name: " + name +
		"\n  namespace: " + namespace + "\nspec: " + spec + "\n"
}

// TestLLMLayers: a Config of the service's namespace overrides one of KServe's own, a later baseRef an earlier one, and
// the service all of them. A null has no effect, and baseRefs of a Config have none.
func TestLLMLayers(t *testing.T) {
	lookLLM(t, `apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata:
  name: qwen
  namespace: models
spec:
  baseRefs: [{name: first}, {name: second}, {name: platform}, {name: absent}]
  replicas: null
  parallelism: {tensor: 1}
`+
		llmConfig("models", "first", "{replicas: 1, parallelism: {tensor: 8, data: 8}, baseRefs: [{name: nested}]}")+
		llmConfig("models", "second", "{replicas: 2}")+
		llmConfig("kserve", "second", "{replicas: 3}")+
		llmConfig("kserve", "platform", "{model: {uri: hf://a/b}}")+
		llmConfig("other", "absent", "{replicas: 4}")+
		llmConfig("models", "nested", "{worker: {containers: []}}"),
		func(m *Model, s *LLMService) {
			for _, tc := range []struct {
				path        []any
				value, from string
			}{
				{[]any{"spec", "replicas"}, "2", "models/second"},
				{[]any{"spec", "parallelism", "tensor"}, "1", "models/qwen"},
				{[]any{"spec", "parallelism", "data"}, "8", "models/first"},
				{[]any{"spec", "model", "uri"}, "hf://a/b", "kserve/platform"},
			} {
				value, layer := s.Value(tc.path...)
				if value.Str() != tc.value || layer.Namespace+"/"+layer.Name != tc.from {
					t.Errorf("%v: got %s of %v, want %s of %s", tc.path, value.Str(), layer, tc.value, tc.from)
				}
			}
			if s.Has("spec", "worker") {
				t.Error("baseRefs of a Config count")
			}
			if len(s.Missing) != 1 || s.Missing[0] != "absent" {
				t.Errorf("missing: %v", s.Missing)
			}
			if got := len(m.layers(s.Object)); got != 3 {
				t.Errorf("merged with %d Configs, want 3", got)
			}
		})
}
