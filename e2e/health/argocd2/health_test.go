// Package argocd2 runs the health checks and actions in the Lua VM of Argo CD 2, with the libraries it
// gives to scripts of its configuration.
package argocd2

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v2/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v2/util/argo/normalizers"
	"github.com/argoproj/argo-cd/v2/util/lua"
	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const group = "serving.kserve.io"

var customizations = os.DirFS("../../../resource_customizations/" + group)

type healthTests struct {
	Tests []struct {
		HealthStatus health.HealthStatus `json:"healthStatus"`
		InputPath    string              `json:"inputPath"`
	} `json:"tests"`
}

type actionTests struct {
	DiscoveryTests []struct {
		InputPath string                    `json:"inputPath"`
		Result    []v1alpha1.ResourceAction `json:"result"`
	} `json:"discoveryTests"`
	ActionTests []struct {
		Action             string `json:"action"`
		InputPath          string `json:"inputPath"`
		ExpectedOutputPath string `json:"expectedOutputPath"`
	} `json:"actionTests"`
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(customizations, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func load[T any](t *testing.T, name string) T {
	t.Helper()
	var into T
	if err := yaml.Unmarshal([]byte(read(t, name)), &into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return into
}

func object(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	return &unstructured.Unstructured{Object: load[map[string]any](t, name)}
}

// override is a check as argocd-cm gives it, without useOpenLibs.
func override(t *testing.T, kind string) lua.ResourceHealthOverrides {
	t.Helper()
	check := v1alpha1.ResourceOverride{HealthLua: read(t, kind+"/health.lua")}
	return lua.ResourceHealthOverrides{group + "/" + kind: check}
}

func TestChecks(t *testing.T) {
	suites, err := fs.Glob(customizations, "*/health_test.yaml")
	if err != nil || len(suites) == 0 {
		t.Fatalf("%v, %v", suites, err)
	}
	for _, suite := range suites {
		kind := path.Dir(suite)
		for _, test := range load[healthTests](t, suite).Tests {
			t.Run(kind+"/"+path.Base(test.InputPath), func(t *testing.T) {
				got, err := health.GetResourceHealth(object(t, path.Join(kind, test.InputPath)), override(t, kind))
				if err != nil {
					t.Fatal(err)
				}
				if *got != test.HealthStatus {
					t.Errorf("\n got %v\nwant %v", *got, test.HealthStatus)
				}
			})
		}
	}
}

// TestStatuses runs the checks on what KServe's own controllers write. Their times are over, and so is every limit.
func TestStatuses(t *testing.T) {
	all, err := fs.Glob(customizations, "*/statuses.yaml")
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, name := range all {
		kind := path.Dir(name)
		for _, document := range strings.Split(read(t, name), "\n---\n")[1:] {
			right, rest, _ := strings.Cut(strings.TrimPrefix(document, "# right: "), "\n")
			if _, later, changes := strings.Cut(right, ", later "); changes {
				right = later
			}
			status := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(rest), &status.Object); err != nil {
				t.Fatal(err)
			}
			got, err := health.GetResourceHealth(status, override(t, kind))
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Status) != right {
				title, _, _ := strings.Cut(rest, "\n")
				t.Errorf("%s %s: %v, want %s", kind, title, *got, right)
			}
		}
	}
}

// TestProgressDeadlineInEveryTimeZone is about os.date, which heeds the controller's time zone.
func TestProgressDeadlineInEveryTimeZone(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	waiting := object(t, "InferenceService/testdata/deadline-passed.yaml")
	for _, zone := range []int{0, 9, -9} {
		time.Local = time.FixedZone("test", zone*60*60)
		for age, want := range map[time.Duration]health.HealthStatusCode{
			20 * time.Minute: health.HealthStatusProgressing, 40 * time.Minute: health.HealthStatusDegraded,
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
			got, err := health.GetResourceHealth(waiting, override(t, "InferenceService"))
			if err != nil || got.Status != want {
				t.Errorf("UTC%+d, waiting for %v: %v, %v; want %s", zone, age, got, err, want)
			}
		}
	}
}

func TestActions(t *testing.T) {
	suites, err := fs.Glob(customizations, "*/actions/action_test.yaml")
	if err != nil || len(suites) == 0 {
		t.Fatalf("%v, %v", suites, err)
	}
	for _, suite := range suites {
		actions := path.Dir(suite) + "/"
		t.Run(path.Dir(path.Dir(suite)), func(t *testing.T) { testActions(t, actions) })
	}
}

func testActions(t *testing.T, actions string) {
	suite := load[actionTests](t, actions+"action_test.yaml")
	vm := lua.VM{}
	for _, test := range suite.DiscoveryTests {
		discovery := read(t, actions+"discovery.lua")
		got, err := vm.ExecuteResourceActionDiscovery(object(t, actions+test.InputPath), []string{discovery})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(test.Result) {
			t.Errorf("%s: %v", test.InputPath, got)
		}
		for _, action := range got {
			if !slices.ContainsFunc(test.Result, func(want v1alpha1.ResourceAction) bool {
				return want.Name == action.Name && want.Disabled == action.Disabled
			}) {
				t.Errorf("%s: %+v", test.InputPath, action)
			}
		}
	}
	for _, test := range suite.ActionTests {
		script := read(t, actions+test.Action+"/action.lua")
		got, err := vm.ExecuteResourceAction(object(t, actions+test.InputPath), script)
		if err != nil {
			t.Fatal(err)
		}
		want := object(t, actions+test.ExpectedOutputPath)
		if len(got) != 1 || !equal(t, got[0].UnstructuredObj, want) {
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

// TestKnownTypes compares quantities as written in Git with those that KServe's webhooks store.
func TestKnownTypes(t *testing.T) {
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
	overrides := map[string]v1alpha1.ResourceOverride{}
	for _, kind := range []string{"InferenceService", "LLMInferenceService", "LLMInferenceServiceConfig"} {
		var fields []v1alpha1.KnownTypeField
		known := configMap.Data["resource.customizations.knownTypeFields."+group+"_"+kind]
		if err := yaml.Unmarshal([]byte(known), &fields); err != nil {
			t.Fatal(err)
		}
		overrides[group+"/"+kind] = v1alpha1.ResourceOverride{KnownTypeFields: fields}
	}
	normalizer, err := normalizers.NewKnownTypesNormalizer(overrides)
	if err != nil {
		t.Fatal(err)
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
			if err := normalizer.Normalize(side); err != nil {
				t.Fatal(err)
			}
			sides[i] = side
		}
		if !equal(t, sides[0], sides[1]) {
			t.Errorf("%s: %v, %v", manifest, sides[0].Object, sides[1].Object)
		}
	}
}
