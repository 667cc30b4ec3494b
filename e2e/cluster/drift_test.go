package cluster

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// driftCase is a service that the cluster does not store as Git has it.
type driftCase struct {
	problem  string
	id       string
	app      string
	rule     string        // that repairs it; "" where none does
	settings string        // the app's own
	wrong    kserve.Window // the releases of KServe that store it otherwise
	slow     bool          // left out unless all cases are asked for
}

// inferenceService returns an InferenceService "model" with further metadata and the predictor.
func inferenceService(metadata, predictor string) string {
	return `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: model
` + metadata + `spec:
  predictor:
` + predictor
}

// container is a predictor to which KServe adds nothing, with further fields of its container.
func container(more string) string {
	return `    containers:
      - name: kserve-container
        image: example.invalid/model:1
        ports: [{containerPort: 8080, protocol: TCP}]
        resources: {requests: {cpu: "1", memory: 2Gi}, limits: {cpu: "1", memory: 2Gi}}
` + more
}

var driftCases = []driftCase{
	{
		problem: "nothing", id: "nothing", slow: true, app: inferenceService("", container("")),
	},
	{
		problem: "predictor given as `sklearn:`", id: "framework", rule: "KS601",
		app: inferenceService("", "    sklearn: {storageUri: \"gs://example/model\"}\n"),
	},
	{
		problem: "quantities `1000m` and `2048Mi`", id: "quantities", rule: "KS602",
		app: inferenceService("", strings.Replace(container(""),
			`requests: {cpu: "1", memory: 2Gi}`, "requests: {cpu: 1000m, memory: 2048Mi}", 1)),
	},
	{
		problem: "empty `args: []` and `nodeSelector: {}`", id: "empties", slow: true, rule: "KS603",
		app:   inferenceService("", container("        args: []\n    nodeSelector: {}\n")),
		wrong: kserve.Window{Before: "v0.20.0"},
	},
	{
		problem: "another name of the only container", id: "container", slow: true, rule: "KS604",
		app: inferenceService("", strings.Replace(container(""), "kserve-container", "server", 1)),
	},
	{
		problem: "`status` and `generation` from a cluster", id: "exported", slow: true, rule: "KS605",
		app: inferenceService("  generation: 7\n", container("")) + "status: {url: \"http://model\"}\n",
	},
	{
		problem: "`uid` from a cluster", id: "uid", slow: true, rule: "KS605",
		app: inferenceService("  uid: 11111111-2222-3333-4444-555555555555\n", container("")),
	},
	{
		problem: "`nodeSelector` in `model`, a field that the CRD does not have", id: "pruned", slow: true, rule: "KS606",
		settings: "pruned-fields: move\n",
		app: inferenceService("", `    model:
      modelFormat: {name: sklearn}
      storageUri: gs://example/model
      nodeSelector: {kubernetes.io/os: linux}
`),
	},
	{
		problem: "`deploymentMode: RawDeployment`", id: "legacy", rule: "KS501",
		app:   inferenceService("  annotations: {"+modeAnnotation+": RawDeployment}\n", container("")),
		wrong: kserve.Window{From: "v0.17.0"},
	},
	{
		problem: "a container without `resources`", id: "resources",
		app: inferenceService("", `    containers:
      - name: kserve-container
        image: example.invalid/model:1
        ports: [{containerPort: 8080, protocol: TCP}]
`),
	},
	{
		problem: "a transformer with `limits.cpu` alone", id: "transformer", slow: true,
		app: inferenceService("", container(`  transformer:
    containers:
      - name: kserve-container
        image: example.invalid/transformer:1
        resources: {limits: {cpu: "1"}}
`)),
	},
	{
		problem: "tolerations and `nodeSelector` beside a hardware profile of OpenShift AI", id: "profile", slow: true,
		app: profiled,
	},
	{
		problem: "a port without `protocol`", id: "port", slow: true,
		app: inferenceService("", strings.Replace(container(""), ", protocol: TCP", "", 1)),
	},
}

// hardwareProfile stands in for the webhook of OpenShift AI: it puts a toleration before those of a service with the
// annotation and overwrites a key of its nodeSelector.
const hardwareProfile = `
apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicy
metadata: {name: hardware-profile}
spec:
  matchConstraints:
    resourceRules:
      - apiGroups: [serving.kserve.io]
        apiVersions: [v1beta1]
        operations: [CREATE, UPDATE]
        resources: [inferenceservices]
  matchConditions:
    - name: named
      expression: >-
        has(object.metadata.annotations) && "opendatahub.io/hardware-profile-name" in object.metadata.annotations
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
    - patchType: JSONPatch
      jsonPatch:
        expression: >-
          object.spec.predictor.tolerations.exists(t, t.key == "example.com/gpu") ? [] : [
            JSONPatch{op: "add", path: "/spec/predictor/tolerations/0",
              value: {"key": "example.com/gpu", "operator": "Exists"}},
            JSONPatch{op: "add", path: "/spec/predictor/nodeSelector/kubernetes.io~1os", value: "linux"}]
---
apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicyBinding
metadata: {name: hardware-profile}
spec: {policyName: hardware-profile}
`

