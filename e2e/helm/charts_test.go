package helm

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// testCase is a render of a chart in testdata.
type testCase struct {
	chart, name string
	options     options
}

// cases has each chart in testdata/charts at least once.
var cases = []testCase{
	{"templates", "defaults", options{}},
	{"templates", "a values file", options{files: []string{"staging.yaml"}}},
	{"templates", "inline values over a file", options{
		files: []string{"staging.yaml"}, values: "bucket: inline\nmodels: {iris: {env: {A: b}}}\n",
	}},
	{"templates", "parameters", options{
		set:       params{"models.iris.replicas.max": "9", "list": "{p,q}", "labels.new": "", "debug": "true"},
		setString: params{"labels.tier": "3", `labels.example\.com/dotted`: "yes"},
	}},
	{"templates", "a release that has the chart's name", options{release: "templates-of-the-shop", namespace: "shop"}},
	{"templates", "a long release", options{release: "a2345678901234567890123456789012345678901234567890123"}},
	{"templates", "TOML", options{set: params{"toml": "true"}}},
	{"library", "defaults", options{}},
	{"library", "parameters", options{set: params{"replicas": "5", "global.owner": "other"}}},
	{"hooks", "defaults", options{}},
	{"hooks", "without tests", options{skipTests: true}},
	{"capabilities", "nothing known", options{}},
	{"capabilities", "KServe's and others'", options{apiVersions: []string{
		"serving.kserve.io/v1beta1", "serving.kserve.io/v1beta1/InferenceService", "serving.kserve.io/v1alpha2",
		"monitoring.coreos.com/v1/ServiceMonitor", "autoscaling/v2",
	}}},
	{"capabilities", "a version of a distribution", options{kubeVersion: "v1.33.4-gke.1245000"}},
	{"capabilities", "the version as a text", options{set: params{"text": "true"}}},
	{"capabilities", "a short version", options{kubeVersion: "1.30"}},
	{"files", "defaults", options{}},
	{"files", "another folder", options{set: params{"folder": "logs"}}},
	{"schema", "defaults", options{}},
	{"schema", "what the schema allows", options{values: "mode: Knative\nmodel: {name: rose, storageUri: pvc://a/b}\n"}},
	{"schema", "what it forbids, without validation", options{
		values: "port: none\n", set: params{"child.size": "20"}, skipSchemaValidation: true,
	}},
	{"conditions", "defaults", options{}},
	{"conditions", "tags", options{set: params{"tags.backend": "true", "tags.frontend": "false"}}},
	{"conditions", "conditions over tags", options{values: "tags: {frontend: false}\ngamma: {on: true}\n"}},
	{"conditions", "the second path of a condition", options{set: params{"global.gamma": "false"}}},
	{"conditions", "an alias", options{values: "second: {enabled: true, deep: {enabled: false}}\nalpha: {enabled: false}\n"}},
	{"conditions", "a condition that is no boolean", options{values: "alpha: {enabled: \"no\"}\n"}},
	{"globals", "defaults", options{}},
	{"globals", "values for all levels", options{values: "global: {registry: other, labels: {team: null}}\n" +
		"store: {exports: {data: {kind: gs}}, settings: {deep: {b: {c: 5}}}}\nweb: {ports: {http: 1234}, inner: {kept: false}}\n" +
		"imported: {a: mine}\n"}},
	{"archives", "defaults", options{}},
	{"archives", "without definitions", options{skipCRDs: true}},
	{"archives", "one of them off", options{set: params{"memory.enabled": "false", "cache.enabled": "false"}}},
	{"definitions", "defaults", options{}},
	{"definitions", "without definitions", options{skipCRDs: true}},
	{"values", "defaults", options{}},
	{"values", "null in a file", options{files: []string{"null.yaml"}}},
	{"values", "null in a file, and a file after it", options{files: []string{"null.yaml", "other.yaml"}}},
	{"values", "null in a file, and a file before it", options{files: []string{"other.yaml", "null.yaml"}}},
	{"values", "null in parameters", options{
		set:       params{"remove": "null", "map.b": "null", "child.probe": "null", "list[1]": "null"},
		setString: params{"text": "null"},
	}},
	{"values", "null inline", options{values: "map: null\nchild: {probe: {exec: null}, nothing: 1}\n"}},
	{"values", "types of parameters", options{
		set: params{
			"a": "1", "b": "1.5", "c": "true", "d": "", "e": "text", "f": "0123", "g": "1e3", "h": "{1,two,}", "i[2]": "x",
			"j.k[0].l": "m", "m": "a,b,,c", "n": `a\,b`, "o": "null", "p": "12345678901234567890", "q": "-5", `r\.s`: "t",
			"list[0]": "9", "u": "{}", "v": `"quoted"`, "w": " space", "y": "a=b", "z.zz": "True",
		},
		setString: params{"x": "1", "xx": "true", "xxx": "{1,2}", "xxxx": "a,b"},
		setFile:   params{"file": "file.txt", "a": "file.txt"},
	}},
	{"values", "a map over a list and a list over a map", options{values: "list: {a: 1}\nmap: [1]\ntext: {a: 1}\n"}},
	{"values", "missing files are ignored", options{files: []string{"none.yaml", "null.yaml"}, ignoreMissingFiles: true}},
	{"values", "a file with nothing", options{values: "# nothing\n"}},
	{"values", "numbers", options{values: "a: 1e6\nb: 12345678901234567\nc: 0x1F\nd: 0o17\ne: 017\nf: 1_000\ng: .5\nh: 1.0\n" +
		"i: -0\nj: 123456789012345678901234567890\nk: 2026-11-22\nl: 1:30\nm: off\nn: ~\no: 'null'\n"}},
	{"nulls", "defaults", options{}},
	{"nulls", "values in their place", options{values: "nothing: 1\nmap: {b: 2}\nchild: {nothing: 3}\n"}},
	{"legacy", "defaults", options{}},
	{"legacy", "without the dependency", options{set: params{"old.enabled": "false"}}},
}

// TestCharts renders the charts in testdata/charts with the plugin and with helm 4.2.1.
func TestCharts(t *testing.T) {
	charts := unpacked(t)
	for _, c := range cases {
		t.Run(c.chart+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			chart := filepath.Join(charts, c.chart)
			want := byHelm(t, helm4, chart, c.options)
			if want.err != "" {
				t.Fatal(want.err)
			}
			if diff := differences(byPlugin(t, chart, c.options), want); diff != "" {
				t.Error(diff)
			}
		})
	}
	folders, err := filepath.Glob("testdata/charts/*/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if name := filepath.Base(filepath.Dir(folder)); !slices.ContainsFunc(cases, func(c testCase) bool { return c.chart == name }) {
			t.Errorf("chart %s has no case", name)
		}
	}
}

// unpacked copies testdata/charts, and puts the charts that a chart has in packed/ into its charts/ as archives.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/charts")); err != nil {
		t.Fatal(err)
	}
	packed, err := fs.Glob(os.DirFS(dir), "*/packed/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, chart := range packed {
		folder := filepath.Join(dir, chart)
		archives := filepath.Join(folder, "..", "..", "charts")
		cmd := exec.CommandContext(t.Context(), helm4, "package", folder, "--destination", archives)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("helm package %s: %v: %s", chart, err, out)
		}
	}
	return dir
}
