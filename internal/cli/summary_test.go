package cli

import (
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Services whose pods restart are named, of many the first.
func TestRestarts(t *testing.T) {
	services := []*transform.Object{{Name: "a", Namespace: "ml"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}, {Name: "g"}}
	for n, want := range map[int][]string{
		0: nil,
		1: {"restarts pods of 1 service once (ml/a)"},
		5: {"restarts pods of 5 services once (ml/a, b, c, d, e)"},
		7: {"restarts pods of 7 services once (ml/a, b, c, d, e and 2 others)"},
	} {
		if got := restarts(services[:n]); !slices.Equal(got, want) {
			t.Errorf("%d: %q", n, got)
		}
	}
}
