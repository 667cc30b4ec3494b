package transform

import (
	"bytes"
	"testing"
)

func TestWords(t *testing.T) {
	w := newWords([][]byte{[]byte("serving.io"), []byte("service"), []byte("zone"), []byte("--")}, nil)
	for text, want := range map[string]bool{
		"serving.io": true, "a service": true, "zone": true, "a zone of": true, "--": true, "serving.zone": true,
		"": false, "v": false, "ving.io": false, "rvice": false, "servi": false, "zon": false, "z": false, "-": false,
	} {
		if w.in([]byte(text)) != want {
			t.Errorf("%q: a word is in it: %t, want %t", text, !want, want)
		}
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
