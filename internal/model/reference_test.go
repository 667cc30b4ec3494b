package model

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

func TestMayRefer(t *testing.T) {
	const hpa = "kind: HorizontalPodAutoscaler\n"
	for _, tc := range []struct {
		kind, text string
		want       bool
	}{
		{"HorizontalPodAutoscaler", hpa, false},
		{"ScaledObject", "kind: ScaledObject\n", false},
		{"HorizontalPodAutoscaler", hpa + "spec: {kind: HorizontalPodAutoscaler}\n", true},
		{"HorizontalPodAutoscaler", hpa + "spec: {kind: ScaledObject}\n", true},
		{"HorizontalPodAutoscaler", hpa + `spec: {kind: "Horizontal\x50odAutoscaler"}` + "\n", true},
		{"HorizontalPodAutoscaler", "kind: &kind HorizontalPodAutoscaler\nspec: {kind: *kind}\n", true},
		{"HorizontalPodAutoscaler", hpa + "spec: {kind: !!binary SG9yaXpvbnRhbFBvZEF1dG9zY2FsZXI=}\n", true},
		{"Canary", "kind: Canary\nspec: {autoscalerRef: {kind: HorizontalPodAutoscaler}}\n", true},
		{"Role", "kind: Role\nrules: [{resources: [horizontalpodautoscalers]}]\n", true},
		{"PrometheusRule", "kind: PrometheusRule\nexpr: kube_metric{scaledObject=\"iris\"}\n", true},
		{"HTTPScaledObject", "kind: HTTPScaledObject\n", false},
		{"InferenceService", "kind: InferenceService\n", false},
	} {
		if got := mayRefer(&transform.Object{Kind: tc.kind}, []byte(tc.text)); got != tc.want {
			t.Errorf("%s:\n%s%t, want %t", tc.kind, tc.text, got, tc.want)
		}
	}
}
