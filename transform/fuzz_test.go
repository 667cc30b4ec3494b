package transform

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// FuzzTransform repairs whatever the fuzzer thinks of, under several settings. Nothing may crash or be called an internal
// error, what comes out must come out the same a second time, with nothing left to repair, and documents without an edit
// must keep their bytes.
func FuzzTransform(f *testing.F) {
	err := filepath.WalkDir(filepath.Join("..", "testdata", "rules"), func(path string, entry fs.DirEntry, err error) error {
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
		opts := fuzzOptions(choice)
		result, err := Run(t.Context(), []File{{Path: "input", Data: data}}, opts)
		if err != nil {
			if strings.Contains(err.Error(), "internal error") || strings.Contains(err.Error(), "disagree") {
				t.Fatal(err)
			}
			return
		}
		checkUntouched(t, result)
		pieces, err := result.Stream()
		if err != nil || result.Fatal() {
			return
		}
		once := bytes.Join(pieces, nil)
		result, err = Run(t.Context(), []File{{Path: "output", Data: once}}, opts)
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
func fuzzOptions(choice uint8) Options {
	versions := []string{"unknown", "0.11.2", "0.12.0", "0.14.1", "0.15.0", "0.15.2", "0.16.0", "0.17.1", "0.19.0", "0.20.0"}
	modes := []string{"", "Standard", "Knative"}
	n := int(choice)
	return Options{
		KServeVersion:         versions[n%len(versions)],
		DefaultDeploymentMode: modes[n/len(versions)%len(modes)],
		DeploymentModeRewrite: []string{"auto", "always"}[n%2],
		Probes:                []string{"auto", "always", "tcp"}[n%3],
		Namespace:             []string{"", "retention"}[n/3%2],
	}
}

// checkUntouched checks that a document without an edit has the bytes it had, and that no document comes or goes.
func checkUntouched(t *testing.T, result *Result) {
	edited := map[string]bool{}
	for _, documents := range result.stream.documents {
		for _, d := range documents {
			if d.edited != nil {
				edited[string(d.edited.Bytes())] = true
			}
		}
	}
	for _, f := range result.Files() {
		before, errBefore := yamldoc.Split(f.Before)
		after, errAfter := yamldoc.Split(f.After)
		if errBefore != nil || errAfter != nil || len(before) != len(after) {
			t.Fatalf("%d documents became %d (%v, %v):\n%s", len(before), len(after), errBefore, errAfter, f.After)
		}
		for i := range before {
			if !bytes.Equal(before[i].Head, after[i].Head) || !bytes.Equal(before[i].Body, after[i].Body) && !edited[string(after[i].Body)] {
				t.Errorf("document %d changed without an edit:\n%s", i, after[i].Body)
			}
		}
	}
}
