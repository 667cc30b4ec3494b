package helm

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Options are what a chart is rendered with. Paths of files are relative to the chart.
type Options struct {
	Release, Namespace   string
	KubeVersion          string
	APIVersions          []string
	Files                []string
	Values               string
	Set, SetString       Params
	SetFile              Params // to paths
	SkipCRDs, SkipTests  bool
	SkipSchemaValidation bool
	IgnoreMissingFiles   bool
}

// Params are parameters by their names.
type Params = map[string]string

// Defaults are what a render has that says nothing else. Argo CD always gives a version of Kubernetes.
func (o Options) Defaults() Options {
	o.Release = cmp.Or(o.Release, "demo")
	o.Namespace = cmp.Or(o.Namespace, "models")
	o.KubeVersion = cmp.Or(o.KubeVersion, "1.34.4")
	return o
}

// Lines writes parameters as the plugin's settings take them.
func Lines(parameters Params) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		all = append(all, name+"="+parameters[name])
	}
	return strings.Join(all, "\n")
}

// Unpack copies the folder of charts to dir. The charts that a chart has in packed/ get into its charts/ as archives,
// which the helm makes.
func Unpack(ctx context.Context, helm, charts, dir string) error {
	if err := os.CopyFS(dir, os.DirFS(charts)); err != nil {
		return err
	}
	packed, err := fs.Glob(os.DirFS(dir), "*/packed/*")
	if err != nil {
		return err
	}
	for _, chart := range packed {
		folder := filepath.Join(dir, chart)
		archives := filepath.Join(folder, "..", "..", "charts")
		out, err := exec.CommandContext(ctx, helm, "package", folder, "--destination", archives).CombinedOutput()
		if err != nil {
			return fmt.Errorf("helm package %s: %w: %s", chart, err, out)
		}
	}
	return nil
}

// Case is a render of a chart in testdata/charts.
type Case struct {
	Chart, Name string
	Options     Options
}

