package transform

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestCameAgain checks that objects have their own names, nodes and facts after a repair, also those of a large input.
func TestCameAgain(t *testing.T) {
	moved := rule("KS992", func(p *Pass) {
		if at := (yamldoc.Path{"metadata", "namespace"}); p.Object.Namespace == "" {
			p.Report(Finding{At: at, Message: "not moved", Edits: p.Object.Edits(yamldoc.Set(at, "team"))})
		}
	}, services)
	var text strings.Builder
	for i := range manyLong {
		text.WriteString(named(fmt.Sprintf("s-%d", i)) + longComment + "---\n")
	}
	for _, data := range []string{service, text.String()} {
		config := Config{
			Rules: []*Rule{wants("KS991", "owner", "us", services), moved},
			Facts: func(o *Object) any { return o.Namespace + o.Annotation("owner") },
		}
		result, err := Run(t.Context(), []File{{Path: "a", Data: []byte(data)}}, config)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range slices.Backward(result.Findings()) { // the last ones have trees
			o := f.Object
			if len(f.Edits) != 1 || o.Namespace != "" || o.Annotation("owner") != "" || o.Facts() != "" {
				t.Fatalf("%s with %d edits, annotation %q and facts %q",
					o, len(f.Edits), o.Annotation("owner"), o.Facts())
			}
		}
	}
}

// TestFactsWithdrawn checks the facts of a document whose edits are withdrawn.
func TestFactsWithdrawn(t *testing.T) {
	var calls atomic.Int32
	var seen []string
	config := Config{
		Rules: []*Rule{wants("KS991", "owner", "us", services), only(again("KS992"), "b")},
		Facts: func(o *Object) any { calls.Add(1); return o.Name + o.Annotation("owner") },
		Index: func(r *Render) any {
			before := calls.Load()
			for _, o := range r.All() {
				seen = append(seen, o.Facts().(string))
			}
			if more := calls.Load() - before; more > 0 {
				t.Errorf("%d calls of Facts to build an index", more)
			}
			return nil
		},
	}
	files := []File{{Path: "a", Data: []byte(named("a"))}, {Path: "b", Data: []byte(named("b"))}}
	if _, err := Run(t.Context(), files, config); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(seen[:6], " "), "a b aus bus aus b"; got != want {
		t.Errorf("the indexes see %s, want %s", got, want)
	}
}

// TestIgnoresEdited checks comments in a document whose lines move: they cover the same text, and one that covers
// nothing is reported.
func TestIgnoresEdited(t *testing.T) {
	data := strings.Replace(service, "spec:", "# argocd-kserve-plugin/ignore: KS992: it is wanted\nspec:", 1) +
		"# argocd-kserve-plugin/ignore: KS993: it was wanted\nother: {}\n"
	spec := rule("KS992", func(p *Pass) { p.Report(Finding{At: yamldoc.Path{"spec"}, Message: "a spec"}) }, services)
	rules := []*Rule{wants("KS991", "owner", "us", services), spec, rule("KS993", func(*Pass) {}, services)}
	result, err := Run(t.Context(), []File{{Path: "a", Data: []byte(data)}}, Config{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	if left := result.Left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if len(result.Repaired()) != 1 || len(result.Accepted) != 1 || len(result.Unused) != 1 {
		t.Errorf("repaired: %v, accepted: %v, unused: %v", result.Repaired(), result.Accepted, result.Unused)
	}
}

// TestFailurePosition checks that what stays as it came is named by its line there.
func TestFailurePosition(t *testing.T) {
	list := "apiVersion: v1\nkind: List\nitems:\n"
	for _, name := range []string{"a", "b"} {
		list += "- apiVersion: serving.kserve.io/v1beta1\n  kind: InferenceService\n  metadata:\n    name: " + name + "\n"
	}
	config := Config{Rules: []*Rule{wants("KS991", "owner", "us", services), only(again("KS992"), "b")}}
	result, err := Run(t.Context(), []File{{Path: "a", Data: []byte(list)}}, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Findings() {
		if f.Rule == NotRepaired && f.Line == 8 {
			return
		}
	}
	t.Errorf("no failure in line 8: %v", result.Findings())
}

// TestObjectsAdded checks that edits which add or remove objects are not made, and leave the names.
func TestObjectsAdded(t *testing.T) {
	list := "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(service), "\n", "\n  ") + "\n"
	split := func(p *Pass) {
		item := yamldoc.Map{{Key: "kind", Value: "Part"}}
		edit := yamldoc.Set(yamldoc.Path{"items"}, []any{item, item})
		p.Report(Finding{Message: "not split", Edits: p.Object.Edits(edit)})
	}
	remove := func(p *Pass) {
		p.Report(Finding{Message: "not removed", Edits: p.Object.Edits(yamldoc.Delete(yamldoc.Path{}))})
	}
	for data, run := range map[string]func(*Pass){service: split, list: remove} {
		result, err := Run(t.Context(), []File{{Path: "a", Data: []byte(data)}}, Config{Rules: []*Rule{
			rule("KS991", run, services),
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Repaired()) > 0 || len(result.Findings()) != 2 {
			t.Fatalf("%v", result.Findings())
		}
		for _, f := range result.Findings() {
			if f.Object.Name != "churn" || f.Rule == NotRepaired && f.Message != "the edits add or remove objects" {
				t.Errorf("%v", f)
			}
		}
	}
}
