package helm

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestCharts renders the charts in testdata/charts with the plugin and with helm 4.2.1.
func TestCharts(t *testing.T) {
	charts := unpacked(t)
	for _, c := range Cases {
		t.Run(c.Chart+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			chart := filepath.Join(charts, c.Chart)
			want := byHelm(t, helm4, chart, c.Options)
			if want.err != "" {
				t.Fatal(want.err)
			}
			if diff := differences(byPlugin(t, chart, c.Options), want); diff != "" {
				t.Error(diff)
			}
		})
	}
	folders, err := filepath.Glob("testdata/charts/*/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		name := filepath.Base(filepath.Dir(folder))
		if !slices.ContainsFunc(Cases, func(c Case) bool { return c.Chart == name }) {
			t.Errorf("chart %s has no case", name)
		}
	}
}

// unpacked copies the charts to a new folder.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := Unpack(t.Context(), helm4, "testdata/charts", dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
