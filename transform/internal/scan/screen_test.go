package scan

import (
	"strings"
	"testing"
)

func TestScreen(t *testing.T) {
	screen := NewScreen([]Kind{
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}, {Group: "keda.sh", Kind: "ScaledObject"},
		{Group: "serving.kserve.io", Kind: "InferenceService"}, {Kind: "Secret"}, {Group: "batch.example.com", Kind: Any},
		{Group: Any, Kind: Any}, {Group: "large.example.com", Kind: "Large", Size: 99},
	}, []string{"HorizontalPodAutoscaler", "horizontalpodautoscaler", "ScaledObject", "ownerReferences"}, nil)
	tests := []struct {
		name     string
		document string
		want     bool
	}{
		{"a service", "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n", true},
		{"a service with CRLF", "apiVersion: serving.kserve.io/v1beta1\r\nkind: InferenceService\r\n", true},
		{"an HPA", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n", true},
		{"a typed list", "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceServiceList\n", true},
		{"a List", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: serving.kserve.io/v1beta1\n", true},
		{"a kind of the core group", "apiVersion: v1\nkind: Secret\n", true},
		{"a flow mapping", "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject}", true},
		{"a quoted kind", "apiVersion: serving.kserve.io/v1beta1\nkind: 'InferenceService'\n", true},
		{"a kind with a tag", "apiVersion: serving.kserve.io/v1beta1\nkind: !!str InferenceService\n", true},
		{"a kind on the next line", "apiVersion: serving.kserve.io/v1beta1\nkind:\n  InferenceService\n", true},
		{"a kind behind an alias",
			"metadata: {labels: {k: &k HorizontalPodAutoscaler}}\nkind: *k\napiVersion: autoscaling/v2\n", true},
		{"two kinds, the last of which counts for some",
			"apiVersion: serving.kserve.io/v1beta1\nkind: ConfigMap\nkind: InferenceService\n", true},
		{"an escaped kind", `{"apiVersion": "autoscaling/v2", "kind": "Horizontal\u0050odAutoscaler"}`, true},
		{"an escaped key", `{"apiVersion": "autoscaling/v2", "k\u0069nd": "Horizontal\u0050odAutoscaler"}`, true},
		{"an escaped group", `{"apiVersion": "serving.kserve\u002eio/v1beta1", "kind": "InferenceService"}`, true},
		{"an escaped group in YAML", "apiVersion: \"serving.kserve\\x2Eio/v1beta1\"\nkind: InferenceService\n", true},
		{"a group over two lines", "apiVersion: \"serving.kserve.\\\n  io/v1beta1\"\nkind: InferenceService\n", true},
		{"what refers to an HPA",
			"apiVersion: flagger.app/v1beta1\nkind: Canary\nspec: {autoscalerRef: {kind: HorizontalPodAutoscaler}}\n", true},
		{"RBAC for HPAs",
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules: [{resources: [horizontalpodautoscalers]}]\n", true},

		{"any kind of a group", "apiVersion: batch.example.com/v1\nkind: Anything\n", true},
		{"any kind of a quoted group", "apiVersion: 'batch.example.com/v1'\nkind: Anything\n", true},
		{"any kind of a group on the next line", "apiVersion:\n  batch.example.com/v1\nkind: Anything\n", true},
		{"any kind of a group behind an alias",
			"metadata: {labels: {v: &v batch.example.com/v1}}\napiVersion: *v\nkind: Anything\n", true},
		{"two versions, the last of which counts for some",
			"apiVersion: v1\napiVersion: batch.example.com/v1\nkind: Anything\n", true},
		{"a space before the colon of a version", "apiVersion : batch.example.com/v1\nkind: Anything\n", true},
		{"another group beside a mention",
			"apiVersion: v1\nkind: Anything\nspec: {group: batch.example.com}\n", false},

		{"any kind with a word that a rule for all kinds mentions",
			"apiVersion: v1\nkind: Anything\nmetadata: {ownerReferences: []}\n", true},

		{"a large object", "apiVersion: large.example.com/v1\nkind: Large\n" + strings.Repeat("# filler\n", 6), true},
		{"an object that is smaller", "apiVersion: large.example.com/v1\nkind: Large\n" + strings.Repeat("# filler\n", 5), false},
		{"a small object that refers to others",
			"apiVersion: large.example.com/v1\nkind: Large\nmetadata: {ownerReferences: []}\n", true},
		{"a small object whose kind is not plain to see", "apiVersion: large.example.com/v1\nkind: 'Large'\n", true},

		{"a ConfigMap", "apiVersion: v1\nkind: ConfigMap\n", false},
		{"a ConfigMap that mentions KServe", "apiVersion: v1\nkind: ConfigMap\ndata: {group: serving.kserve.io}\n", false},
		{"a CRD",
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: serving.kserve.io}\n", false},
		{"escapes that are no letters",
			`{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "\u003c\u0026\n\t\"\/"}}`, false},
		{"a script with folded lines",
			"apiVersion: v1\nkind: ConfigMap\ndata:\n  run: |\n    curl \\\n      localhost\n", false},
		{"a backslash at the end", `kind: ConfigMap # \`, false},
		{"an escape cut off", `kind: ConfigMap # \u00`, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			body := []byte(tc.document)
			if got := screen.Selects(body); got != tc.want {
				t.Errorf("selected is %v, want %v", got, tc.want)
			}
		})
	}
}
