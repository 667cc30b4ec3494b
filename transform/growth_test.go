package transform

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestGrowth counts how often rules are called, which grows with the number of objects and not with its square, also
// where repairs fail.
func TestGrowth(t *testing.T) {
	annotate := func(p *Pass, keys ...string) {
		for _, key := range keys {
			if at := (yamldoc.Path{"metadata", "annotations", key}); p.Object.Annotation(key) == "" {
				p.Report(Report{At: at, Message: "no " + key, Edits: p.Object.Edits(yamldoc.Set(at, "x"))})
			}
		}
	}
	refuses := func(keys ...string) *Rule {
		return rule("KS902", func(p *Pass) {
			for _, key := range keys {
				if p.Object.Annotation(key) != "" {
					p.Report(Report{At: yamldoc.Path{"metadata", "annotations", key}, Message: "refused " + key})
				}
			}
		}, services)
	}
	for _, tc := range []struct {
		name string
		rule func(p *Pass) // the first one
		then *Rule
		want string // in each document
	}{
		{"one finding of a rule is guilty", func(p *Pass) { annotate(p, "a", "b", "c") }, refuses("b"),
			"  annotations:\n    a: x\n    c: x\nspec"},
		{"no finding of a rule is guilty alone", func(p *Pass) { annotate(p, "a", "b", "c") }, refuses("b", "c"), "\nspec"},
		{"rules that disagree", func(p *Pass) { annotate(p, "a") }, wants("KS902", "a", "y", services), "\nspec"},
		{"findings of a rule that disagree", func(p *Pass) {
			for _, value := range []string{"x", "y"} {
				if at := (yamldoc.Path{"metadata", "annotations", "a"}); p.Object.Annotation("a") == "" {
					p.Report(Report{At: at, Category: value, Edits: p.Object.Edits(yamldoc.Set(at, value))})
				}
			}
		}, refuses("b"), "  annotations:\n    a: x\nspec"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := func(n int) int64 {
				var count atomic.Int64
				rules := []*Rule{rule("KS901", func(p *Pass) { count.Add(1); tc.rule(p) }, services), tc.then}
				documents := make([]string, n)
				for i := range documents {
					documents[i] = named(fmt.Sprint("s", i))
				}
				files := []File{{Path: "app.yaml", Data: []byte(strings.Join(documents, "---\n"))}}
				result, err := Run(t.Context(), files, Config{Rules: rules, NotRepaired: notRepaired})
				if err != nil {
					t.Fatal(err)
				}
				if after := string(result.Files()[0].After); strings.Count(after, tc.want) != n {
					t.Errorf("want %q in %d documents:\n%s", tc.want, n, after)
				}
				return count.Load()
			}
			if small, large := calls(10), calls(100); large > 12*small {
				t.Errorf("%d calls become %d with ten times the objects", small, large)
			}
		})
	}
}
