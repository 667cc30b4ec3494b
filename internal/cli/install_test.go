package cli

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/install"
)

// TestPublished has builds of a release, of a commit and of a changed tree. The script install runs one without a version.
func TestPublished(t *testing.T) {
	for version, want := range map[string]bool{
		install.Version:                      true,
		install.Version + "+dirty":           false,
		"v0.1.9":                             false,
		"v0.0.0-20260102030405-0123456789ab": false,
		"(devel)":                            false,
		"v0.2.1-0.20260102030405-0123456789ab+dirty": false,
	} {
		if got := published(version); got != want {
			t.Errorf("%s: %v, want %v", version, got, want)
		}
	}
}
