package transform_test

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var update = flag.Bool("update", false, "write the golden files")

// TestRules runs the cases under testdata/rules and, beyond what they expect, asserts what holds for every case:
// repairing the output changes nothing and finds nothing to repair, splitting loses nothing, and an input with
// CRLF line ends gives the same output with CRLF line ends.
func TestRules(t *testing.T) {
	cases, err := golden.Find(filepath.Join("..", "testdata", "rules"), *update)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			outcome, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := c.Update(outcome); err != nil {
					t.Fatal(err)
				}
			}
			if differences, err := c.Check(outcome); err != nil || differences != "" {
				t.Errorf("%v\n%s", err, differences)
			}
			if outcome.Result.Fatal() {
				return
			}
			checkIdempotent(t, c, outcome)
			checkLossless(t, outcome)
			checkCRLF(t, c, outcome)
		})
	}
}

func repair(t *testing.T, c golden.Case, name string, data []byte) golden.Outcome {
	t.Helper()
	outcome, err := c.Repair(context.Background(), []transform.File{{Path: name, Data: data}})
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func checkIdempotent(t *testing.T, c golden.Case, first golden.Outcome) {
	second := repair(t, c, "output.yaml", first.Output)
	if !bytes.Equal(second.Output, first.Output) {
		t.Errorf("the output changes when it is repaired again:\n%s", second.Diff)
	}
	for _, f := range second.Result.Findings {
		if len(f.Edits) > 0 {
			t.Errorf("the output still has something to repair: %s %s", f.Rule.ID, f.Message)
		}
	}
}

func checkLossless(t *testing.T, outcome golden.Outcome) {
	for _, f := range outcome.Result.Files() {
		documents, err := yamldoc.Split(f.Before)
		if err != nil {
			t.Fatal(err)
		}
		var whole []byte
		for _, d := range documents {
			whole = append(append(whole, d.Head...), d.Body...)
		}
		if !bytes.Equal(whole, f.Before) {
			t.Errorf("splitting %s loses bytes", f.File.Path)
		}
	}
}

func checkCRLF(t *testing.T, c golden.Case, outcome golden.Outcome) {
	files := outcome.Result.Files()
	if len(files) != 1 || bytes.Contains(files[0].Before, []byte("\r")) {
		return
	}
	crlf := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
	got := repair(t, c, files[0].File.Path, crlf(files[0].Before))
	if want := crlf(outcome.Output); !bytes.Equal(got.Output, want) {
		t.Errorf("with CRLF line ends:\n%s", strings.ReplaceAll(string(got.Diff), "\r", "␍"))
	}
}
