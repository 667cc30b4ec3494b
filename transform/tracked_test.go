package transform

import "testing"

func TestTracked(t *testing.T) {
	service := GroupKind{Group: "serving.kserve.io", Kind: "InferenceService"}
	for _, tc := range []struct {
		annotation, label string
		kind              GroupKind
		want              string
	}{
		{"shop:serving.kserve.io/InferenceService:models/iris", "", service, "shop"},
		{"argocd_shop:serving.kserve.io/InferenceService:models/iris", "other", service, "argocd_shop"},
		{"shop:/ConfigMap:models/iris", "", GroupKind{Kind: "ConfigMap"}, "shop"},
		{"", "shop", service, "shop"},
		{"", "", service, ""},
		// KServe copies the annotation of the service.
		{"shop:serving.kserve.io/InferenceService:models/iris", "shop", GroupKind{"autoscaling", "HorizontalPodAutoscaler"}, ""},
		{"shop:serving.kserve.io/InferenceService:models/rose", "", service, ""},
		{"shop", "", service, ""},
	} {
		if got := Tracked(tc.annotation, tc.label, tc.kind, "models", "iris"); got != tc.want {
			t.Errorf("%q, %q: %q, want %q", tc.annotation, tc.label, got, tc.want)
		}
	}
}
