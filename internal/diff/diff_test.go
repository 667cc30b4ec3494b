package diff

import "testing"

func TestHeader(t *testing.T) {
	for path, want := range map[string]string{
		"a/app/isvc.yaml":            "a/app/isvc.yaml",
		"a/irène & co.yaml":          "a/irène & co.yaml",
		"a/we\nird\t\"x\"\\n":        `"a/we\nird\t\"x\"\\n"`,
		"a/\x1b\x7f\u009b\u202e\xff": `"a/\033\177\302\233\342\200\256\377"`,
	} {
		if got := header(path); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
}
