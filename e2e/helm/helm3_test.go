package helm

import (
	"path/filepath"
	"slices"
	"testing"
)

// otherwise are the cases that helm 3.16.3 renders differently, with the reason.
var otherwise = map[string]string{
	"templates/TOML":                              toml,
	"capabilities/a short version":                shortVersion,
	"capabilities/the version as a text":          versionText,
	"values/null in a file":                       nullOfUser,
	"values/null in a file, and a file after it":  nullOfUser,
	"values/null in a file, and a file before it": nullOfUser,
	"values/missing files are ignored":            nullOfUser,
	"values/null in parameters":                   nullOfUser,
	"values/null inline":                          nullOfUser,
	"nulls/defaults":                              nullOfChart,
}

// The reasons, as docs/helm.md gives them.
const (
	nullOfUser   = "null in the values of an application"
	nullOfChart  = "null in the chart's values.yaml"
	toml         = "numbers of toToml"
	versionText  = ".Capabilities.KubeVersion as a text"
	shortVersion = "a Kubernetes version of two numbers"
)

// TestHelm3 renders the same charts with helm 3.16.3, which Argo CD 2.14.21 has.
func TestHelm3(t *testing.T) {
	charts := unpacked(t)
	for _, c := range cases {
		name := c.chart + "/" + c.name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart := filepath.Join(charts, c.chart)
			want, got := byHelm(t, helm3, chart, c.options), byPlugin(t, chart, c.options)
			// It sorts objects of one kind and template name in another order.
			slices.Sort(want.objects)
			slices.Sort(got.objects)
			diff := differences(got, want)
			if reason := otherwise[name]; (diff == "") != (reason == "") {
				t.Errorf("known to differ: %q; differences: %s", reason, diff)
			}
		})
	}
}
