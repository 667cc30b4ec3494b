// Package suite tests the health checks and actions in the Lua VM of a release of Argo CD, with the libraries that it
// gives to scripts of its configuration.
package suite

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const group = "serving.kserve.io"

var customizations = os.DirFS("../../../resource_customizations/" + group)

// ArgoCD is a release of Argo CD.
type ArgoCD interface {
	// Health runs a health check as argocd-cm gives it for the object's kind, without useOpenLibs.
	Health(object *unstructured.Unstructured, script string) (Health, error)

	// Actions returns the actions that a script finds for an object, and whether each is disabled.
	Actions(object *unstructured.Unstructured, script string) (map[string]bool, error)

	// Act returns the objects that an action makes of one.
	Act(object *unstructured.Unstructured, script string) ([]*unstructured.Unstructured, error)

	// Normalize changes an object as Argo CD does before it compares, with the value of knownTypeFields for each
	// <group>/<kind>.
	Normalize(object *unstructured.Unstructured, knownTypeFields map[string]string) error

	// Bundled has what the release bundles for the group.
	Bundled() (fs.FS, error)
}

// Health is the verdict of a check.
type Health struct{ Status, Message string }

type healthTests struct {
	Tests []struct {
		HealthStatus Health `json:"healthStatus"`
		InputPath    string `json:"inputPath"`
	} `json:"tests"`
}

type actionTests struct {
	DiscoveryTests []struct {
		InputPath string `json:"inputPath"`
		Result    []struct {
			Name     string `json:"name"`
			Disabled bool   `json:"disabled"`
		} `json:"result"`
	} `json:"discoveryTests"`
	ActionTests []struct {
		Action             string `json:"action"`
		InputPath          string `json:"inputPath"`
		ExpectedOutputPath string `json:"expectedOutputPath"`
	} `json:"actionTests"`
}

// Run tests a release.
func Run(t *testing.T, argocd ArgoCD) {
	for name, test := range map[string]func(*testing.T, ArgoCD){
		"Checks":                          testChecks,
		"BundledCases":                    testBundledCases,
		"Statuses":                        testStatuses,
		"ProgressDeadlineInEveryTimeZone": testProgressDeadlineInEveryTimeZone,
		"Actions":                         testActions,
		"KnownTypes":                      testKnownTypes,
	} {
		t.Run(name, func(t *testing.T) { test(t, argocd) })
	}
}

func read(t *testing.T, tree fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func load[T any](t *testing.T, tree fs.FS, name string) T {
	t.Helper()
	var into T
	if err := yaml.Unmarshal([]byte(read(t, tree, name)), &into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return into
}

func object(t *testing.T, tree fs.FS, name string) *unstructured.Unstructured {
	t.Helper()
	return &unstructured.Unstructured{Object: load[map[string]any](t, tree, name)}
}

func testChecks(t *testing.T, argocd ArgoCD) {
	suites, err := fs.Glob(customizations, "*/health_test.yaml")
	if err != nil || len(suites) == 0 {
		t.Fatalf("%v, %v", suites, err)
	}
	for _, suite := range suites {
		kind := path.Dir(suite)
		for _, test := range load[healthTests](t, customizations, suite).Tests {
			t.Run(kind+"/"+path.Base(test.InputPath), func(t *testing.T) {
				script := read(t, customizations, kind+"/health.lua")
				got, err := argocd.Health(object(t, customizations, path.Join(kind, test.InputPath)), script)
				if err != nil {
					t.Fatal(err)
				}
				if got != test.HealthStatus {
					t.Errorf("\n got %v\nwant %v", got, test.HealthStatus)
				}
			})
		}
	}
}

// testBundledCases runs the cases of the check that the release bundles on ours.
func testBundledCases(t *testing.T, argocd ArgoCD) {
	bundled, err := argocd.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	script := read(t, customizations, "InferenceService/health.lua")
	tests := load[healthTests](t, bundled, "InferenceService/health_test.yaml").Tests
	if len(tests) == 0 {
		t.Fatal("there are no cases")
	}
	for _, test := range tests {
		got, err := argocd.Health(object(t, bundled, path.Join("InferenceService", test.InputPath)), script)
		if err != nil || got.Status != test.HealthStatus.Status {
			t.Errorf("%s: %v, %v; the release says %v", test.InputPath, got, err, test.HealthStatus)
		}
	}
}

// testStatuses runs the checks on what KServe's own controllers write. Their times are over, and so is every limit.
func testStatuses(t *testing.T, argocd ArgoCD) {
	all, err := fs.Glob(customizations, "*/statuses.yaml")
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, name := range all {
		kind := path.Dir(name)
		for _, document := range strings.Split(read(t, customizations, name), "\n---\n")[1:] {
			right, rest, _ := strings.Cut(strings.TrimPrefix(document, "# right: "), "\n")
			if _, later, changes := strings.Cut(right, ", later "); changes {
				right = later
			}
			status := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(rest), &status.Object); err != nil {
				t.Fatal(err)
			}
			got, err := argocd.Health(status, read(t, customizations, kind+"/health.lua"))
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != right {
				title, _, _ := strings.Cut(rest, "\n")
				t.Errorf("%s %s: %v, want %s", kind, title, got, right)
			}
		}
	}
}

// testProgressDeadlineInEveryTimeZone is about os.date, which heeds the controller's time zone.
func testProgressDeadlineInEveryTimeZone(t *testing.T, argocd ArgoCD) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	script := read(t, customizations, "InferenceService/health.lua")
	waiting := object(t, customizations, "InferenceService/testdata/deadline-passed.yaml")
	for _, zone := range []int{0, 9, -9} {
		time.Local = time.FixedZone("test", zone*60*60)
		for age, want := range map[time.Duration]string{
			20 * time.Minute: "Progressing", 40 * time.Minute: "Degraded",
		} {
			conditions, _, err := unstructured.NestedSlice(waiting.Object, "status", "conditions")
			if err != nil {
				t.Fatal(err)
			}
			for _, condition := range conditions {
				condition.(map[string]any)["lastTransitionTime"] = time.Now().Add(-age).UTC().Format(time.RFC3339)
			}
			if err := unstructured.SetNestedSlice(waiting.Object, conditions, "status", "conditions"); err != nil {
				t.Fatal(err)
			}
			got, err := argocd.Health(waiting, script)
			if err != nil || got.Status != want {
				t.Errorf("UTC%+d, waiting for %v: %v, %v; want %s", zone, age, got, err, want)
			}
		}
	}
}

