package health

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	argocd2 "github.com/argoproj/argo-cd/v2/resource_customizations"
	"sigs.k8s.io/yaml"

	customizations "github.com/argocd-kserve-plugin/argocd-kserve-plugin/resource_customizations"
)

// update makes the tests write their golden files.
var update = os.Getenv("UPDATE_GOLDEN") != ""

// today is the time of the tests. In the test data, what is over was in 2020, and what is not will be in 2999.
var today = time.Date(2026, time.November, 22, 0, 0, 0, 0, time.UTC)

const checksDir = "../../resource_customizations/serving.kserve.io"

// healthTests is the layout of health_test.yaml, Argo CD's own.
type healthTests struct {
	Tests []struct {
		HealthStatus struct {
			Status  Status `json:"status"`
			Message string `json:"message"`
		} `json:"healthStatus"`
		InputPath string `json:"inputPath"`
	} `json:"tests"`
}

func loadYAML(t testing.TB, tree fs.FS, name string, into any) {
	t.Helper()
	data, err := fs.ReadFile(tree, name)
	if err == nil {
		err = yaml.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func mustOurs(t testing.TB) Checks {
	t.Helper()
	checks, err := Ours()
	if err != nil {
		t.Fatal(err)
	}
	if len(checks) != len(Kinds) {
		t.Fatalf("%d checks for %d kinds", len(checks), len(Kinds))
	}
	return checks
}

func TestChecks(t *testing.T) {
	ours := mustOurs(t)
	for _, kind := range Kinds {
		tree := os.DirFS(filepath.Join(checksDir, kind))
		var suite healthTests
		loadYAML(t, tree, "health_test.yaml", &suite)
		unused := map[string]bool{}
		inputs, err := fs.Glob(tree, "testdata/*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, input := range inputs {
			unused[input] = true
		}
		for _, test := range suite.Tests {
			delete(unused, test.InputPath)
			t.Run(kind+"/"+path.Base(test.InputPath), func(t *testing.T) {
				var object Object
				loadYAML(t, tree, test.InputPath, &object)
				got := ours[kind].Assess(object, today)
				want := Verdict{test.HealthStatus.Status, test.HealthStatus.Message}
				if got != want {
					t.Errorf("\n got %v\nwant %v", got, want)
				}
			})
		}
		for input := range unused {
			t.Errorf("%s/%s: no test names it", kind, input)
		}
	}
}

// TestBundled compares the copy of a release with the release, and runs its test cases on the copy and on our check.
// The suite health of e2e does both for all releases, in their own VMs.
func TestBundled(t *testing.T) {
	const kind = "InferenceService"
	tree, err := fs.Sub(argocd2.Embedded, Group+"/"+kind)
	if err != nil {
		t.Fatal(err)
	}
	source, err := fs.ReadFile(tree, "health.lua")
	if err != nil {
		t.Fatal(err)
	}
	bundled, release, err := Bundled("2.14.21")
	if err != nil {
		t.Fatal(err)
	}
	if scriptOf(t, release, kind) != string(source) {
		t.Errorf("the copy of Argo CD %s is another script", release)
	}
	var suite healthTests
	loadYAML(t, tree, "health_test.yaml", &suite)
	for _, test := range suite.Tests {
		var object Object
		loadYAML(t, tree, test.InputPath, &object)
		want := Verdict{test.HealthStatus.Status, test.HealthStatus.Message}
		if got := bundled[kind].Assess(object, today); got != want {
			t.Errorf("%s: the copy says %v, want %v", test.InputPath, got, want)
		}
		if got := mustOurs(t)[kind].Assess(object, today); got.Status != want.Status {
			t.Errorf("%s: our check says %v, want %v", test.InputPath, got, want.Status)
		}
	}
}

// scriptOf returns the copy of the check that a release of Argo CD bundles.
func scriptOf(t *testing.T, release, kind string) string {
	t.Helper()
	source, err := fs.ReadFile(customizations.ArgoCD, "argocd/"+release+"/"+Group+"/"+kind+"/health.lua")
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// TestNothingBreaksACheck replaces every value of some objects by values of other types.
func TestNothingBreaksACheck(t *testing.T) {
	ours := mustOurs(t)
	for _, input := range []string{
		"InferenceService/deadline-passed",
		"InferenceService/standard-fails-to-load-crash-loop@0.20.0",
		"InferenceService/standard-runtime-lost-ready@0.20.0",
		"InferenceService/standard-resume-refused-seen@0.20.0",
		"InferenceService/standard-transformer-lost@0.20.0",
		"InferenceService/multi-node-internal-ready@0.17.0",
		"InferenceService/multi-node-past-deadline@0.17.0",
		"InferenceService/required-conditions-met",
		"InferenceGraph/deadline-passed",
		"InferenceGraph/graph-standard-stopped@0.20.0",
		"TrainedModel/trained-model-service-not-ready@0.20.0",
		"LLMInferenceService/controller-v0.20.0-foreign-hpa-collision-scaling",
		"LLMInferenceService/controller-v0.20.0-scaled-to-zero",
		"LLMInferenceService/deadline-first-rollout",
		"LLMInferenceService/failed-rollout",
		"LLMInferenceService/stopped",
		"LocalModelCache/cache-failed@0.20.0",
		"LocalModelNamespaceCache/namespace-cache-failed@0.20.0",
	} {
		kind, name := path.Split(input)
		kind = path.Clean(kind)
		object := find(t, kind, name)
		check := ours[kind]
		mutate(object, func() {
			if got := check.Assess(object, today); got.Status == Unknown {
				data, _ := json.Marshal(object)
				t.Errorf("%s: %s\n%s", input, got.Message, data)
			}
		})
	}
}

// mutate calls assess with every value below node replaced, one at a time.
func mutate(node any, assess func()) {
	hostile := []any{nil, 1.5, "", []any{nil, "x"}, map[string]any{"a": true}}
	replace := func(old any, set func(any)) {
		for _, value := range hostile {
			set(value)
			assess()
		}
		set(old)
		mutate(old, assess)
	}
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if key != "metadata" { // Argo CD reads it before the script does
				replace(value, func(v any) { node[key] = v })
			}
		}
		if annotations, ok := At(node, "metadata", "annotations").(map[string]any); ok {
			mutate(annotations, assess)
		}
	case []any:
		for i, value := range node {
			replace(value, func(v any) { node[i] = v })
		}
	}
}

func TestProgressDeadlineInEveryTimeZone(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	check := mustOurs(t)["InferenceService"]
	for _, zone := range []int{0, 9, -9} {
		time.Local = time.FixedZone("test", zone*60*60)
		for age, want := range map[time.Duration]Status{20 * time.Minute: Progressing, 40 * time.Minute: Degraded} {
			object := Object{
				"metadata": Object{"annotations": Object{"argocd-kserve-plugin/progress-deadline-seconds": "1800"}},
				"status": Object{"conditions": []any{Object{
					"type": "Ready", "status": "False",
					"lastTransitionTime": today.Add(-age).Format(time.RFC3339),
				}}},
			}
			if got := check.Assess(object, today); got.Status != want {
				t.Errorf("UTC%+d, waiting for %v: %v, want %s", zone, age, got, want)
			}
		}
	}
}

// TestGracePeriod is about what passes when another app brings it.
func TestGracePeriod(t *testing.T) {
	ours := mustOurs(t)
	for _, tc := range []struct{ input, condition string }{
		{"InferenceService/controller-v0.14.1-badfmt", ""},
		{"InferenceService/controller-v0.15.2-badfmt", ""},
		{"InferenceService/controller-v0.20.0-badfmt", "PredictorReady"},
		{"InferenceService/standard-no-runtime-not-recognized@0.20.0", "PredictorReady"},
		{"InferenceService/standard-refused-at-first@0.20.0", "PredictorReady"},
		{"LLMInferenceService/controller-v0.16.0-config-missing", "PresetsCombined"},
		{"LLMInferenceService/controller-v0.16.0-config-missing-after-ready", "PresetsCombined"},
		{"LLMInferenceService/controller-v0.20.0-config-missing", "PresetsCombined"},
		{"LLMInferenceService/controller-v0.20.0-config-missing-after-ready", "PresetsCombined"},
		{"LLMInferenceService/controller-v0.20.0-scheduler-configmap-missing", "PresetsCombined"},
		{"LLMInferenceService/controller-v0.20.0-scheduler-configmap-deleted-ready", "PresetsCombined"},
		{"LLMInferenceService/controller-v0.20.0-presets-broken-gateway-deleted-ready", "PresetsCombined"},
		{"LLMInferenceService/controller-v0.20.0-scaling-plus-replicas-from-config", "PresetsCombined"},
	} {
		kind, name := path.Split(tc.input)
		kind = path.Clean(kind)
		object := find(t, kind, name)
		changed := transition(t, object, tc.condition)
		for annotation, grace := range map[string]time.Duration{
			"": 5 * time.Minute, "60": time.Minute, "1800": 30 * time.Minute, "soon": 5 * time.Minute,
		} {
			object["metadata"].(Object)["annotations"] = Object{"argocd-kserve-plugin/progress-deadline-seconds": annotation}
			check := ours[kind]
			for after, want := range map[time.Duration]Status{grace: Progressing, grace + time.Second: Degraded} {
				if got := check.Assess(object, changed.Add(after)); got.Status != want {
					t.Errorf("%s, annotation %q, after %v: %v, want %s", tc.input, annotation, after, got, want)
				}
			}
		}
	}
}

// transition is the time at which a condition last changed; without a name, that of the object's creation.
func transition(t *testing.T, object Object, name string) time.Time {
	t.Helper()
	written := StringAt(object, "metadata", "creationTimestamp")
	conditions, _ := At(object, "status", "conditions").([]any)
	for _, condition := range conditions {
		if StringAt(condition, "type") == name {
			written = StringAt(condition, "lastTransitionTime")
		}
	}
	changed, err := time.Parse(time.RFC3339, written)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// TestErrorsByTheirWords looks for the words that make an error of the LLMInferenceService's reconciler permanent.
func TestErrorsByTheirWords(t *testing.T) {
	check := mustOurs(t)["LLMInferenceService"]
	for _, tc := range []struct {
		reason, message string
		want            Status
	}{
		{"ReconcileSingleNodeWorkloadError", `Deployment.apps "a" is invalid: spec`, Degraded},
		{"ReconcileMultiNodeWorkloadError", `cannot delete v1.ServiceAccount models/a: not owned by models/b`, Degraded},
		{"ReconcileWorkloadServiceError", "it is not controlled by models/a", Degraded},
		{"ReconcileCertsError", `secrets "a" already exists`, Degraded},
		{"HTTPRouteReconcileError", "first line\n\tnot owned by models/a", Degraded},
		{"ReconcileScalingError", strings.Repeat("~", 580) + "already exists", Degraded},
		{"ReconcileScalingError", strings.Repeat("~", 600) + "already exists", Progressing},
		{"ReconcileScalingError", "é already exists", Progressing},
		{"ReconcileScalingError", "already exist", Progressing},
		{"ReconcileScalingError", "", Progressing},
		{"RefsInvalid", "Gateway models/a is invalid", Progressing},
	} {
		object := Object{"status": Object{"conditions": []any{
			Object{"type": "MainWorkloadReady", "status": "False", "reason": tc.reason, "message": tc.message},
		}}}
		if got := check.Assess(object, today); got.Status != tc.want {
			t.Errorf("%s: %s: %v, want %s", tc.reason, tc.message, got, tc.want)
		}
	}
}

func TestOnlyWhatArgoCDGives(t *testing.T) {
	for _, global := range []string{"string", "math", "io", "os", "debug", "coroutine"} {
		check, err := Compile(global, `return { status = "Healthy", message = type(`+global+`) }`, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := check.Assess(Object{}, today); got.Message != "nil" {
			t.Errorf("%s is a %s", global, got.Message)
		}
	}
	check, err := Compile("os", `
		local n = ""
		for k in pairs(require("os")) do
			n = n .. "x"
		end
		return { status = "Healthy", message = n }`, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := check.Assess(Object{}, today); got.Message != "xx" {
		t.Errorf("os has %d functions", len(got.Message))
	}
}

func TestClock(t *testing.T) {
	check, err := Compile("clock", `
		local os = require("os")
		local times = { os.time(), os.date("!%Y-%m-%d %H:%M"), os.date("!*t").day, os.date() ~= "", os.date("%Y", 1e9) }
		for i, time in ipairs(times) do
			times[i] = tostring(time)
		end
		return { status = "Healthy", message = table.concat(times, ", ") }`, false)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2031, time.March, 4, 5, 6, 7, 0, time.UTC)
	if got, want := check.Assess(Object{}, now), "1930367167, 2031-03-04 05:06, 4, true, 2001"; got.Message != want {
		t.Errorf("got %s, want %s", got.Message, want)
	}
}

func TestScriptFailures(t *testing.T) {
	for source, want := range map[string]string{
		`error("boom")`:                    "boom",
		`return "Healthy"`:                 "expect table output from Lua script, not string",
		`return { status = "healthy" }`:    "Lua returned an invalid health status",
		`return { status = obj.a.b }`:      "attempt to index a non-table object",
		`return`:                           "expect table output from Lua script, not nil",
		`return { message = {} }`:          "Lua returned an invalid health status",
		`local s = ("a"):upper() return 1`: "attempt to index a non-table object",
	} {
		check, err := Compile("script", source, false)
		if err != nil {
			t.Fatal(err)
		}
		got := check.Assess(Object{}, today)
		if got.Status != Unknown || !strings.Contains(got.Message, want) {
			t.Errorf("%s: %v, want Unknown and %q", source, got, want)
		}
	}
	if _, err := Compile("script", "return {", false); err == nil {
		t.Error("a script that does not parse compiled")
	}
}

func TestDeletion(t *testing.T) {
	object := Object{"metadata": Object{"deletionTimestamp": "2026-11-20T22:00:00Z"}}
	if got := mustOurs(t)["InferenceService"].Assess(object, today); got.Status != Progressing {
		t.Error(got)
	}
}

func TestBundledByRelease(t *testing.T) {
	for version, want := range map[string]string{
		"2.12.13": "", "2.13.0": "2.14.21", "2.14.21": "2.14.21", "3.0.20": "2.14.21", "3.0.21": "3.5.7",
		"3.1.9": "2.14.21", "3.1.10": "3.5.7", "3.2.0": "2.14.21", "3.2.1": "3.5.7", "3.6.1": "3.5.7",
		"unknown": "3.5.7", "2.12": "", "2.14": "2.14.21", "3.0": "3.5.7", "3.5": "3.5.7",
	} {
		checks, source, err := Bundled(version)
		if err != nil || source != want || (len(checks) == 1) != (want != "") {
			t.Errorf("%q: %q with %d checks, %v; want %q", version, source, len(checks), err, want)
		}
	}
}

// BenchmarkLongestMessage is the dearest object: a multi-node message that is read name by name.
func BenchmarkLongestMessage(b *testing.B) {
	check := mustOurs(b)["InferenceService"]
	object := Object{"status": Object{"conditions": []any{
		Object{"type": "IngressReady", "status": "True"},
		Object{"type": "Ready", "status": "Unknown"},
		Object{"type": "PredictorReady", "status": "Unknown",
			"message": `predictor-container: ReplicaSet "` + strings.Repeat("z", 980)},
	}}}
	for b.Loop() {
		check.Assess(object, today)
	}
}

// BenchmarkLongestSearch is the dearest LLMInferenceService: long errors without any of the words.
func BenchmarkLongestSearch(b *testing.B) {
	check := mustOurs(b)["LLMInferenceService"]
	var conditions []any
	for _, name := range []string{"MainWorkloadReady", "WorkloadsReady", "Ready"} {
		conditions = append(conditions, Object{"type": name, "status": "False",
			"reason": "ReconcileSingleNodeWorkloadError", "message": strings.Repeat("already exist", 80)})
	}
	for b.Loop() {
		check.Assess(Object{"status": Object{"conditions": conditions}}, today)
	}
}

func BenchmarkHealthy(b *testing.B) {
	check := mustOurs(b)["InferenceService"]
	var object Object
	data, err := os.ReadFile(filepath.Join(checksDir, "InferenceService/testdata/controller-v0.20.0-healthy.yaml"))
	if err == nil {
		err = yaml.Unmarshal(data, &object)
	}
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		check.Assess(object, today)
	}
}
