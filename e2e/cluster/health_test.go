package cluster

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// stateCase is a state of an InferenceService.
type stateCase struct {
	problem string
	id      string
	app     string
	next    string                                         // the app of the next commit, once healthy; "" for none
	begun   func(*testing.T, *objects.Namespace)           // changes a service that is not ready yet; may be nil
	provoke func(*testing.T, *objects.Namespace)           // brings a deployed service into the state; may be nil
	brief   bool                                           // KServe reports it for seconds only
	scaled  bool                                           // somebody else than KServe sets the replicas
	reached func(service *unstructured.Unstructured) error // whether KServe reports it
	health  string
	earlier string // the health on releases of KServe before 0.16, where it differs
}

// settled is a condition: the service is ready, and KServe has seen its pods too.
var settled = all(condition("Ready", "True"), transition("UpToDate"))

const (
	unschedulable = "    nodeSelector: {kubernetes.io/os: none}\n"
	schedulable   = "    nodeSelector: {kubernetes.io/os: linux}\n" // KServe 0.14.0 to 0.15.0 keep what is taken out
)

var stateCases = []stateCase{
	{
		problem: "ready", id: "ready", app: service("{}", ""),
		reached: settled,
		health:  "Healthy",
	},
	{
		problem: "pods never get ready", id: "not-ready", app: service("{}", unschedulable),
		begun:   starting,
		reached: all(condition("Ready", "False"), transition("InProgress")),
		health:  "Progressing",
	},
	{
		problem: "no runtime for the model format, in the first five minutes", id: "invalid-spec", app: `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model}
spec:
  predictor:
    model: {modelFormat: {name: unheard-of}, storageUri: "gs://example/model"}
`,
		reached: transition("InvalidSpec"),
		health:  "Progressing",
	},
	{
		problem: "the model fails to load", id: "failed-load", app: service("{}", ""),
		provoke: crash,
		reached: transition("BlockedByFailedLoad"),
		health:  "Degraded",
	},
	{
		problem: "transformer down, predictor ready", id: "transformer-down",
		app:     service("{}", transformer+unschedulable),
		reached: all(condition("PredictorReady", "True"), condition("TransformerReady", "False")),
		health:  "Progressing",
	},
	{
		problem: "scaled to zero", id: "scaled-to-zero", app: service(external, ""),
		provoke: scaleToZero, scaled: true,
		reached: all(condition("Ready", "True"), transition("InProgress")),
		health:  "Healthy",
	},
	{
		problem: "`serving.kserve.io/stop: \"true\"`", id: "stopped",
		app:     service(`{serving.kserve.io/stop: "true"}`, ""),
		reached: stopped,
		health:  "Suspended", earlier: "Healthy",
	},
}

// stopped is a condition: KServe says that the service is stopped, or, before 0.16, goes on saying that it is ready.
func stopped(service *unstructured.Unstructured) error {
	if objects.Condition(service, "Stopped", "True") == nil {
		return nil
	}
	return settled(service)
}

// testHealth brings a service into every state, and compares what Argo CD says of it, with its own check and with ours.
func (s *synced) testHealth(t *testing.T, checks string, cases []stateCase) {
	t.Parallel()
	for _, tc := range cases {
		if tc.scaled && replicasForced.Has(s.kserve.Version) {
			continue
		}
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			a, repository := s.deploy(t, "state-"+tc.id, app{"app.yaml": tc.app}, applications.Source{Plugin: true})
			namespace := a.Namespace()
			if tc.begun != nil {
				tc.begun(t, namespace)
			}
			if tc.next != "" || tc.provoke != nil {
				a.AwaitHealthy()
				s.settle(a)
			}
			if tc.next != "" {
				repository.Write("app.yaml", tc.next)
				repository.Commit()
				a.Refresh()
			}
			if tc.provoke != nil {
				tc.provoke(t, namespace)
			}
			var service *unstructured.Unstructured
			reached := func() error {
				if service = namespace.Find(objects.InferenceServices, "model"); service == nil {
					return fmt.Errorf("there is no service")
				}
				return tc.reached(service)
			}
			namespace.Eventually(tc.problem, reached)
			expected := tc.health
			if tc.earlier != "" && (kserve.Window{Before: "v0.16.0"}).Has(s.kserve.Version) {
				expected = tc.earlier
			}
			if !tc.brief {
				a.Refresh()
				a.Await(expected, func(state applications.State) bool { return state.Health == expected })
				namespace.Eventually(tc.problem, reached)
			}
			before, beforeMessage := s.argo.Assess(t, service, bundled)
			after, afterMessage := s.argo.Assess(t, service, checks)
			t.Logf("bundled: %s %q; ours: %s %q", before, beforeMessage, after, afterMessage)
			if after != expected {
				t.Fatalf("the check says %s, not %s", after, expected)
			}
			s.keep(t, tc, service)
			s.record(t, compatibility.Row{Section: compatibility.Health, Problem: tc.problem,
				Without: before, With: after})
		})
	}
}

