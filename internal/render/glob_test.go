package render

import (
	"strings"
	"testing"

	"github.com/gobwas/glob"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/render/rendertest"
)

func TestLongGlob(t *testing.T) {
	dir := rendertest.Write(t, "-- a.yaml --\n")
	for _, tc := range []struct {
		length int
		want   string
	}{
		{maxGlob, ""},
		{maxGlob + 1, "directory-include: 1025 bytes of globs, more than the limit of 1024; use shorter or fewer ones"},
	} {
		o := options(dir)
		o.Include = strings.Repeat("?", tc.length)
		_, err := Render(t.Context(), ".", o)
		if got := err; tc.want == "" && got != nil || tc.want != "" && (got == nil || got.Error() != tc.want) {
			t.Errorf("%d bytes: %v, want %q", tc.length, got, tc.want)
		}
	}
}

// A glob of many stars takes the library of Argo CD exponential time.
func TestManyStars(t *testing.T) {
	g, err := compile("directory-include", strings.Repeat("*a", maxGlob/2))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path string
		want bool
	}{
		{strings.Repeat("a", 2*maxGlob), true},
		{strings.Repeat("a", 2*maxGlob) + "b", false},
		{strings.Repeat("a", maxGlob/2-1), false},
	} {
		if got := g.MatchString(tc.path); got != tc.want {
			t.Errorf("%d bytes: %t", len(tc.path), got)
		}
	}
}

// TestGlobs compares with the library of Argo CD, with paths that are long enough for it: it finds "a" in a*a.
func TestGlobs(t *testing.T) {
	paths := combinations([]string{"a", "b", "/", "."}, 4)
	for _, pattern := range combinations([]string{"*", "?", "a", ".", "[!a]", "[a-b]", "{a,b}", `\*`}, 3) {
		theirs, err := glob.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := compile("directory-include", pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if len(path) < 4 {
				continue
			}
			if got, want := ours.MatchString(path), theirs.Match(path); got != want {
				t.Errorf("%s %s: %t, want %t", pattern, path, got, want)
			}
		}
	}
}

// combinations returns all texts of one to n of the parts.
func combinations(parts []string, n int) []string {
	if n == 0 {
		return nil
	}
	all := parts
	for _, rest := range combinations(parts, n-1) {
		for _, part := range parts {
			all = append(all, part+rest)
		}
	}
	return all
}
