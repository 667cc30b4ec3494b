package rules_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// TestLargeInput checks that a result does not depend on which documents keep their trees: behind a large file, every
// case gives the same findings and bytes.
func TestLargeInput(t *testing.T) {
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	var large bytes.Buffer
	for i := range 500 { // the small ones take up what the large ones leave
		comments := ""
		if i < 300 {
			comments = strings.Repeat("# a long comment\n", 900)
		}
		fmt.Fprintf(&large, "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"+
			"metadata: {name: large-%d, namespace: large}\n%s---\n", i, comments)
	}
	filler := transform.File{Path: "large.yaml", Data: large.Bytes()}
	for _, c := range cases {
		if !slices.Contains([]string{"0.15.2", "0.20.0"}, c.Folders()[1]) { // the others differ in their findings alone
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			files, config, err := suite.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			outcome := func(files []transform.File) string {
				result, err := transform.Run(t.Context(), files, config)
				if err != nil {
					t.Fatal(err)
				}
				var text strings.Builder
				for _, f := range result.Findings() {
					if f.Object.File.Path != filler.Path {
						fmt.Fprintln(&text, f)
					}
				}
				for _, f := range result.Files() {
					if f.File.Path != filler.Path {
						text.Write(f.After)
					}
				}
				return text.String()
			}
			if got, want := outcome(append([]transform.File{filler}, files...)), outcome(files); got != want {
				t.Errorf("behind a large file:\n%s\nalone:\n%s", got, want)
			}
		})
	}
}
