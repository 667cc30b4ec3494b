package helm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHelm3 renders the same charts with helm 3.16.3, which Argo CD 2.14.21 has.
func TestHelm3(t *testing.T) {
	charts := unpacked(t)
	for _, c := range Cases {
		name := c.Chart + "/" + c.Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart := filepath.Join(charts, c.Chart)
			want, got := byHelm(t, helm3, chart, c.Options), byPlugin(t, chart, c.Options)
			// It sorts objects of one kind and template name in another order.
			slices.Sort(want.objects)
			slices.Sort(got.objects)
			diff := differences(got, want)
			if reason := Otherwise[name]; (diff == "") != (reason == "") {
				t.Errorf("known to differ: %q; differences: %s", reason, diff)
			}
		})
	}
}

// TestDocumented looks for each reason in docs/helm.md.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/helm.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range Otherwise {
		if !strings.Contains(string(page), "\n| "+reason+" |") {
			t.Errorf("docs/helm.md lacks %s", reason)
		}
	}
}
