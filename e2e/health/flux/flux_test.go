// Package flux compares three opinions on the health of KServe's objects: that of kstatus alone, as Flux and Helm 4
// have it, that of Flux's own evaluator with the expressions that the plugin prints, and that of the plugin's Lua
// checks.
package flux

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const (
	printed        = "../../../internal/flux/testdata/app.golden.yaml"
	customizations = "../../../resource_customizations/serving.kserve.io"
	documentation  = "../../../docs/evidence/health.md"
)

// evaluators are those that kustomize-controller makes of the printed expressions, by kind.
func evaluators(t *testing.T) map[string]*cel.StatusEvaluator {
	t.Helper()
	var kustomization struct {
		Spec kustomizev1.KustomizationSpec `json:"spec"`
	}
	if err := yaml.UnmarshalStrict(read(t, printed), &kustomization); err != nil {
		t.Fatal(err)
	}
	if len(kustomization.Spec.HealthChecks) == 0 || kustomization.Spec.Wait {
		t.Fatalf("%+v", kustomization.Spec)
	}
	byKind := map[string]*cel.StatusEvaluator{}
	for _, e := range kustomization.Spec.HealthCheckExprs {
		evaluator, err := cel.NewStatusEvaluator(&e.HealthCheckExpressions)
		if err != nil {
			t.Fatalf("%s: %v", e.Kind, err)
		}
		byKind[e.Kind] = evaluator
	}
	return byKind
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func object(t *testing.T, manifest []byte) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON(manifest)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return u
}

// example is a status with the verdict of a Lua check.
type example struct {
	kind, name string
	real       bool // KServe's controllers wrote it
	verdict    struct{ Status, Message string }
	object     *unstructured.Unstructured
}

func examples(t *testing.T) []example { return append(testCases(t), statuses(t)...) }

// statuses are those that KServe's controllers wrote into statuses.yaml: documents that begin with the right verdict,
// such as "# right: Progressing, later Degraded".
func statuses(t *testing.T) (all []example) {
	t.Helper()
	files, err := filepath.Glob(customizations + "/*/statuses.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		for _, document := range strings.Split(string(read(t, path)), "\n---\n")[1:] {
			e := example{kind: filepath.Base(filepath.Dir(path)), real: true, object: object(t, []byte(document))}
			right, name, _ := strings.Cut(strings.TrimPrefix(document, "# right: "), "\n# ")
			e.verdict.Status, _, _ = strings.Cut(right, ",")
			e.name, _, _ = strings.Cut(name, "\n")
			all = append(all, e)
		}
	}
	return all
}

// testCases are those of the Lua checks.
func testCases(t *testing.T) (all []example) {
	t.Helper()
	suites, err := filepath.Glob(customizations + "/*/health_test.yaml")
	if err != nil || len(suites) == 0 {
		t.Fatalf("%v, %v", suites, err)
	}
	for _, path := range suites {
		var suite struct {
			Tests []struct {
				HealthStatus struct{ Status, Message string } `json:"healthStatus"`
				InputPath    string                           `json:"inputPath"`
			} `json:"tests"`
		}
		if err := yaml.Unmarshal(read(t, path), &suite); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, test := range suite.Tests {
			name := strings.TrimSuffix(filepath.Base(test.InputPath), ".yaml")
			if strings.HasPrefix(name, "hostile-") {
				continue // the API server accepts none of them
			}
			if name == "phrase-too-late" {
				continue // the Lua check reads the beginning of a message, and Flux all of it
			}
			u := object(t, read(t, filepath.Join(filepath.Dir(path), test.InputPath)))
			if u.GetDeletionTimestamp() == nil && u.GetAnnotations()["argocd-kserve-plugin/health-conditions"] == "" {
				real := strings.HasPrefix(name, "controller-")
				all = append(all, example{filepath.Base(filepath.Dir(path)), name, real, test.HealthStatus, u})
			}
		}
	}
	return all
}

// expected is the status for a verdict, as far as the object tells it: an expression knows no time.
func (e example) expected() status.Status {
	switch {
	case strings.HasPrefix(e.verdict.Message, "no progress since"):
		return status.InProgressStatus
	case e.verdict.Status == "Healthy" || e.verdict.Status == "Suspended":
		return status.CurrentStatus
	case e.verdict.Status == "Degraded":
		return status.FailedStatus
	}
	return status.InProgressStatus
}

// result is a status, where an error counts as one that Flux waits for (errResourceToResourceStatus in common.go of
// kstatus makes it Unknown).
func result(r *status.Result, err error) status.Status {
	if err != nil {
		return status.InProgressStatus
	}
	return r.Status
}

// TestExpressions gives every status to the expressions. Without observedGeneration, which Flux compares first, they
// agree with the Lua checks, and with it they are never too early.
func TestExpressions(t *testing.T) {
	byKind := evaluators(t)
	for _, e := range examples(t) {
		flux := result(byKind[e.kind].Evaluate(t.Context(), e.object))
		if flux != e.expected() && flux != status.InProgressStatus {
			t.Errorf("%s %s: Flux says %s, want %s: %s", e.kind, e.name, flux, e.expected(), e.verdict.Message)
		}
		if got := e.expression(t, byKind); got != e.expected() {
			t.Errorf("%s %s: the expressions say %s, want %s: %s", e.kind, e.name, got, e.expected(), e.verdict.Message)
		}
	}
}

