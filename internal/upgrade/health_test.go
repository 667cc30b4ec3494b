package upgrade_test

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/upgrade"
)

// TestCompareHealth has what becomes of what health config prints: another check, one less and one more, of kinds that the
// manifests have and of one that they have not.
func TestCompareHealth(t *testing.T) {
	of := func(kind, kinds, value string) (all []healthconfig.Override) {
		for _, k := range strings.Fields(kinds) {
			all = append(all, healthconfig.Override{Type: kind, Kind: k, Value: value})
		}
		return all
	}
	from := healthconfig.Configuration{Overrides: append(of("health", "A B C", "1"), of("actions", "A", "1")...)}
	to := healthconfig.Configuration{Overrides: append(of("health", "A C", "2"), of("actions", "A B", "1")...)}
	var got []string
	for _, c := range upgrade.CompareHealth(from, to, []string{"A", "B"}) {
		got = append(got, string(c.Severity)+" "+c.Object+": "+c.Message)
	}
	want := []string{
		"advice A: Argo CD keeps the health check of the old release: install what health config prints for the new one",
		"warning B: Argo CD keeps the health check of the old release, which the new one has no use for: remove that from argocd-cm",
		"advice B: Argo CD offers no stop and resume for Bs: install what health config prints for the new release",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
