package transform

import (
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestAsOf runs an old rule, an old rule with a newer repair, and new rules, one of them fatal.
func TestAsOf(t *testing.T) {
	old := wants("KS901", "one", "1", services)
	old.Since = Release{1, 0}
	widened := rule("KS902", func(p *Pass) {
		if at := (yamldoc.Path{"metadata", "annotations", "two"}); p.Object.Annotation("two") == "" {
			p.Report(Report{At: at, Message: "no two", Since: Release{1, 1}, Edits: p.Object.Edits(yamldoc.Set(at, "2"))})
		}
	}, services)
	widened.Since = Release{1, 0}
	added := wants("KS903", "three", "3", services)
	added.Since = Release{1, 2}
	fatal := rule("KS904", func(p *Pass) {
		p.Report(Report{At: yamldoc.Path{"spec"}, Message: "stop", Fatal: p.Object.Annotation("three") == ""})
	}, services)
	fatal.Since = Release{1, 2}
	removed := rule("KS905", nil, services)
	removed.Since, removed.Removed = Release{1, 2}, func(p *Pass) { p.Report(Report{Message: "gone"}) }

	for _, tc := range []struct {
		asOf     Release
		fatal    bool
		repaired []string
		want     []string
	}{
		{Release{}, true, nil, []string{
			"error KS901: no one", "error KS902: no two", "error KS903: no three", "error KS904: stop", "error KS905: gone"}},
		{Release{1, 2}, true, nil, []string{
			"error KS901: no one", "error KS902: no two", "error KS903: no three", "error KS904: stop", "error KS905: gone"}},
		{Release{1, 1}, false, []string{"one", "two"}, []string{
			"error KS901: no one", "error KS902: no two",
			"advice KS903: no three; not repaired: only rules as of 1.2 repair it",
			"advice KS904: stop", "advice KS905: gone"}},
		{Release{1, 0}, false, []string{"one"}, []string{
			"error KS901: no one", "error KS902: no two; not repaired: only rules as of 1.1 repair it",
			"advice KS903: no three; not repaired: only rules as of 1.2 repair it",
			"advice KS904: stop", "advice KS905: gone"}},
	} {
		t.Run(tc.asOf.String(), func(t *testing.T) {
			result, err := Run(t.Context(), []File{{Path: "input", Data: []byte(service)}}, Config{
				Rules: []*Rule{old, widened, added, fatal, removed}, AsOf: tc.asOf,
				Previous: []File{{Path: "previous", Data: []byte(named("gone"))}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range result.Findings() {
				got = append(got, string(f.Severity)+" "+f.Rule.ID+": "+f.Text())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if result.Fatal() != tc.fatal {
				t.Fatalf("fatal %t, want %t", result.Fatal(), tc.fatal)
			}
			if tc.fatal {
				return
			}
			want := service
			for _, key := range tc.repaired {
				want = annotated(t, want, key)
			}
			if pieces, err := result.Stream(); err != nil || string(slices.Concat(pieces...)) != want {
				t.Errorf("error %v, got\n%s\nwant\n%s", err, slices.Concat(pieces...), want)
			}
		})
	}
}

// annotated returns what [TestAsOf]'s rule for the annotation makes of a service.
func annotated(t *testing.T, text, key string) string {
	t.Helper()
	value := map[string]string{"one": "1", "two": "2"}[key]
	output, err := generate(t, []*Rule{wants("KS901", key, value, services)}, File{Path: "input", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}
