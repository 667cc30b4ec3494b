package helm

import (
	"path/filepath"
	"testing"
)

func TestHelm3(t *testing.T) {
	charts := unpacked(t)
	for _, c := range cases {
		t.Run(c.chart+"/"+c.name, func(t *testing.T) {
			chart := filepath.Join(charts, c.chart)
			want := byHelm(t, helm4, chart, c.options)
			if want.err != "" {
				t.Fatal(want.err)
			}
			if diff := differences(byHelm(t, helm3, chart, c.options), want); diff != "" {
				t.Error(diff)
			}
		})
	}
}
