package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// TestBaseline writes a baseline and accepts findings with it.
func TestBaseline(t *testing.T) {
	r := sample()
	r.Sources = []string{"apps/iris", "apps/rose"}
	r.Findings = append(r.Findings, r.Findings[2]) // the same twice
	baseline, err := ReadBaseline(written(t, func(b *bytes.Buffer) error { return WriteBaseline(b, r) }))
	if err != nil {
		t.Fatal(err)
	}
	moved := slices.Clone(r.Findings)
	for i := range moved {
		moved[i].Line += 7
	}
	open, accepted, unused := baseline.Accept(moved, r.Sources)
	if len(open) != 0 || len(accepted) != 5 || accepted[0].Accepted.By != ByBaseline {
		t.Errorf("open %v, accepted %v", open, accepted)
	}
	if len(unused) != 1 || unused[0].String() != "HorizontalPodAutoscaler ml/iris-predictor: KS206: metadata.name" {
		t.Errorf("unused %v; it is what the old baseline accepted", unused)
	}
	third := r.Findings[2]
	other := r.Findings[2]
	other.Message = "another"
	open, _, unused = baseline.Accept([]transform.Finding{third, third, third, other}, append(r.Sources, "apps/new"))
	if len(open) != 2 || len(unused) != 4 {
		t.Errorf("open %v, unused %v", open, unused)
	}
	if _, _, unused = baseline.Accept(nil, r.Sources[1:]); len(unused) != 0 {
		t.Errorf("unused %v, which may be of the source that is missing", unused)
	}
}

func TestReadBaselineErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "not a baseline: EOF; write one with -o baseline=FILE",
		`{"version": 2, "findings": []}`: "a baseline of version 2; this program reads version 1",
		`{"version": 1, "rules": []}`:    `not a baseline: json: unknown field "rules"`,
		`{"version": 1} {}`:              "not a baseline: something follows it",
	} {
		if _, err := ReadBaseline([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
