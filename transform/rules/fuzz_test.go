package rules_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// FuzzTransform repairs any input under several settings. Nothing may crash, be called an internal error or fail the
// proof, the output must stay the same when it is repaired again, with nothing left to repair, and documents without an
// edit must keep their bytes.
func FuzzTransform(f *testing.F) {
	cases := filepath.Join("..", "..", "testdata", "rules")
	err := filepath.WalkDir(cases, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".json"}, filepath.Ext(path)) {
			return err
		}
		data, err := os.ReadFile(path)
		f.Add(data, uint8(len(data)))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, choice uint8) {
		config, _, err := fuzzOptions(choice).Config()
		if err != nil {
			t.Fatal(err)
		}
		result, err := transform.Run(t.Context(), []transform.File{{Path: "input", Data: data}}, config)
		if err != nil {
			if strings.Contains(err.Error(), "internal error") || strings.Contains(err.Error(), "disagree") {
				t.Fatal(err)
			}
			return
		}
		for _, f := range result.Findings() {
			if f.Rule == rules.NotRepaired {
				t.Fatal(f)
			}
		}
		checkUntouched(t, result)
		pieces, err := result.Stream()
		if err != nil {
			return
		}
		once := bytes.Join(pieces, nil)
		result, err = transform.Run(t.Context(), []transform.File{{Path: "output", Data: once}}, config)
		if err != nil {
			t.Fatalf("the output can't be read: %v\n%s", err, once)
		}
		if pieces, err = result.Stream(); err != nil {
			t.Fatal(err)
		}
		if twice := bytes.Join(pieces, nil); !bytes.Equal(twice, once) {
			t.Errorf("once:\n%s\ntwice:\n%s", once, twice)
		}
		if left := result.Repaired(); len(left) > 0 {
			t.Errorf("left to repair: %v", left)
		}
	})
}

// fuzzOptions makes settings of a number.
func fuzzOptions(choice uint8) rules.Options {
	versions := []string{
		"unknown", "0.11.2", "0.12.0", "0.14.1", "0.15.0", "0.15.2", "0.16.0", "0.17.1", "0.19.0", "0.20.0",
	}
	modes := []string{"", "Standard", "Knative"}
	rewrites := []rules.DeploymentModeRewrite{rules.DeploymentModeRewriteAuto, rules.DeploymentModeRewriteAlways}
	n := int(choice)
	return rules.Options{
		KServeVersion:         versions[n%len(versions)],
		DefaultDeploymentMode: modes[n/len(versions)%len(modes)],
		DeploymentModeRewrite: rewrites[n%len(rewrites)],
		Probes:                []rules.Probes{rules.ProbesAuto, rules.ProbesAlways, rules.ProbesTCP}[n%3],
		Namespace:             []string{"", "retention"}[n/3%2],
	}
}

// checkUntouched checks that only documents with an edit change, and that no document comes or goes.
func checkUntouched(t *testing.T, result *transform.Result) {
	var edited []int // lines
	for _, f := range result.Findings() {
		for _, e := range f.Edits {
			first, _ := e.Lines()
			edited = append(edited, first)
		}
	}
	for _, f := range result.Files() {
		before, errBefore := yamldoc.Split(f.Before)
		after, errAfter := yamldoc.Split(f.After)
		if errBefore != nil || errAfter != nil || len(before) != len(after) {
			t.Fatalf("%d documents became %d (%v, %v):\n%s", len(before), len(after), errBefore, errAfter, f.After)
		}
		for i := range before {
			holds := func(line int) bool {
				return line >= before[i].Line && (i+1 == len(before) || line < before[i+1].Line)
			}
			if !bytes.Equal(before[i].Head, after[i].Head) ||
				!bytes.Equal(before[i].Body, after[i].Body) && !slices.ContainsFunc(edited, holds) {
				t.Errorf("document %d changed without an edit:\n%s", i, after[i].Body)
			}
		}
	}
}