// Cases has each chart in testdata/charts at least once.
var Cases = []Case{
	{"templates", "defaults", Options{}},
	{"templates", "a values file", Options{Files: []string{"staging.yaml"}}},
	{"templates", "inline values over a file", Options{
		Files: []string{"staging.yaml"}, Values: "bucket: inline\nmodels: {iris: {env: {A: b}}}\n",
	}},
	{"templates", "parameters", Options{
		Set:       Params{"models.iris.replicas.max": "9", "list": "{p,q}", "labels.new": "", "debug": "true"},
		SetString: Params{"labels.tier": "3", `labels.example\.com/dotted`: "yes"},
	}},
	{"templates", "a release that has the chart's name", Options{Release: "templates-of-the-shop", Namespace: "shop"}},
	{"templates", "a long release", Options{Release: "a2345678901234567890123456789012345678901234567890123"}},
	{"templates", "TOML", Options{Set: Params{"toml": "true"}}},
	{"library", "defaults", Options{}},
	{"library", "parameters", Options{Set: Params{"replicas": "5", "global.owner": "other"}}},
	{"hooks", "defaults", Options{}},
	{"hooks", "without tests", Options{SkipTests: true}},
	{"capabilities", "nothing known", Options{}},
	{"capabilities", "KServe's and others'", Options{APIVersions: []string{
		"serving.kserve.io/v1beta1", "serving.kserve.io/v1beta1/InferenceService", "serving.kserve.io/v1alpha2",
		"monitoring.coreos.com/v1/ServiceMonitor", "autoscaling/v2",
	}}},
	{"capabilities", "a version of a distribution", Options{KubeVersion: "v1.33.4-gke.1245000"}},
	{"capabilities", "the version as a text", Options{Set: Params{"text": "true"}}},
	{"capabilities", "a short version", Options{KubeVersion: "1.30"}},
	{"files", "defaults", Options{}},
	{"files", "another folder", Options{Set: Params{"folder": "logs"}}},
	{"schema", "defaults", Options{}},
	{"schema", "what the schema allows", Options{Values: "mode: Knative\nmodel: {name: rose, storageUri: pvc://a/b}\n"}},
	{"schema", "what it forbids, without validation", Options{
		Values: "port: none\n", Set: Params{"child.size": "20"}, SkipSchemaValidation: true,
	}},
	{"conditions", "defaults", Options{}},
	{"conditions", "tags", Options{Set: Params{"tags.backend": "true", "tags.frontend": "false"}}},
	{"conditions", "conditions over tags", Options{Values: "tags: {frontend: false}\ngamma: {on: true}\n"}},
	{"conditions", "the second path of a condition", Options{Set: Params{"global.gamma": "false"}}},
	{"conditions", "an alias", Options{
		Values: "second: {enabled: true, deep: {enabled: false}}\nalpha: {enabled: false}\n",
	}},
	{"conditions", "a condition that is no boolean", Options{Values: "alpha: {enabled: \"no\"}\n"}},
	{"globals", "defaults", Options{}},
	{"globals", "values for all levels", Options{Values: "global: {registry: other, labels: {team: null}}\n" +
		"store: {exports: {data: {kind: gs}}, settings: {deep: {b: {c: 5}}}}\n" +
		"web: {ports: {http: 1234}, inner: {kept: false}}\n" +
		"imported: {a: mine}\n"}},
	{"archives", "defaults", Options{}},
	{"archives", "without definitions", Options{SkipCRDs: true}},
	{"archives", "one of them off", Options{Set: Params{"memory.enabled": "false", "cache.enabled": "false"}}},
	{"definitions", "defaults", Options{}},
	{"definitions", "without definitions", Options{SkipCRDs: true}},
	{"values", "defaults", Options{}},
	{"values", "null in a file", Options{Files: []string{"null.yaml"}}},
	{"values", "null in a file, and a file after it", Options{Files: []string{"null.yaml", "other.yaml"}}},
	{"values", "null in a file, and a file before it", Options{Files: []string{"other.yaml", "null.yaml"}}},
	{"values", "null in parameters", Options{
		Set:       Params{"remove": "null", "map.b": "null", "child.probe": "null", "list[1]": "null"},
		SetString: Params{"text": "null"},
	}},
	{"values", "null inline", Options{Values: "map: null\nchild: {probe: {exec: null}, nothing: 1}\n"}},
	{"values", "types of parameters", Options{
		Set: Params{
			"a": "1", "b": "1.5", "c": "true", "d": "", "e": "text", "f": "0123", "g": "1e3", "h": "{1,two,}", "i[2]": "x",
			"j.k[0].l": "m", "m": "a,b,,c", "n": `a\,b`, "o": "null", "p": "12345678901234567890", "q": "-5", `r\.s`: "t",
			"list[0]": "9", "u": "{}", "v": `"quoted"`, "w": " space", "y": "a=b", "z.zz": "True",
		},
		SetString: Params{"x": "1", "xx": "true", "xxx": "{1,2}", "xxxx": "a,b"},
		SetFile:   Params{"file": "file.txt", "a": "file.txt"},
	}},
	{"values", "a map over a list and a list over a map", Options{Values: "list: {a: 1}\nmap: [1]\ntext: {a: 1}\n"}},
	{"values", "missing files are ignored", Options{Files: []string{"none.yaml", "null.yaml"}, IgnoreMissingFiles: true}},
	{"values", "a file with nothing", Options{Values: "# nothing\n"}},
	{"values", "numbers", Options{Values: "a: 1e6\nb: 12345678901234567\nc: 0x1F\nd: 0o17\ne: 017\nf: 1_000\ng: .5\n" +
		"h: 1.0\ni: -0\nj: 123456789012345678901234567890\nk: 2026-11-22\nl: 1:30\nm: off\nn: ~\no: 'null'\n"}},
	{"nulls", "defaults", Options{}},
	{"nulls", "values in their place", Options{Values: "nothing: 1\nmap: {b: 2}\nchild: {nothing: 3}\n"}},
	{"legacy", "defaults", Options{}},
	{"legacy", "without the dependency", Options{Set: Params{"old.enabled": "false"}}},
}

// Otherwise are the cases that helm 3.16.3 renders differently, with the reason.
var Otherwise = map[string]string{
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
	nullOfUser   = "`null` for a default of a subchart, in the application's values"
	nullOfChart  = "`null` in the chart's own `values.yaml`"
	toml         = "large numbers in `toToml`"
	versionText  = "`.Capabilities.KubeVersion` as a text"
	shortVersion = "a Kubernetes version of two numbers, such as 1.30"
)
