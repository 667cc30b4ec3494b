package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestSaid(t *testing.T) {
	for text, want := range map[string][]measured{
		"# Page\n\nno commit\n": nil,
		"## KServe 0.15.2\n\nMeasured with commit 1234567.\n\n## KServe 0.15.2 to 0.20.0\n\nMeasured with commit 89abcde.\n": {
			{page: "p.md", release: "0.15.2", commit: "1234567"},
			{page: "p.md", release: "0.15.2 to 0.20.0", commit: "89abcde"},
		},
		"Measured in 2 minutes with commit 1234567, go1.26.\n": {{page: "p.md", commit: "1234567"}},
	} {
		if got := said("p.md", text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n got %v\nwant %v", text, got, want)
		}
	}
}

func TestIsAbout(t *testing.T) {
	for release, want := range map[string]bool{
		"": true, "0.15.2": true, "0.20.0": true, "0.15.2 to 0.17.0": true, "0.17.0 to 0.19.0": false, "0.15": false,
	} {
		if got := (measured{release: release}).isAbout([]string{"0.20.0", "0.15.2"}); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

func TestCompare(t *testing.T) {
	all := []measured{{page: "a.md", release: "0.15.2", commit: "1234567"}, {page: "b.md", commit: notNoted}}
	const a, b = "| [a.md](a.md) | 0.15.2 | 1234567 | 3 |  |\n", "| [b.md](b.md) |  | not noted | **stale** |  |\n"
	for list, want := range map[string]string{
		"# List\n\n" + a + b:                "",
		a:                                   "lacks \"| [b.md]",
		b:                                   "lacks \"| [a.md]",
		a + b + b:                           "no page says so",
		strings.Replace(a, "7", "8", 1) + b: "lacks \"| [a.md]",
	} {
		err := compare(list, all)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}
