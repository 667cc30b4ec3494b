package render

import (
	"strings"
	"testing"
)

func TestLongGlob(t *testing.T) {
	dir := write(t, "-- a.yaml --\n")
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
