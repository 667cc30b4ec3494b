package planetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// The calls by which a controller watches what it makes, and KServe's own kinds.
var (
	owned   = regexp.MustCompile(`\bOwns\(&\w+\.(\w+)\{|\bWatches\(&corev1\.(Pod)\{`)
	watched = regexp.MustCompile(`\bWatches\(\s*&v1\w*\.((?:Serving|Cluster|Inference|LocalModel|LLM)\w+)\{`)
)

// Owns compares the kinds that the controllers of a release watch with KServe's sources. Each kind that has a
// controller has the file with its SetupWithManager, below pkg/controller.
func Owns(t *testing.T, release controlplane.Release, files map[string]string) {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kserve/kserve").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []controlplane.Controller
	started := release
	started.Controllers = func(c *controlplane.Cluster) []controlplane.Controller {
		all = release.Controllers(c)
		return all
	}
	plan(t, started, controlplane.Request{})
	for _, controller := range all {
		file, found := files[controller.For.Kind]
		if !found {
			t.Errorf("%s: no file", controller.For.Kind)
			continue
		}
		source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(module)), "pkg", "controller", file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), "NewControllerManagedBy(") {
			t.Errorf("%s makes no controller", file)
		}
		var owns, on []string
		for _, kind := range controller.Owns {
			name, _, _ := strings.Cut(kind, ".")
			owns = append(owns, name)
		}
		for _, kind := range controller.On {
			on = append(on, kind.Kind)
		}
		if want := called(owned, source); !same(owns, want) {
			t.Errorf("%s owns %q, in %s %q", controller.For.Kind, owns, file, want)
		}
		want := slices.DeleteFunc(called(watched, source), func(kind string) bool { return kind == controller.For.Kind })
		if !same(on, want) {
			t.Errorf("%s looks on a change of %q, in %s %q", controller.For.Kind, on, file, want)
		}
	}
}

// called returns the kinds that are named by the calls in a source.
func called(call *regexp.Regexp, source []byte) (kinds []string) {
	for _, match := range call.FindAllStringSubmatch(string(source), -1) {
		kinds = append(kinds, strings.Join(match[1:], ""))
	}
	return kinds
}

func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// KServe watches its Deployments and makes them again. It does not watch its HPAs: one that Argo CD prunes is gone until
// something else makes KServe look, as a change of the service does, because Argo CD prunes before it applies.
func pruned(t *testing.T, release controlplane.Release) {
	const autoscaler = `
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: iris-predictor}
spec: {maxReplicas: 7, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: iris-predictor}}
`
	const deployment = `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: iris-predictor}
spec:
  selector: {matchLabels: {app: isvc.iris-predictor}}
  template: {metadata: {labels: {app: isvc.iris-predictor}}, spec: {containers: [{name: x, image: x}]}}
`
	for _, tc := range []struct {
		name, manifest, service string
		again                   bool
	}{
		{"HorizontalPodAutoscaler iris-predictor", autoscaler, iris, false},
		{"HorizontalPodAutoscaler iris-predictor", autoscaler, strings.Replace(iris, "1.0", "2.0", 1), true},
		{"Deployment iris-predictor", deployment, iris, true},
	} {
		before, after := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
			Previous: manifests(t, iris+tc.manifest), Objects: manifests(t, tc.service)})
		if at(find(t, *before, tc.name), "metadata", "ownerReferences", 0, "kind") != "InferenceService" {
			t.Errorf("%s is not KServe's", tc.name)
		}
		if slices.Contains(names(after), tc.name) != tc.again {
			t.Errorf("%s: made again: %v, with this service: %s", tc.name, !tc.again, tc.service)
		}
	}
}

// Runtimes tests whether a change of a runtime alone restarts the pods of the services that use it: KServe watches
// runtimes since 0.16.
func Runtimes(t *testing.T, release controlplane.Release, restarts bool) {
	const runtime = `
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: mine}
spec:
  supportedModelFormats: [{name: sklearn, version: "1", autoSelect: true}]
  containers: [{name: kserve-container, image: "registry.invalid/sklearn:1"}]
---`
	service := strings.Replace(iris, "modelFormat:", "runtime: mine\n      modelFormat:", 1)
	changed := strings.Replace(runtime, "sklearn:1", "sklearn:2", 1)
	_, state := plan(t, release, controlplane.Request{Mode: "Standard", Changed: true,
		Previous: manifests(t, runtime+service), Objects: manifests(t, changed+service)})
	image := at(find(t, state, "Deployment iris-predictor"), "spec", "template", "spec", "containers", 0, "image")
	if (image == "registry.invalid/sklearn:2") != restarts {
		t.Errorf("image %v, restarts: %v", image, restarts)
	}
}
