package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/knative"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// fails makes the pods of a component fail, as controlplane/pod-fails.yaml says, and Knative give up soon.
func fails(how string) string {
	return "    labels: {e2e/fails: " + how + "}\n    annotations: {serving.knative.dev/progress-deadline: 10s}\n"
}

const transformerOf = `
  transformer:
    containers: [{name: kserve-container, image: "example.invalid/transformer:1"}]
`

// knativeStates say what is the case, in which the word after the colon is the truth.
var knativeStates = []stateCase{
	{
		problem: "the service serves: ready", id: "ready", app: service("{}", ""),
		reached: settled,
		health:  "Healthy",
	},
	{
		problem: "nobody asks the model, `minReplicas: 0`: scaled to zero", id: "scaled-to-zero",
		app:     strings.Replace(service("{}", ""), "minReplicas: 1", "minReplicas: 0", 1),
		begun:   awaitNoTraffic,
		reached: all(condition("Ready", "True"), transition("InProgress")),
		health:  "Healthy",
	},
	{
		problem: "the first revision is not ready yet: starting", id: "notready",
		app:     service("{}", "    labels: {e2e/fails: never-ready}\n"),
		reached: condition("PredictorReady", "Unknown"),
		health:  "Progressing",
	},
	{
		problem: "the first revision's image cannot be pulled, past the deadline: failed", id: "first-imagepull",
		app: service("{}", fails("image")), brief: true,
		reached: condition("PredictorReady", "False"),
		health:  "Degraded",
	},
	{
		problem: "the first revision's container ends with an error: failed", id: "first-crash",
		app:     service("{}", fails("crash")),
		reached: condition("PredictorReady", "False"),
		health:  "Degraded",
	},
	{
		problem: "the first revision never gets ready, past the deadline: failed", id: "first-deadline",
		app: service("{}", fails("never-ready")), brief: true,
		reached: condition("PredictorReady", "False"),
		health:  "Degraded",
	},
	{
		problem: "the first revision never gets ready, 30 seconds after the deadline: failed, and Knative has forgotten it",
		id:      "first-deadline-later",
		app:     service("{}", fails("never-ready")),
		begun:   awaitFailure,
		reached: condition("PredictorReady", "Unknown"),
		health:  "Progressing",
	},
	{
		problem: "the first revision never gets ready, 30 seconds after the deadline, with " +
			"`argocd-kserve-plugin/progress-deadline-seconds`: failed", id: "first-deadline-annotated",
		app:     service(`{argocd-kserve-plugin/progress-deadline-seconds: "5"}`, fails("never-ready")),
		begun:   awaitFailure,
		reached: pastDeadline,
		health:  "Degraded",
	},
	{
		problem: "the second revision's image cannot be pulled, past the deadline; the first serves: failed",
		id:      "second-imagepull", app: service("{}", ""), next: service("{}", fails("image")), brief: true,
		reached: condition("Ready", "False"),
		health:  "Degraded",
	},
	{
		problem: "the second revision's container ends with an error, the first serves: failed", id: "second-crash",
		app: service("{}", ""), next: service("{}", fails("crash")),
		reached: condition("Ready", "False"),
		health:  "Degraded",
	},
	{
		problem: "the second revision never gets ready, past the deadline; the first serves: failed",
		id:      "second-deadline", app: service("{}", ""), next: service("{}", fails("never-ready")), brief: true,
		reached: condition("Ready", "False"),
		health:  "Degraded",
	},
	{
		problem: "Knative's webhook refuses the service (`nodeSelector`): failed", id: "refused",
		app:     service("{}", unschedulable),
		begun:   awaitRefusal,
		reached: func(*unstructured.Unstructured) error { return nil },
		health:  "Progressing",
	},
	{
		problem: "Knative's webhook refuses a change, the first revision serves: failed", id: "change-refused",
		app: service("{}", ""), next: service("{}", unschedulable), provoke: awaitRefusal,
		reached: func(*unstructured.Unstructured) error { return nil },
		health:  "Progressing", earlier: "Healthy",
	},
	{
		problem: "a canary gets a tenth of the traffic: ready", id: "canary-ok", app: service("{}", ""),
		next:    strings.Replace(service("{}", "    canaryTrafficPercent: 10\n"), "model:1", "model:2", 1),
		reached: all(settled, readyRevision("model-predictor-00002")),
		health:  "Healthy",
	},
	{
		problem: "a canary's container ends with an error, the first revision serves: failed", id: "canary-fail",
		app: service("{}", ""), next: service("{}", "    canaryTrafficPercent: 10\n"+fails("crash")),
		reached: condition("Ready", "False"),
		health:  "Degraded",
	},
	{
		problem: "predictor and transformer serve: ready", id: "transformer-ok", app: service("{}", transformerOf),
		reached: all(condition("Ready", "True"), condition("TransformerReady", "True")),
		health:  "Healthy",
	},
	{
		problem: "the transformer's container ends with an error, the predictor is ready: failed", id: "transformer-down",
		app:     service("{}", transformerOf+fails("crash")),
		reached: all(condition("PredictorReady", "True"), condition("TransformerReady", "False")),
		health:  "Degraded",
	},
	{
		problem: "the transformer's second revision ends with an error, the first one serves: failed",
		id:      "transformer-second-crash", app: service("{}", transformerOf),
		next:    service("{}", transformerOf+fails("crash")),
		reached: condition("TransformerReady", "False"),
		health:  "Degraded",
	},
	{
		problem: "`serving.kserve.io/stop: \"true\"`: stopped", id: "stopped", app: service("{}", ""),
		next: service(`{serving.kserve.io/stop: "true"}`, ""), provoke: awaitStop,
		reached: stopped,
		health:  "Suspended", earlier: "Progressing",
	},
}

