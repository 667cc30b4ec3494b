package rules_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/transformtest"
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

// TestConcernsLLM checks what ConcernsLLM says: in manifests with LLMInferenceServices and without InferenceServices,
// exactly those rules report something.
func TestConcernsLLM(t *testing.T) {
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	every := suite
	every.Open = func(ctx context.Context, c transformtest.Case) ([]transform.File, transform.Config, error) {
		files, config, err := suite.Open(ctx, c)
		config.Select = nil
		return files, config, err
	}
	reported := map[*transform.Rule]bool{}
	for _, c := range cases {
		manifests, _ := os.ReadFile(c.Input)
		previous, _ := os.ReadFile(c.Previous)
		manifests = append(manifests, previous...)
		if !hasKind(manifests, "LLMInferenceService(Config)?") || hasKind(manifests, "InferenceService|.*Runtime") {
			continue
		}
		outcome, err := every.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range outcome.Result.Findings() {
			reported[f.Rule] = true
		}
	}
	for _, rule := range rules.All {
		if rules.ConcernsLLM(rule) != reported[rule] {
			t.Errorf("%s: it says that it concerns LLMInferenceServices: %t, and reports in their cases: %t",
				rule.ID, rules.ConcernsLLM(rule), reported[rule])
		}
	}
}

func hasKind(manifests []byte, kind string) bool {
	return regexp.MustCompile("(?m)^kind: (" + kind + ")\\b").Match(manifests)
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

// TestNewerRelease checks that what a newer release of KServe may allow is never an error and stays.
func TestNewerRelease(t *testing.T) {
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, c := range cases {
		group := c.Name[:len("KS7")]
		if group != "KS7" && group != "KS8" || !strings.Contains(c.Name, "/0.21.0/") {
			continue
		}
		outcome, err := suite.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range outcome.Result.Findings() {
			found[group]++
			if f.Severity == transform.Error || len(f.Edits) > 0 || !strings.HasSuffix(f.Message, "yours is newer") {
				t.Errorf("%s: an error, a repair, or nothing about the release: %s", c.Name, f)
			}
		}
	}
	if found["KS7"] == 0 || found["KS8"] == 0 {
		t.Errorf("no case has a finding of one of the groups: %v", found)
	}
}
