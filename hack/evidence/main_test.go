package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestSaid(t *testing.T) {
	const sections = "## KServe 0.15.2\n\nMeasured with commit 1234567.\n\n## KServe 0.15.2 to 0.20.0\n\n"
	const table = "| way | KServe | seen | Commit |\n|---|---|---|---|\n" +
		"| a | 0.20.0 | yes | 1234567 |\n| b | 0.20.0 | no | 89abcde |\n"
	for text, want := range map[string]commits{
		"# Page\n\nno commit\n":                      {},
		sections + "Measured with commit 89abcde.\n": {"0.15.2": {"1234567"}, "0.15.2 to 0.20.0": {"89abcde"}},
		sections: nil,
		"Measured in 2 minutes with commit 1234567, go1.26.\n": {"": {"1234567"}},
		"| a | b |\n|---|---|\n| c | d |\n\n" + table + "\n| e | f |\n" + strings.Replace(table, "0.20.0", "0.15.2", 1): {
			"0.15.2": {"1234567"}, "0.20.0": {"1234567", "89abcde", "89abcde"},
		},
		strings.Replace(table, "KServe", "release", 1): nil,
		strings.Replace(table, "| yes ", "", 1):        nil,
	} {
		if got, err := said(text); (err == nil) != (want != nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %v, %v\nwant %v", text, got, err, want)
		}
	}
}

func TestOldest(t *testing.T) {
	known := ages{"new": 1, "old": 7, "older": 9}
	if commit, ago, err := known.oldest([]string{"old", "older", "new"}); commit != "older" || ago != 9 || err != nil {
		t.Errorf("%s, %d, %v", commit, ago, err)
	}
}

func TestStale(t *testing.T) {
	for _, tc := range []struct {
		measured
		want bool
	}{
		{measured{release: "0.20.0", ago: bound}, false},
		{measured{release: "0.20.0", ago: bound + 1}, true},
		{measured{release: "0.15.2 to 0.17.0", ago: unknown}, true},
		{measured{ago: unknown}, true},
		{measured{release: "0.17.0 to 0.19.0", ago: unknown}, false},
		{measured{release: "0.15", ago: unknown}, false},
		{measured{release: "0.20.0", ago: unknown, inCI: true}, false},
	} {
		if err := stale([]string{"0.20.0", "0.15.2"}, []measured{{}, tc.measured}); (err != nil) != tc.want {
			t.Errorf("%+v: %v", tc.measured, err)
		}
	}
}

func TestCompare(t *testing.T) {
	releases := []string{"0.20.0", "0.15.2"}
	all := []measured{{page: "a.md", release: "0.15.2", commit: "1234567"}, {page: "b.md", commit: "89abcde"}}
	const a, b = "| [a.md](a.md) | 0.15.2 | 1234567 | 3 |  |\n", "| [b.md](b.md) |  | 89abcde | **stale** |  |\n"
	list := head(releases) + a + b
	for _, edit := range []struct{ from, to string }{
		{"", ""}, {a, ""}, {b, ""}, {b, b + b}, {"1234567", "1234568"}, {"than 600", "than 6"},
	} {
		changed := strings.Replace(list, edit.from, edit.to, 1)
		if err := compare(changed, releases, all); (err == nil) != (changed == list) {
			t.Errorf("%q for %q: %v", edit.to, edit.from, err)
		}
	}
}