// expression is what the expressions alone say. The generation in the status of an LLMInferenceService is its own.
func (e example) expression(t *testing.T, byKind map[string]*cel.StatusEvaluator) status.Status {
	t.Helper()
	copied := e.object.DeepCopy()
	if e.kind != "LLMInferenceService" {
		unstructured.RemoveNestedField(copied.Object, "status", "observedGeneration")
	}
	return result(byKind[e.kind].Evaluate(t.Context(), copied))
}

// TestChildren is about kinds that kstatus takes for current as soon as they exist.
func TestChildren(t *testing.T) {
	byKind := evaluators(t)
	route := func(conditions string) string {
		return "kind: HTTPRoute\nmetadata: {generation: 2}\nstatus: {parents: [{conditions: [" + conditions + "]}]}"
	}
	const (
		accepted = "{type: Accepted, status: 'True', observedGeneration: 2}"
		resolved = ", {type: ResolvedRefs, status: 'True', observedGeneration: 2}"
		set      = "kind: LeaderWorkerSet\nmetadata: {generation: 1}\n"
	)
	for manifest, want := range map[string]status.Status{
		"kind: HTTPRoute":                        status.InProgressStatus,
		"kind: HTTPRoute\nstatus: {parents: []}": status.InProgressStatus,
		route(accepted):                          status.InProgressStatus,
		route(accepted + resolved):               status.CurrentStatus,
		route("{type: Accepted, status: 'True', observedGeneration: 1}" + resolved):              status.InProgressStatus,
		route("{type: Accepted, status: 'False', observedGeneration: 2}" + resolved):             status.InProgressStatus,
		set + "spec: {replicas: 2}\nstatus: {replicas: 2, updatedReplicas: 2, readyReplicas: 2}": status.CurrentStatus,
		set + "spec: {}\nstatus: {replicas: 1, updatedReplicas: 1, readyReplicas: 0}":            status.InProgressStatus,
		set + "spec: {replicas: 2}\nstatus: {replicas: 3, updatedReplicas: 2, readyReplicas: 2}": status.InProgressStatus,
		set + "spec: {replicas: 2}\nstatus: {replicas: 2, updatedReplicas: 1, readyReplicas: 2}": status.InProgressStatus,
		set + "spec: {replicas: 0}\nstatus: {replicas: 0}":                                       status.CurrentStatus,
	} {
		u := object(t, []byte("apiVersion: example.com/v1\n"+manifest))
		if got := result(byKind[u.GetKind()].Evaluate(t.Context(), u)); got != want {
			t.Errorf("%s: %s, want %s", manifest, got, want)
		}
		if alone, err := status.Compute(u); err != nil || alone.Status != status.CurrentStatus {
			t.Errorf("%s: kstatus alone says %v, %v", manifest, alone, err)
		}
	}
}

// tally counts how an opinion differs from the Lua checks.
type tally struct{ early, never, missed, wrong int }

func (c *tally) add(got status.Status, verdict string) {
	ready := verdict == "Healthy" || verdict == "Suspended"
	switch {
	case got == status.CurrentStatus && !ready:
		c.early++
	case got == status.FailedStatus && verdict != "Degraded":
		c.wrong++
	case got != status.CurrentStatus && ready:
		c.never++
	case got != status.FailedStatus && verdict == "Degraded":
		c.missed++
	}
}

func (c tally) String() string { return fmt.Sprintf("%d, %d, %d", c.early, c.never, c.missed) }

// TestTable writes the table in the documentation.
func TestTable(t *testing.T) {
	byKind := evaluators(t)
	var kinds []string
	counts := map[string]int{}
	kstatus, flux, alone := map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
	for _, e := range examples(t) {
		row := e.kind
		if e.real {
			row += ", by a controller"
		}
		if !slices.Contains(kinds, row) {
			kinds = append(kinds, row)
			kstatus[row], flux[row], alone[row] = &tally{}, &tally{}, &tally{}
		}
		counts[row]++
		kstatus[row].add(result(status.Compute(e.object)), e.verdict.Status)
		flux[row].add(result(byKind[e.kind].Evaluate(t.Context(), e.object)), e.verdict.Status)
		alone[row].add(e.expression(t, byKind), e.verdict.Status)
	}
	slices.Sort(kinds)
	var b strings.Builder
	b.WriteString("| statuses | number | kstatus | Flux with the expressions | the expressions alone |\n")
	b.WriteString("|---|---|---|---|---|\n")
	for _, row := range kinds {
		if kstatus[row].wrong+flux[row].wrong > 0 {
			t.Errorf("%s: kstatus or Flux says Failed too early", row)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", row, counts[row], kstatus[row], flux[row], alone[row])
	}
	const begin = "<!-- verdicts: generated by UPDATE_GOLDEN=1 make e2e SUITE=health -->\n"
	const end = "<!-- end of verdicts -->\n"
	page := string(read(t, documentation))
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s lacks the lines %q and %q", documentation, begin, end)
	}
	updated := before + begin + b.String() + end + after
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(documentation, []byte(updated), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if updated != page {
		t.Errorf("the table in docs/evidence/health.md is old; run UPDATE_GOLDEN=1 make e2e SUITE=health")
	}
}
