package rules_test

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// TestTogether checks that no repair of a rule brings up a finding of another one: it runs the inputs of all cases with
// the whole catalogue, for every release.
func TestTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every case with every release")
	}
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		files, _, err := suite.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range schema.Releases() {
			config, _, err := rules.Options{KServeVersion: release.String()}.Config()
			if err != nil {
				t.Fatal(err)
			}
			result, err := transform.Run(t.Context(), files, config)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range result.Findings() {
				if f.Rule.ID == "KS000" {
					t.Errorf("%s, KServe %s: %s", c.Name, release, f.Message)
				}
			}
		}
	}
}
