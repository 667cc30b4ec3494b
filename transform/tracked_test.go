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
		annotation := func(key string) string { return map[string]string{TrackingAnnotation: tc.annotation}[key] }
		if got := Tracked(annotation, tc.label, tc.kind, "models", "iris"); got != tc.want {
			t.Errorf("%q, %q: %q, want %q", tc.annotation, tc.label, got, tc.want)
		}
	}
}

// What is in no namespace has that of the Application's destination in its annotation.
func TestTrackedOfCluster(t *testing.T) {
	kind := GroupKind{Group: "serving.kserve.io", Kind: "ClusterServingRuntime"}
	for id, want := range map[string]string{
		"shop:serving.kserve.io/ClusterServingRuntime:models/triton": "shop",
		"shop:serving.kserve.io/ClusterServingRuntime:models/other":  "",
		"shop:serving.kserve.io/LocalModelCache:models/triton":       "",
	} {
		if got := Tracked(func(string) string { return id }, "", kind, "", "triton"); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

// Helm's charts give everything the label.
func TestTrackedOfHelm(t *testing.T) {
	kind := GroupKind{Group: "serving.kserve.io", Kind: "InferenceService"}
	for id, want := range map[string]string{"": "", "shop:serving.kserve.io/InferenceService:models/iris": "shop"} {
		annotation := func(key string) string {
			return map[string]string{TrackingAnnotation: id, "meta.helm.sh/release-name": "release"}[key]
		}
		if got := Tracked(annotation, "release", kind, "models", "iris"); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

// A live object is of the Application that it names, whatever the namespace is of those that name none, unless the caller
// knows better.
func TestLiveApplication(t *testing.T) {
	runtimes := GroupKind{"serving.kserve.io", "ClusterServingRuntime"}
	said := rule("KS901", func(p *Pass) { p.Report(Report{Message: p.Object.Application()}) }, runtimes)
	for untracked, want := range map[bool]string{false: "shop", true: ""} {
		file := File{Path: "a", Live: true, Untracked: untracked, Namespace: "models", Data: []byte(`
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata:
  name: triton
  uid: triton
  resourceVersion: "1"
  annotations: {argocd.argoproj.io/tracking-id: "shop:serving.kserve.io/ClusterServingRuntime:argocd/triton"}
`)}
		result, err := Run(t.Context(), []File{file}, Config{Rules: []*Rule{said}})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Findings(); len(got) != 1 || got[0].Text() != want {
			t.Errorf("%t: %v", untracked, got)
		}
	}
}