var profiled = inferenceService("  annotations: {opendatahub.io/hardware-profile-name: gpu}\n",
	container(`    tolerations: [{key: example.com/pool, operator: Exists}]
    nodeSelector: {kubernetes.io/os: other}
`))

// installHardwareProfile returns once the API server obeys the policy.
func (e *environment) installHardwareProfile(t *testing.T) {
	namespace := e.cluster.Namespace(t, "hardware-profile")
	namespace.Apply(hardwareProfile)
	parsed, err := objects.Parse([]byte(profiled))
	if err != nil {
		t.Fatal(err)
	}
	namespace.Eventually("the hardware profile is in use", func() error {
		// The policy may know KServe's kinds later than the API server does.
		if err := namespace.Try(parsed[0]); err != nil {
			return err
		}
		service := namespace.Get(objects.InferenceServices, "model")
		list, _, err := unstructured.NestedSlice(service.Object, "spec", "predictor", "tolerations")
		if err == nil && len(list) < 2 {
			err = fmt.Errorf("there is no second toleration")
		}
		return err
	})
}

// seen is what a way to compare showed.
type seen struct {
	way  applications.Comparison
	text string
}

// testDrift syncs every case with every way to compare, before Argo CD is configured for KServe: what health config
// prints hides some quantities. Without the plugin, what Argo CD shows has to be what the
// command drift says: OutOfSync exactly when it prints lines, Synced with them, and OutOfSync without one of them.
func (s *synced) testDrift(t *testing.T, cases []driftCase) {
	t.Parallel()
	for _, tc := range cases {
		if !tc.wrong.Has(s.kserve.Version) || !s.plugin.has(t, tc.rule) {
			continue
		}
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{
				KServe: s.version(), ArgoCD: s.argoVersion(), Section: compatibility.Drift, Problem: tc.problem,
			}
			if tc.slow && *driftFlag != "all" {
				s.table.Skip(row)
				return
			}
			var mu sync.Mutex
			var without, with []seen
			t.Run("ways", func(t *testing.T) {
				for _, way := range applications.Comparisons {
					t.Run(string(way), func(t *testing.T) {
						t.Parallel()
						t.Run("without", func(t *testing.T) {
							t.Parallel()
							text := s.unrepaired(t, tc, way)
							mu.Lock()
							defer mu.Unlock()
							without = append(without, seen{way, text})
						})
						t.Run("with", func(t *testing.T) {
							t.Parallel()
							text := s.repaired(t, tc, way)
							mu.Lock()
							defer mu.Unlock()
							with = append(with, seen{way, text})
						})
					})
				}
			})
			row.Without, row.With = together(without), together(with)
			s.record(t, row)
		})
	}
}

// unrepaired deploys the app as it is and returns what Argo CD shows.
func (s *synced) unrepaired(t *testing.T, tc driftCase, way applications.Comparison) string {
	files := app{"app.yaml": tc.app}
	source := applications.Source{Prune: true, Manual: true, Compare: way}
	a, repository := s.deploy(t, tc.id+"-"+string(way), files, source)
	source.Repository = repository
	options := []string{"--argocd-version", s.argoVersion(), "--compare", string(way), files.write(t)}
	if tc.rule != "" {
		options = append(options, "--rules=-"+tc.rule)
	}
	table, _, _ := s.plugin.Run(t, append([]string{"drift"}, options...)...)
	t.Log(table)
	if strings.Contains(table, "ServerSideApply fails") {
		return "the sync fails: " + s.failure(a)
	}
	a.AwaitSync(applications.State{})
	if strings.Contains(table, "cannot compare") {
		return a.Await("unable to compare", func(s applications.State) bool { return s.Sync == "Unknown" }).Sync
	}
	s.settle(a)
	lines := s.lines(t, options)
	if len(lines) == 0 {
		s.staysSynced(t, a)
		return "Synced"
	}
	s.drifts(t, a)
	for i := range lines {
		source.Ignore = ignoring(slices.Delete(slices.Clone(lines), i, i+1))
		s.drifts(t, s.argo.Deploy(t, a.Name, source))
	}
	source.Ignore = ignoring(lines)
	s.staysSynced(t, s.argo.Deploy(t, a.Name, source))
	return "OutOfSync"
}

