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
		moved[i].Message = "in other words"
	}
	open, accepted, unused := baseline.Accept(moved, r.Sources)
	if len(open) != 0 || len(accepted) != 5 || accepted[0].Accepted.By != ByBaseline {
		t.Errorf("open %v, accepted %v", open, accepted)
	}
	if len(unused) != 1 || unused[0] != "KS206: HorizontalPodAutoscaler ml/iris-predictor: metadata.name" {
		t.Errorf("unused %v; it is what the old baseline accepted", unused)
	}
	third := r.Findings[2]
	other := r.Findings[2]
	other.Category = "another"
	open, _, unused = baseline.Accept([]transform.Finding{third, third, third, other}, append(r.Sources, "apps/new"))
	if len(open) != 2 || len(unused) != 4 {
		t.Errorf("open %v, unused %v", open, unused)
	}
	if _, _, unused = baseline.Accept(nil, r.Sources[1:]); len(unused) != 0 {
		t.Errorf("unused %v, which may be of the source that is missing", unused)
	}
}

// TestReadFirstBaseline reads the first form. Its messages no longer count, and a rule that puts places together had an
// entry for each of them.
func TestReadFirstBaseline(t *testing.T) {
	r := sample()
	together := *r.Findings[0].Rule
	together.Together = true
	r.Findings[0].Rule = &together
	baseline, err := ReadBaseline([]byte(`{"version": 1, "sources": ["apps"], "findings": [
		{"rule": "` + together.ID + `", "object": "` + r.Findings[0].Object.String() + `", "path": "a", "message": "00"},
		{"rule": "` + together.ID + `", "object": "` + r.Findings[0].Object.String() + `", "path": "b", "message": "00"},
		{"rule": "KS203", "object": "InferenceService ml/iris", "path": "metadata.finalizers", "message": "01", "count": 2}
	]}`))
	if err != nil || !baseline.IsFirst() {
		t.Fatal(baseline, err)
	}
	third := r.Findings[1]
	if third.Rule.ID != "KS203" {
		t.Fatal(third.Rule.ID)
	}
	open, accepted, unused := baseline.Accept([]transform.Finding{r.Findings[0], third, third, third}, []string{"apps"})
	if len(open) != 1 || len(accepted) != 3 || unused != nil {
		t.Errorf("open %v, accepted %v, unused %v", open, accepted, unused)
	}
}

// TestBaselineLines checks that a line is one finding, whatever its object is called.
func TestBaselineLines(t *testing.T) {
	r := sample()
	r.Sources = []string{"a\nb"}
	named := *r.Findings[0].Object
	named.Name = "iris\nbaseline 3\nsource x"
	r.Findings = r.Findings[:1]
	r.Findings[0].Object = &named
	r.Accepted = nil
	data := written(t, func(b *bytes.Buffer) error { return WriteBaseline(b, r) })
	if n := bytes.Count(data, []byte("\n")); n != 4 {
		t.Errorf("%d lines: %s", n, data)
	}
	for _, text := range [][]byte{data, bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))} {
		baseline, err := ReadBaseline(text)
		if err != nil {
			t.Fatal(err)
		}
		if open, _, _ := baseline.Accept(r.Findings, nil); len(open) != 0 {
			t.Errorf("open %v", open)
		}
	}
	// A merge of two branches may leave a line twice.
	lines := bytes.SplitAfter(data, []byte("\n"))
	twice, err := ReadBaseline(append(data, lines[len(lines)-2]...))
	if err != nil {
		t.Fatal(err)
	}
	if open, _, _ := twice.Accept(append(r.Findings, r.Findings[0], r.Findings[0]), nil); len(open) != 1 {
		t.Errorf("%d of three are open, and two are accepted", len(open))
	}
}

func TestReadBaselineErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "not a baseline: it is empty; write one with -o baseline=FILE",
		"# nothing\n":                    "not a baseline: it is empty; write one with -o baseline=FILE",
		"baseline 3\n":                   `not a baseline: its first line is not "baseline 2"; `,
		"KS101: X y: z\nbaseline 2\n":    `not a baseline: its first line is not "baseline 2"; write one`,
		`{"version": 2, "findings": []}`: "a baseline of version 2 in JSON; this program reads version 1, and text of version 2",
		`{"version": 1, "rules": []}`:    `not a baseline: json: unknown field "rules"`,
		`{"version": 1} {}`:              "not a baseline: something follows it",
	} {
		if _, err := ReadBaseline([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