func condition(kind, value string) func(*unstructured.Unstructured) error {
	return func(service *unstructured.Unstructured) error { return objects.Condition(service, kind, value) }
}

// transition is a condition: status.modelStatus.transitionStatus has the value.
func transition(value string) func(*unstructured.Unstructured) error {
	return func(service *unstructured.Unstructured) error {
		seen, _, err := unstructured.NestedString(service.Object, "status", "modelStatus", "transitionStatus")
		if err == nil && seen != value {
			err = fmt.Errorf("transitionStatus is %q, not %s", seen, value)
		}
		return err
	}
}

func all(conditions ...func(*unstructured.Unstructured) error) func(*unstructured.Unstructured) error {
	return func(service *unstructured.Unstructured) error {
		for _, condition := range conditions {
			if err := condition(service); err != nil {
				return err
			}
		}
		return nil
	}
}

// starting makes the kubelet's report of the pod one of a container that is being created. Without a report, KServe
// writes about a model only if it looked before there was a pod (PropagateModelStatus,
// pkg/apis/serving/v1beta1/inference_service_status.go@v0.15.2), and it does not watch pods.
func starting(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	const status = `{"status":{"containerStatuses":[{
		"name":"kserve-container","image":"example.invalid/model:1","imageID":"","ready":false,"restartCount":0,
		"state":{"waiting":{"reason":"ContainerCreating"}}}]}}`
	namespace.Eventually("a pod", func() error {
		pods := namespace.List(objects.Pods, "serving.kserve.io/inferenceservice=model")
		if len(pods) == 0 {
			return fmt.Errorf("there is none")
		}
		namespace.Patch(objects.Pods, pods[0].GetName(), status, "status")
		return nil
	})
	namespace.Patch(objects.InferenceServices, "model", `{"metadata":{"annotations":{"e2e/reconcile":"starting"}}}`)
}

// crash makes the kubelet's report of every pod one of a container that ends with an error again and again. kwok does
// not touch pods that run.
func crash(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	const status = `{"status":{
		"conditions":[
			{"type":"Ready","status":"False","reason":"ContainersNotReady"},
			{"type":"ContainersReady","status":"False"},
			{"type":"Initialized","status":"True"},
			{"type":"PodScheduled","status":"True"}],
		"containerStatuses":[{
			"name":"kserve-container","image":"example.invalid/model:1","imageID":"","ready":false,"restartCount":5,
			"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container"}},
			"lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"model load failed"}}}]}}`
	for _, pod := range namespace.List(objects.Pods, "serving.kserve.io/inferenceservice=model") {
		namespace.Patch(objects.Pods, pod.GetName(), status, "status")
	}
}

// scaleToZero does what an external autoscaler does when nobody asks the model.
func scaleToZero(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	namespace.Patch(objects.Deployments, "model-predictor", `{"spec":{"replicas":0}}`)
	namespace.Eventually("no pods", func() error {
		if pods := namespace.List(objects.Pods, ""); len(pods) > 0 {
			return fmt.Errorf("there are %d", len(pods))
		}
		return nil
	})
	namespace.Patch(objects.InferenceServices, "model", `{"metadata":{"annotations":{"e2e/reconcile":"scaled"}}}`)
}
