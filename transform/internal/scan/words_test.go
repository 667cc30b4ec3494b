package scan

import "testing"

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
