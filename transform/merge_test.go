package transform

import (
	"bytes"
	"errors"
	"testing"
)

// TestMerge holds a merged result against those that it is made of.
func TestMerge(t *testing.T) {
	var parts []*Result
	var stream []byte
	for _, files := range [][]File{
		{{Path: "a.yaml", Data: []byte(service), Application: "a"}, {Path: "values.yaml", Data: []byte("x: 1\n")}},
		{{Path: "b.yaml", Data: []byte("---\n" + service)}},
	} {
		part, err := Run(t.Context(), files, Config{Rules: []*Rule{wants("KS901", "a", "b", services)}})
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := part.Stream()
		if err != nil {
			t.Fatal(err)
		}
		stream = append(stream, bytes.Join(pieces, nil)...)
		parts = append(parts, part)
	}
	all := Merge(parts...)
	pieces, err := all.Stream()
	if got := bytes.Join(pieces, nil); err != nil || !bytes.Equal(got, stream) {
		t.Errorf("error %v, stream\n%s\nwant\n%s", err, got, stream)
	}
	if len(all.Files()) != 3 || all.Objects() != 2 || len(all.Skipped()) != 1 || len(all.Repaired()) != 2 {
		t.Errorf("%d files, %d objects, %v skipped, %v repaired", len(all.Files()), all.Objects(), all.Skipped(),
			all.Repaired())
	}
	for i, want := range []string{"InferenceService churn (application a)", "InferenceService churn"} {
		if got := all.Findings()[i].Subject(); got != want {
			t.Errorf("subject %q, want %q", got, want)
		}
	}
	parts[1].open[0].Fatal = true
	if _, err := Merge(parts...).Stream(); !errors.Is(err, ErrFatal) {
		t.Errorf("error %v, want %v", err, ErrFatal)
	}
}
