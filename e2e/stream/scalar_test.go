package stream

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestStrings sets every short string of an alphabet of what YAML may take for something else, and reads it as
// Kubernetes does.
func TestStrings(t *testing.T) {
	words := append(upTo(2, []string{
		"0", "a", "x", "e", ".", ":", "-", "+", "_", "y", "N", "on", "~", " ", "#", "'", `"`, `\`, "=", "<<", "{", "]", ",",
		"?", "|", ">", "%", "@", "`", "&", "*", "!", "\n", "\t", "\u0085", "\u2028", "\ufeff", "é", "true",
	}), upTo(3, []string{"0", "1", "7", "x", "o", "b", "e", "E", ".", ":", "-", "+", "_", "inf", "nan", "T"})...)
	values := make([]any, len(words))
	for i, word := range words {
		values[i] = word
	}
	for _, before := range []string{"l:\n", "l: ['']\n", "{\"l\": []}\n", "- 'x'\n- 'y'\n"} {
		tree, err := yamldoc.Parse([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		edit := yamldoc.Set(yamldoc.Path{"l"}, values)
		if before[0] == '-' {
			edit = yamldoc.Set(yamldoc.Path{2}, values)
		}
		after, err := tree.Apply([]yamldoc.Edit{edit})
		if err != nil {
			t.Fatal(err)
		}
		docs, err := read(string(after.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if before[0] == '-' {
			var list []json.RawMessage
			if err := json.Unmarshal([]byte(docs[0]), &list); err != nil {
				t.Fatal(err)
			}
			err = json.Unmarshal(list[2], &got)
		} else {
			var mapping map[string][]string
			err = json.Unmarshal([]byte(docs[0]), &mapping)
			got = mapping["l"]
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, words) {
			t.Errorf("%q: other strings", before)
		}
	}
}
