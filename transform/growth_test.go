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
	}{
		{"one finding of a rule is guilty", func(p *Pass) { annotate(p, "a", "b", "c") }, refuses("b")},
		{"several findings of a rule are guilty", func(p *Pass) { annotate(p, "a", "b", "c") }, refuses("b", "c")},
		{"rules that disagree", func(p *Pass) { annotate(p, "a") }, wants("KS902", "a", "y", services)},
		{"findings of a rule that disagree", func(p *Pass) {
			for _, value := range []string{"x", "y"} {
				if at := (yamldoc.Path{"metadata", "annotations", "a"}); p.Object.Annotation("a") == "" {
					p.Report(Report{At: at, Category: value, Edits: p.Object.Edits(yamldoc.Set(at, value))})
				}
			}
		}, refuses("b")},
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
				if _, err := Run(t.Context(), files, Config{Rules: rules, NotRepaired: notRepaired}); err != nil {
					t.Fatal(err)
				}
				return count.Load()
			}
			if small, large := calls(10), calls(100); large > 12*small {
				t.Errorf("%d calls become %d with ten times the objects", small, large)
			}
		})
	}
}