// pastDeadline is a condition: Knative has forgotten the failure for longer than 5 seconds, the deadline of the
// annotation, which the health check compares in whole seconds.
func pastDeadline(service *unstructured.Unstructured) error {
	return objects.Lasting(service, "PredictorReady", "Unknown", 6*time.Second)
}

// readyRevision is a condition: the newest revision of the predictor is this one, and ready.
func readyRevision(name string) func(*unstructured.Unstructured) error {
	return func(service *unstructured.Unstructured) error {
		seen, _, _ := unstructured.NestedString(service.Object,
			"status", "components", "predictor", "latestReadyRevision")
		if seen != name {
			return fmt.Errorf("the newest ready revision is %q", seen)
		}
		return nil
	}
}

// awaitNoTraffic waits until Knative has scaled the service to zero, and KServe, which does not watch pods, has seen
// that.
func awaitNoTraffic(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	namespace.Eventually("scaled to zero", func() error {
		revision := namespace.Find(knative.Revisions, "model-predictor-00001")
		if revision == nil {
			return fmt.Errorf("there is no revision")
		}
		if pods := namespace.List(objects.Pods, ""); len(pods) > 0 {
			return fmt.Errorf("there are %d pods: %v", len(pods), revision.Object["status"])
		}
		return objects.Because(revision, "Active", "False", "NoTraffic", "")
	})
	visits := 0
	namespace.Eventually("KServe sees no pods", func() error {
		visits++
		namespace.Patch(objects.InferenceServices, "model", fmt.Sprintf(poke, visits))
		return transition("InProgress")(namespace.Get(objects.InferenceServices, "model"))
	})
}

// awaitStop waits until KServe has deleted the Knative Service.
func awaitStop(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	namespace.Eventually("KServe stops the service", func() error {
		if namespace.Find(knative.Services, "model-predictor") != nil {
			return fmt.Errorf("the Knative Service is there")
		}
		return nil
	})
}

// awaitFailure waits until KServe says that the first revision has failed.
func awaitFailure(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	namespace.Eventually("the first revision fails", func() error {
		service := namespace.Find(objects.InferenceServices, "model")
		if service == nil {
			return fmt.Errorf("there is no service")
		}
		return objects.Condition(service, "PredictorReady", "False")
	})
}

// keep writes a status down as a test case of the health checks, when the run is to write what it measures and there is
// none of that name. What the check says of it is in the log, for health_test.yaml.
func (s *synced) keep(t *testing.T, tc stateCase, service *unstructured.Unstructured) {
	t.Helper()
	if !*update || s.plugin.DefaultMode != "Knative" {
		return
	}
	kept := service.DeepCopy()
	unstructured.RemoveNestedField(kept.Object, "metadata", "managedFields")
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	data, err := yaml.Marshal(kept.Object)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("controller-%s-knative-%s.yaml", s.kserve.Version, tc.id)
	folder := filepath.Join(root, "resource_customizations", "serving.kserve.io", "InferenceService", "testdata")
	file := filepath.Join(folder, name)
	if _, err := os.Stat(file); err == nil {
		return
	}
	if err := os.WriteFile(file, moment.ReplaceAll(data, []byte("2020-11-20T20:00:00Z")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// moment is any time. In the test cases of the health checks, what is over was in 2020.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// awaitRefusal waits for the event with which KServe says that Knative's webhook has refused the Knative Service.
func awaitRefusal(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	namespace.Eventually("Knative refuses the service", func() error {
		for _, event := range namespace.List(objects.Events, "") {
			message, _, _ := unstructured.NestedString(event.Object, "message")
			if strings.Contains(message, "must not set the field(s)") && strings.Contains(message, "nodeSelector") {
				return nil
			}
		}
		return fmt.Errorf("no event says so")
	})
}