func testActions(t *testing.T, argocd ArgoCD) {
	suites, err := fs.Glob(customizations, "*/actions/action_test.yaml")
	if err != nil || len(suites) == 0 {
		t.Fatalf("%v, %v", suites, err)
	}
	for _, suite := range suites {
		actions := path.Dir(suite) + "/"
		t.Run(path.Dir(path.Dir(suite)), func(t *testing.T) { testActionsOf(t, argocd, actions) })
	}
}

func testActionsOf(t *testing.T, argocd ArgoCD, actions string) {
	suite := load[actionTests](t, customizations, actions+"action_test.yaml")
	for _, test := range suite.DiscoveryTests {
		script := read(t, customizations, actions+"discovery.lua")
		got, err := argocd.Actions(object(t, customizations, actions+test.InputPath), script)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, action := range test.Result {
			want[action.Name] = action.Disabled
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", test.InputPath, got, want)
		}
	}
	for _, test := range suite.ActionTests {
		script := read(t, customizations, actions+test.Action+"/action.lua")
		got, err := argocd.Act(object(t, customizations, actions+test.InputPath), script)
		if err != nil {
			t.Fatal(err)
		}
		want := object(t, customizations, actions+test.ExpectedOutputPath)
		if len(got) != 1 || !equal(t, got[0], want) {
			t.Errorf("%s on %s: %+v", test.Action, test.InputPath, got)
		}
	}
}

func equal(t *testing.T, a, b *unstructured.Unstructured) bool {
	t.Helper()
	first, err := a.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(first) == string(second)
}

// testKnownTypes compares quantities as written in Git with those that KServe's webhooks store.
func testKnownTypes(t *testing.T, argocd ArgoCD) {
	data, err := os.ReadFile("../../../internal/healthconfig/testdata/config.argocd-cm")
	if err != nil {
		t.Fatal(err)
	}
	var configMap struct {
		Data map[string]string `json:"data"`
	}
	if err := yaml.Unmarshal(data, &configMap); err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, kind := range []string{"InferenceService", "LLMInferenceService", "LLMInferenceServiceConfig"} {
		known[group+"/"+kind] = configMap.Data["resource.customizations.knownTypeFields."+group+"_"+kind]
	}
	for _, manifest := range []string{
		`{kind: InferenceService, spec: {predictor: {model: {resources: {limits: {cpu: %q}}}}}}`,
		`{kind: InferenceService, spec: {predictor: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}`,
		`{kind: InferenceService, spec: {transformer: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}`,
		`{kind: InferenceService, spec: {explainer: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}`,
		`{kind: LLMInferenceService, spec: {template: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}`,
		`{kind: LLMInferenceServiceConfig, spec: {template: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}`,
		`{kind: LLMInferenceService, spec: {worker: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}`,
		`{kind: LLMInferenceService, spec: {prefill: {template: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}}`,
		`{kind: LLMInferenceService, spec: {prefill: {worker: {containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}}`,
		`{kind: LLMInferenceService, spec: {router: {scheduler: {template: ` +
			`{containers: [{name: c, resources: {limits: {cpu: %q}}}]}}}}}`,
	} {
		var sides [2]*unstructured.Unstructured
		for i, cpu := range []string{"1000m", "1"} {
			side := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(fmt.Sprintf(manifest, cpu)), &side.Object); err != nil {
				t.Fatal(err)
			}
			side.SetAPIVersion(group + "/v1")
			if err := argocd.Normalize(side, known); err != nil {
				t.Fatal(err)
			}
			sides[i] = side
		}
		if !equal(t, sides[0], sides[1]) {
			t.Errorf("%s: %v, %v", manifest, sides[0].Object, sides[1].Object)
		}
	}
}
