package helm

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var allModules = flag.Bool("all-modules", false, "render the charts of all modules, not only those of KServe")

// kserve are the releases of KServe whose charts are rendered.
var kserve = []string{
	"github.com/kserve/kserve@v0.20.0",
	"github.com/kserve/kserve@v0.17.0",
	"github.com/kserve/kserve@v0.15.2",
}

// others are more Go modules with charts: programs beside KServe, and the tests of Helm and Argo CD, many of which are
// charts that helm refuses.
var others = []string{
	"sigs.k8s.io/gateway-api-inference-extension@v1.5.0",
	"sigs.k8s.io/lws@v0.8.0",
	"sigs.k8s.io/kwok@v0.8.0",
	"sigs.k8s.io/external-dns@v0.19.0",
	"github.com/kyverno/kyverno@v1.15.2",
	"github.com/NVIDIA/gpu-operator@v1.11.1",
	"github.com/argoproj/argo-cd/v3@v3.5.7",
	"helm.sh/helm/v4@v4.2.1",
	"helm.sh/helm/v3@v3.16.3",
}

// newerAPIs are the charts that print .Capabilities.APIVersions: the plugin links Helm 4.3.1, which knows the APIs of
// Kubernetes 1.37, and helm 4.2.1 knows those of 1.36.
var newerAPIs = []string{
	"github.com/argoproj/argo-cd/v3@v3.5.7/test/e2e/testdata/helm-api-versions",
	"github.com/argoproj/argo-cd/v3@v3.5.7/test/e2e/testdata/kustomize-api-versions/helm-chart",
}

// TestModules renders every chart of the modules, subcharts too, with the plugin and with helm 4.2.1. It downloads the
// modules.
func TestModules(t *testing.T) {
	modules := kserve
	if *allModules {
		modules = slices.Concat(kserve, others)
	}
	var total tally
	t.Cleanup(func() { t.Log("in all: ", &total) })
	for _, module := range modules {
		t.Run(module, func(t *testing.T) {
			dir, err := moduleDir(module)
			if err != nil {
				t.Fatal(err)
			}
			var of tally
			t.Cleanup(func() {
				t.Log(&of)
				total.add(&of)
			})
			for _, chart := range chartsBelow(t, dir) {
				t.Run(chart, func(t *testing.T) {
					t.Parallel()
					of.compare(t, filepath.Join(dir, chart), slices.Contains(newerAPIs, module+"/"+chart))
				})
			}
		})
	}
}

// moduleDir returns the folder with the unpacked sources of a module.
func moduleDir(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // this module does not require it
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", module, err)
	}
	var unpacked struct{ Dir string }
	err = json.Unmarshal(out, &unpacked)
	return unpacked.Dir, err
}

func chartsBelow(t *testing.T, dir string) (charts []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "Chart.yaml" && entry.Type().IsRegular() {
			charts = append(charts, filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(charts) == 0 {
		t.Errorf("%s has no charts", dir)
	}
	return charts
}

// tally counts what was compared.
type tally struct {
	mu                                                sync.Mutex
	charts, objects, errors, noObjects, random, newer int
}

func (n *tally) String() string {
	return fmt.Sprintf("%d charts are equal, with %d objects; %d are errors in both; %d render what is no object; "+
		"%d are random; %d print the APIs that Helm knows",
		n.charts, n.objects, n.errors, n.noObjects, n.random, n.newer)
}

func (n *tally) add(other *tally) {
	n.charts += other.charts
	n.objects += other.objects
	n.errors += other.errors
	n.noObjects += other.noObjects
	n.random += other.random
	n.newer += other.newer
}

// compare renders a chart with both, whose objects may have to differ.
func (n *tally) compare(t *testing.T, chart string, differ bool) {
	want, got := byHelm(t, helm4, chart, Options{}), byPlugin(t, chart, Options{})
	diff := differences(got, want)
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case differ && len(got.objects) == len(want.objects) && strings.Contains(diff, "k8s.io/"):
		n.newer++
	case differ:
		t.Errorf("differs in more than the APIs, or not at all: %s", diff)
	case diff == "" && got.err == "":
		n.charts++
		n.objects += len(got.objects)
	case diff == "":
		n.errors++
		t.Logf("helm:   %s\nplugin: %s", want.err, got.err)
	case strings.Contains(got.err, "an object needs apiVersion, kind and metadata") &&
		slices.ContainsFunc(want.objects, noObject):
		n.noObjects++
	case differences(byHelm(t, helm4, chart, Options{}), want) != "":
		n.random++
		if !strings.Contains(got.warned, "warning: ") {
			t.Errorf("no warning that the chart is random: %s", got.warned)
		}
	default:
		t.Error(diff)
	}
}

// noObject reports whether the document lacks what makes an object, so that the plugin refuses it, and Argo CD or the
// API server too.
func noObject(document string) bool {
	var object struct {
		APIVersion, Kind string
		Metadata         map[string]any
	}
	err := json.Unmarshal([]byte(document), &object)
	return err != nil || object.APIVersion == "" || object.Kind == "" || object.Metadata == nil
}
