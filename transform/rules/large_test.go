package rules_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// TestLargeInput checks that a result does not depend on which documents keep their trees: behind a large file, cases
// give the same findings and bytes. It takes those of autoscalers, which look at many objects, and of two releases.
func TestLargeInput(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute with the race detector")
	}
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for i := range 500 { // the small ones take up what the large ones leave
		comments := ""
		if i < 300 {
			comments = strings.Repeat("# a long comment\n", 900)
		}
		fmt.Fprintf(&text, "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"+
			"metadata: {name: large-%d, namespace: large}\n%s---\n", i, comments)
	}
	large := transform.File{Path: "large.yaml", Data: text.Bytes()}
	run, behind := 0, 0
	for _, c := range cases {
		id, release := c.Folders()[0], c.Folders()[1]
		if !strings.HasPrefix(id, "KS2") && release != "0.15.2" && release != "0.20.0" {
			continue
		}
		run++
		t.Run(c.Name, func(t *testing.T) {
			files, config, err := suite.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			alone := outcome(t, files, config, large.Path)
			index, searched := config.Index, false
			config.Index = func(render *transform.Render) any {
				render.Holding(func(o *transform.Object, _ []byte) bool {
					searched = searched || o.File.Path != large.Path
					return false
				})
				return index(render)
			}
			if got := outcome(t, append([]transform.File{large}, files...), config, large.Path); got != alone {
				t.Errorf("behind a large file:\n%s\nalone:\n%s", got, alone)
			}
			if searched {
				behind++
			}
		})
	}
	if behind < run*9/10 { // a List keeps its tree
		t.Errorf("of %d cases, %d have a document without a tree", run, behind)
	}
}

// outcome returns the findings and bytes of a run, without those of one file.
func outcome(t *testing.T, files []transform.File, config transform.Config, without string) string {
	t.Helper()
	result, err := transform.Run(t.Context(), files, config)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range slices.Concat(result.Findings(), result.Accepted, result.Unused) {
		if f.Object.File.Path != without {
			fmt.Fprintln(&text, f)
		}
	}
	for _, f := range result.Files() {
		if f.File.Path != without {
			text.Write(f.After)
		}
	}
	return text.String()
}
