package transform

import (
	"slices"
	"strings"
	"testing"
)

// run repairs one document and returns the IDs of the rules that found something.
func run(t *testing.T, manifest string, opts Options) ([]string, error) {
	t.Helper()
	result, err := Run(t.Context(), []File{{Path: "app.yaml", Data: []byte(manifest)}}, opts)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range result.Findings {
		ids = append(ids, f.Rule.ID)
	}
	return ids, nil
}

func TestSuppress(t *testing.T) {
	const head = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n"
	tests := []struct {
		name     string
		metadata string
		want     []string
	}{
		{"nothing", "  name: a\n  finalizers:\n  - kserve.io/protect\n", []string{"KS203"}},
		{"by annotation", "  name: a\n  annotations:\n    argocd-kserve-plugin/ignore: 'KS203: the team keeps it'\n  finalizers: [kserve.io/protect]\n", nil},
		{"several by annotation", "  name: a\n  annotations:\n    argocd-kserve-plugin/ignore: 'KS202: old; KS203: the team keeps it'\n  finalizers: [kserve.io/protect]\n", nil},
		{"another rule by annotation", "  name: a\n  annotations:\n    argocd-kserve-plugin/ignore: 'KS202: the team keeps it'\n  finalizers: [kserve.io/protect]\n", []string{"KS203"}},
		{"on the line", "  name: a\n  finalizers:\n  - kserve.io/protect # argocd-kserve-plugin/ignore: KS203: the team keeps it\n", nil},
		{"on the line above", "  name: a\n  finalizers:\n  # argocd-kserve-plugin/ignore: KS203: the team keeps it\n  - kserve.io/protect\n", nil},
		{"with CRLF", "  name: a\r\n  finalizers:\r\n  # argocd-kserve-plugin/ignore: KS203: the team keeps it\r\n  - kserve.io/protect\r\n", nil},
		{"two lines above", "  # argocd-kserve-plugin/ignore: KS203: the team keeps it\n  name: a\n  finalizers:\n  - kserve.io/protect\n", []string{"KS203"}},
		{"at the end of the line above", "  name: a\n  finalizers: # argocd-kserve-plugin/ignore: KS203: of something else\n  - kserve.io/protect\n", []string{"KS203"}},
		{"another rule on the line", "  name: a\n  finalizers:\n  - kserve.io/protect # argocd-kserve-plugin/ignore: KS202: the team keeps it\n", []string{"KS203"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := run(t, head+tt.metadata+"spec: {maxReplicas: 2}\n", Options{})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("found %v (%v), want %v", got, err, tt.want)
			}
		})
	}
}

func TestSuppressErrors(t *testing.T) {
	tests := []struct{ name, metadata, want string }{
		{"no reason", "annotations: {argocd-kserve-plugin/ignore: KS203}", `app.yaml:5:17: annotation argocd-kserve-plugin/ignore: KS203 has no reason; write "KS203: why it is accepted"`},
		{"a blank reason", `annotations: {argocd-kserve-plugin/ignore: "KS203: "}`, "KS203 has no reason"},
		{"a reason missing in the second", `annotations: {argocd-kserve-plugin/ignore: "KS202: old; KS203:"}`, "KS203 has no reason"},
		{"an empty annotation", `annotations: {argocd-kserve-plugin/ignore: ""}`, `"" is no rule`},
		{"a null annotation", "annotations: {argocd-kserve-plugin/ignore: }", `"" is no rule`},
		{"no such rule", `annotations: {argocd-kserve-plugin/ignore: "KS999: because"}`, `"KS999" is no rule`},
		{"a comment without a reason", "labels: {a: b} # argocd-kserve-plugin/ignore: KS203", `app.yaml:5:18: KS203 has no reason`},
		{"a comment for no rule", "labels: {a: b} # argocd-kserve-plugin/ignore: all: please", `app.yaml:5:18: "all" is no rule`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := run(t, "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: a\n  "+tt.metadata+"\n", Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %s", err, tt.want)
			}
		})
	}
}
