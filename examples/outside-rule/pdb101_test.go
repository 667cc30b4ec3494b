package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/transformtest"
)

// TestRules runs the cases below testdata. UPDATE_GOLDEN=1 writes what is expected of them.
func TestRules(t *testing.T) {
	rules := []*transform.Rule{disruptionBudgetVersion}
	suite := transformtest.Suite{Dir: "testdata", Open: transformtest.Files(transform.Config{Rules: rules})}
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
	if err := suite.Uncovered(t.Context(), rules); err != nil {
		t.Error(err)
	}
}

func TestRun(t *testing.T) {
	const budget = "testdata/PDB101/unknown/budget.yaml"
	for _, tc := range []struct {
		name           string
		args           []string
		stdout, stderr string // parts
		err            string
	}{
		{"repaired", []string{"-release=1.25.3", budget}, "apiVersion: policy/v1 #", "error: \"" + budget + ":3:1: ", ""},
		{"nothing known", []string{budget}, "apiVersion: policy/v1beta1 #", "not repaired: needs the setting release", ""},
		{"no release", []string{"-release=1.25", budget}, "", "", "write x.y.z"},
		{"no such file", []string{"testdata/none.yaml"}, "", "", "testdata/none.yaml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			err := run(t.Context(), tc.args, &stdout, &stderr)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if !strings.Contains(stdout.String(), tc.stdout) || !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
			}
		})
	}
}
