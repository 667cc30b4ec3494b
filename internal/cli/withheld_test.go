package cli

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/run"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestWithheld checks what people learn about repairs that only newer rules make: two that an old rule learned, of two
// versions, and one of a new rule.
func TestWithheld(t *testing.T) {
	repair := func(key string, since transform.Release) func(*transform.Pass) {
		return func(p *transform.Pass) {
			if at := (yamldoc.Path{"data", key}); p.Object.Get(at...) == nil {
				p.Report(transform.Report{At: at, Message: "no " + key, Since: since,
					Edits: p.Object.Edits(yamldoc.Set(at, "yes"))})
			}
		}
	}
	catalogue := []*transform.Rule{
		{ID: "KS991", Name: "a", Since: transform.Release{0, 2}, Run: repair("a", transform.Release{0, 3})},
		{ID: "KS992", Name: "b", Since: transform.Release{0, 2}, Run: repair("b", transform.Release{0, 10})},
		{ID: "KS993", Name: "c", Since: transform.Release{0, 4}, Run: repair("c", transform.Release{0, 4})},
	}
	for _, r := range catalogue {
		r.Title, r.Doc, r.Example, r.Severity = "A problem", "What breaks.", "unknown/a", transform.Warning
		r.Kinds = []transform.GroupKind{{Kind: "ConfigMap"}}
	}
	file := transform.File{Path: "a.yaml", Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {}\n")}
	known := &settings.Settings{Options: rules.Options{DefaultDeploymentMode: "Standard"}}
	for _, tc := range []struct {
		asOf          transform.Release
		summary, tail string
	}{
		{transform.Release{}, "1 object, 1 repaired (KS991 KS992 KS993)", "\n3 repairable: run fix\n"},
		{transform.Release{0, 3}, "1 object, 1 repaired (KS991), 1 NOT repaired: KS992 needs rules-as-of 0.10; run check",
			"\n1 repairable: run fix\n2 more repairable with rules-as-of 0.10: see diff --rules-as-of 0.10\n"},
	} {
		t.Run(tc.asOf.Minor(), func(t *testing.T) {
			result, err := transform.Run(t.Context(), []transform.File{file}, transform.Config{Rules: catalogue, AsOf: tc.asOf})
			if err != nil {
				t.Fatal(err)
			}
			out := &run.Outcome{Result: result, Path: "a.yaml", Settings: known}
			if got := summary(out, out.Left()); got != tc.summary {
				t.Errorf("summary %q, want %q", got, tc.summary)
			}
			if got := newChecked(out, "warning").conclusion(out.Problems(), 0); !strings.HasSuffix(got, tc.tail) {
				t.Errorf("conclusion %q, want it to end with %q", got, tc.tail)
			}
		})
	}
}
