package transform

import (
	"bytes"
	"testing"
)

// TestHidden checks that rules run for objects whose kind is hard to see.
func TestHidden(t *testing.T) {
	for _, tc := range hidden {
		t.Run(tc.name, func(t *testing.T) {
			seen := 0
			count := rule("KS901", func(*Pass) { seen++ }, services, hpas)
			result, err := Run(t.Context(), []File{{Path: "a.yaml", Data: []byte(tc.document)}}, Config{Rules: []*Rule{count}})
			if err != nil || seen != 1 || len(result.Skipped()) > 0 {
				t.Errorf("the rule ran %d times, want once: %v", seen, err)
			}
		})
	}
}

// TestPassed checks that documents that concern no rule stay as they are together, except for a byte order mark.
func TestPassed(t *testing.T) {
	const one, two = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: b}"
	for input, want := range map[string]string{
		one + "---\n" + two:                       one + "---\n" + two + "\n",
		one + "--- # next\n\n" + one + "---\n":    one + "--- # next\n\n" + one + "---\n",
		one + "---\n\ufeff" + two:                 one + "---\n" + two + "\n",
		one + "---\n# nothing\n---\n" + one:       one + "---\n# nothing\n---\n" + one,
		one + "---\r\n" + one + "---\n" + service: one + "---\r\n" + one + "---\n" + service,
	} {
		result, err := Run(t.Context(), []File{{Path: "a.yaml", Data: []byte(input)}},
			Config{Rules: []*Rule{rule("KS901", func(*Pass) {}, services)}})
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := result.Stream()
		if got := string(bytes.Join(pieces, nil)); got != want || err != nil {
			t.Errorf("%q becomes %q, want %q: %v", input, got, want, err)
		}
	}
}
