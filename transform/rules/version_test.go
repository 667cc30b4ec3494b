package rules_test

import (
	"context"
	"embed"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/transformtest"
)

func TestParseVersion(t *testing.T) {
	for _, tc := range []struct {
		text string
		want transform.Release
		err  string
	}{
		{"", rules.Newest, ""},
		{"newest", rules.Newest, ""},
		{"0.2", transform.Release{0, 2}, ""},
		{"v0.2", transform.Release{0, 2}, ""},
		{"0.1", transform.Release{}, "the first rules are those of 0.2"},
		{"99.0", transform.Release{}, "install a release 99.0.x of the plugin, or lower the setting"},
		{"0.2.0", transform.Release{}, "is not newest or x.y"},
		{"0.02", transform.Release{}, "without leading zeros"},
		{"2", transform.Release{}, "is not newest or x.y"},
		{"latest", transform.Release{}, "is not newest or x.y"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			got, err := rules.ParseVersion(tc.text)
			if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got %v and error %v, want %v and %q", got, err, tc.want, tc.err)
			}
		})
	}
}

// TestSince checks that each rule names the version of the catalogue that it came with.
func TestSince(t *testing.T) {
	for _, rule := range rules.All {
		if _, err := rules.ParseVersion(rule.Since.Minor()); err != nil || rule.Since[2] != 0 {
			t.Errorf("%s: Since is %s, want a version of the catalogue from %s to %s",
				rule.ID, rule.Since, rules.First.Minor(), rules.Newest.Minor())
		}
	}
}

//go:embed testdata/versions
var versions embed.FS

// TestFrozen keeps the rules of a version: testdata/versions has a file for each, with their IDs. A new rule does not
// belong to a version that is released.
func TestFrozen(t *testing.T) {
	came := map[string][]string{}
	for _, rule := range rules.All {
		if strings.HasPrefix(rule.ID, "KS99") {
			continue // of an example
		}
		came[rule.Since.Minor()] = append(came[rule.Since.Minor()], rule.ID)
	}
	for version, ids := range came {
		slices.Sort(ids)
		got, err := versions.ReadFile("testdata/versions/" + version + ".txt")
		if want := strings.Join(ids, "\n") + "\n"; err != nil || string(got) != want {
			t.Errorf("the rules with Since %s are not those in testdata/versions/%[1]s.txt (%v): a new rule names "+
				"a version that is not released yet, and stands in its file. They are\n%s", version, err, want)
		}
	}
}

// TestWithheld runs each case under a version of the catalogue that is older than its rule, as if the rule were new. No
// byte changes because of the rule, what the others repair is still proved, and nothing is worse than advice.
func TestWithheld(t *testing.T) {
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	withAll := func(asOf transform.Release) transformtest.Suite {
		all := suite
		all.Open = func(ctx context.Context, c transformtest.Case) ([]transform.File, transform.Config, error) {
			files, config, err := suite.Open(ctx, c)
			config.Select, config.AsOf = nil, asOf
			config.Rules = slices.Clone(config.Rules)
			for i, rule := range config.Rules {
				if strings.HasPrefix(c.Name, rule.ID+"/") {
					added := *rule
					added.Since = transform.Release{rules.Newest[0] + 1}
					config.Rules[i] = &added
				}
			}
			return files, config, err
		}
		return all
	}
	newest, older := withAll(transform.Release{}), withAll(rules.Newest)
	for _, c := range cases {
		with, err := newest.Run(t.Context(), c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		without, err := older.Run(t.Context(), c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if unproved(without) > unproved(with) {
			t.Errorf("%s: a document is left as it came because a repair is withheld:\n%s", c.Name, without.Diff)
		}
		for _, f := range without.Result.Findings() {
			newer := f.Rule.Since.Compare(rules.Newest) > 0
			if newer && (f.Severity != transform.Advice || f.Fatal || len(f.Edits) > 0) {
				t.Errorf("%s: a newer rule edits, or is worse than advice: %s", c.Name, f)
			}
		}
	}
}

// unproved counts the documents that are left unchanged.
func unproved(o *transformtest.Outcome) int {
	n := 0
	for _, f := range o.Result.Findings() {
		if f.Rule == rules.NotRepaired {
			n++
		}
	}
	return n
}
