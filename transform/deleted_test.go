package transform

import (
	"slices"
	"strings"
	"testing"
)

// TestDeleted deletes services of one input. What is in another one now is not deleted, and what names no namespace may
// be in none.
func TestDeleted(t *testing.T) {
	removed := rule("KS901", nil, services)
	removed.Removed = func(p *Pass) { p.Report(Report{Message: "gone from " + p.Object.Namespace}) }
	removed.Changed = func(p *Pass) { p.Report(Report{Message: "changed"}) }
	in := func(path, namespace, text string) File {
		return File{Path: path, Namespace: namespace, Data: []byte(text)}
	}
	within := func(name, namespace string) string {
		return strings.Replace(named(name), "name: "+name, "name: "+name+"\n  namespace: "+namespace, 1)
	}
	for _, tc := range []struct {
		name            string
		previous, files []File
		want            []string
	}{
		{"deleted", []File{in("a", "x", named("one"))}, []File{in("a", "x", named("two"))}, []string{"one: gone from x"}},
		{"moved", []File{in("a", "x", named("one"))}, []File{in("b", "x", named("one"))}, nil},
		{"perhaps in none", []File{in("a", "x", named("one"))}, []File{in("b", "y", named("one"))}, nil},
		{"now in another", []File{in("a", "x", named("one"))}, []File{in("b", "y", within("one", "y"))},
			[]string{"one: gone from x"}},
		{"was in another", []File{in("a", "x", within("one", "z"))}, []File{in("b", "y", named("one"))},
			[]string{"one: gone from z"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := Config{Rules: []*Rule{removed}, Namespace: "w", Previous: tc.previous}
			result, err := Deleted(t.Context(), tc.files, config)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := Run(t.Context(), nil, Config{Rules: []*Rule{removed}, Previous: tc.previous, Apart: true})
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(result)
			var got []string
			for _, f := range sum.Findings() {
				got = append(got, f.Object.Name+": "+f.Text())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