// repaired deploys what the plugin makes of the app, with the lines of the command drift where it prints any.
func (s *synced) repaired(t *testing.T, tc driftCase, way applications.Comparison) string {
	files := app{"app.yaml": tc.app}
	if tc.settings != "" {
		files[".argocd-kserve-plugin.yaml"] = tc.settings
	}
	options := []string{"--argocd-version", s.argoVersion(), "--compare", string(way), files.write(t)}
	lines := s.lines(t, options)
	a, _ := s.deploy(t, tc.id+"-"+string(way)+"-with", files, applications.Source{
		Prune: true, Plugin: true, Manual: true, Compare: way, Ignore: ignoring(lines),
	})
	a.AwaitSync(applications.State{})
	table, _, _ := s.plugin.Run(t, append([]string{"drift"}, options...)...)
	if strings.Contains(table, "cannot compare") {
		return "Unknown, and `drift` says what to write"
	}
	s.settle(a)
	s.staysSynced(t, a)
	if len(lines) > 0 {
		return "Synced through 10 refreshes with the lines of `drift`"
	}
	return "Synced through 10 refreshes"
}

// lines returns the expressions that the command drift prints for the only object.
func (s *synced) lines(t *testing.T, options []string) []string {
	t.Helper()
	stdout, stderr, code := s.plugin.Run(t, append([]string{"drift", "-o", "application"}, options...)...)
	parsed, err := objects.Parse([]byte(stdout))
	if code != 0 || err != nil || len(parsed) > 1 {
		t.Fatalf("drift: exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if len(parsed) == 0 {
		return nil
	}
	entries, _, err := unstructured.NestedSlice(parsed[0].Object, "spec", "ignoreDifferences")
	if err != nil || len(entries) != 1 {
		t.Fatalf("drift: %v:\n%s", err, stdout)
	}
	lines, _, err := unstructured.NestedStringSlice(entries[0].(map[string]any), "jqPathExpressions")
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// ignoring returns the ignoreDifferences with the expressions for the service.
func ignoring(expressions []string) []any {
	if len(expressions) == 0 {
		return nil
	}
	var list []any
	for _, expression := range expressions {
		list = append(list, expression)
	}
	return []any{map[string]any{
		"group": "serving.kserve.io", "kind": "InferenceService", "name": "model", "jqPathExpressions": list,
	}}
}

// settle waits until KServe has nothing left to write: while its status changes, Argo CD 2 sees differences that are
// none.
func (s *synced) settle(a *applications.Application) {
	if s.plugin.DefaultMode == "Knative" {
		awaitKnative(a.Namespace())
		return
	}
	awaitRollout(a.Namespace(), "model", "model-predictor")
}

// failure waits until the API server has refused the service and returns the part of its message that names the field.
func (s *synced) failure(a *applications.Application) string {
	state := a.Await("refused", func(s applications.State) bool { return s.Failure != "" })
	for _, reason := range []string{"field not declared in schema", "uid mismatch"} {
		if strings.Contains(state.Failure, reason) {
			return reason
		}
	}
	return state.Failure
}

// drifts expects OutOfSync, and again when Argo CD looks once more.
func (s *synced) drifts(t *testing.T, a *applications.Application) {
	t.Helper()
	a.Await("OutOfSync", func(s applications.State) bool { return s.Sync == "OutOfSync" && !s.Syncing })
	if state := a.Refresh(); state.Sync != "OutOfSync" {
		t.Fatalf("it was OutOfSync and is %v", state)
	}
}

// staysSynced expects Synced through ten refreshes.
func (s *synced) staysSynced(t *testing.T, a *applications.Application) {
	t.Helper()
	a.Await("Synced", func(s applications.State) bool { return s.Sync == "Synced" && !s.Syncing })
	for range 10 {
		if state := a.Refresh(); state.Sync != "Synced" {
			t.Fatalf("it was Synced and is %v: %s", state, state.Conditions)
		}
	}
}

// together writes what the ways showed, those with the same together.
func together(all []seen) string {
	var texts []string
	for _, way := range applications.Comparisons {
		for _, one := range all {
			if one.way == way && !slices.Contains(texts, one.text) {
				texts = append(texts, one.text)
			}
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	var parts []string
	for _, text := range texts {
		var ways []string
		for _, way := range applications.Comparisons {
			if slices.Contains(all, seen{way, text}) {
				ways = append(ways, string(way))
			}
		}
		parts = append(parts, strings.Join(ways, ", ")+": "+text)
	}
	return strings.Join(parts, "; ")
}
