package rules_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

var suite = golden.Suite(filepath.Join("..", "..", "testdata", "rules"))

// TestRules runs the cases under testdata/rules.
func TestRules(t *testing.T) {
	update := os.Getenv("UPDATE_GOLDEN") != ""
	cases, err := suite.Find(update)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			problems, err := suite.Check(t.Context(), c, update)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range problems {
				t.Error(problem)
			}
		})
	}
}

// TestCatalogue checks that the catalogue is sound and that a case proves each rule.
func TestCatalogue(t *testing.T) {
	if err := transform.Validate(rules.All); err != nil {
		t.Error(err)
	}
	if err := suite.Uncovered(t.Context(), rules.All); err != nil {
		t.Error(err)
	}
}
