package spelling

import "testing"

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"kind", "kind", 0},
		{"kin", "kind", 1},
		{"kinds", "kind", 1},
		{"kine", "kind", 1},
		{"metadtaa", "metadata", 1},
		{"", "kind", 4},
		{"items", "kind", 5},
	} {
		if got := Distance(tc.a, tc.b); got != tc.want || Distance(tc.b, tc.a) != tc.want {
			t.Errorf("%q and %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
