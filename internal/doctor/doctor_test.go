package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

const (
	service = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris, namespace: models, uid: isvc, resourceVersion: "1"}
spec: {predictor: {model: {modelFormat: {name: sklearn}}}}
`
	pod = `
---
apiVersion: v1
kind: Pod
metadata:
  name: iris-1
  namespace: models
  uid: pod
  ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: iris, uid: isvc, controller: true}]
`
)

// cluster returns a cluster with the objects of a stream.
func cluster(t *testing.T, stream string) *Cluster {
	t.Helper()
	c, err := NewCluster("test")
	if err == nil {
		err = health.Read(strings.NewReader(stream), "test", 0, func(e health.Event) bool {
			c.Add(e.Object)
			return true
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCause(t *testing.T) {
	const conditions = `
status:
  conditions:
  - {type: Ready, status: "False", reason: Last, message: ready, lastTransitionTime: "2026-01-03T00:00:00Z"}
  - {type: IngressReady, status: "False", reason: Routes, message: routes, lastTransitionTime: "2026-01-02T00:00:00Z"}
  - {type: PredictorReady, status: "False", reason: Pods, message: pods, lastTransitionTime: "2026-01-01T00:00:00Z"}
`
	warning := func(kind, name, reason string) string {
		return "---\napiVersion: v1\nkind: Event\nmetadata: {name: " + reason + ", namespace: models}\ntype: Warning\nreason: " + reason +
			"\nmessage: it happened\ninvolvedObject: {apiVersion: " + map[string]string{
			"Pod": "v1", "InferenceService": "serving.kserve.io/v1beta1"}[kind] +
			", kind: " + kind + ", namespace: models, name: " + name + "}\n"
	}
	for _, tc := range []struct{ name, stream, want, do string }{
		{"no status", service, "", ""},
		{"a condition, before those that follow from it", service + conditions, "Pods: pods (InferenceService models/iris)", ""},
		{"an event of the service", service + conditions + warning("InferenceService", "iris", "InternalError"),
			"InternalError: it happened (InferenceService models/iris)", ""},
		{"an event of another service", service + conditions + warning("InferenceService", "rose", "InternalError"),
			"Pods: pods (InferenceService models/iris)", ""},
		{"a pod that is ready", service + conditions + pod + `status: {conditions: [{type: Ready, status: "True"}]}` + "\n" +
			warning("Pod", "iris-1", "Unhealthy"), "Pods: pods (InferenceService models/iris)", ""},
		{"an event of a pod", service + conditions + pod + "status: {phase: Running}\n" + warning("Pod", "iris-1", "Unhealthy"),
			"Unhealthy: it happened (Pod models/iris-1)",
			"correct the probe, or give the model more time with initialDelaySeconds or failureThreshold"},
		{"an init container, before the containers that wait for it", service + pod + `
status:
  initContainerStatuses:
  - name: storage-initializer
    restartCount: 3
    state: {waiting: {reason: CrashLoopBackOff}}
    lastState: {terminated: {exitCode: 1, reason: Error, message: "no such bucket"}}
  containerStatuses:
  - {name: kserve-container, state: {waiting: {reason: PodInitializing}}}
`, "CrashLoopBackOff: container storage-initializer ended with exit code 1 after 3 restarts: no such bucket (Pod models/iris-1)",
			""},
		{"too little memory", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}},
     lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}
`, "OOMKilled: container main ended with exit code 137 after 1 restarts (Pod models/iris-1)",
			"raise resources.limits.memory of the container"},
		{"an evicted pod", service + pod + "status: {reason: Evicted, message: disk pressure}\n",
			"Evicted: disk pressure (Pod models/iris-1)", ""},
		{"a deletion, before all else", strings.Replace(service, "uid:",
			`deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a, b], uid:`, 1) + conditions,
			"Finalizers: it is to be deleted since 2026-01-01T00:00:00Z, and waits for the finalizers a, b " +
				"(InferenceService models/iris)", "nothing; the controller that takes the finalizer off has to run"},
	} {
		c := cluster(t, tc.stream)
		got, do := "", ""
		if cause := c.cause(c.objects[ref{health.Group, "InferenceService", "models", "iris"}]); cause != nil {
			got, do = cause.String(), cause.remedy()
		}
		if got != tc.want || do != tc.do {
			t.Errorf("%s:\n got %q, %q\nwant %q, %q", tc.name, got, do, tc.want, tc.do)
		}
	}
}

// TestStored is about a finding that explains why Argo CD shows a difference: without one it says nothing.
func TestStored(t *testing.T) {
	const config = `
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata:
  name: presets
  namespace: models
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"serving.kserve.io/v1alpha2","kind":"LLMInferenceServiceConfig",
       "metadata":{"name":"presets","namespace":"models"},
       "spec":{"template":{"containers":[{"name":"main","resources":{"limits":{"cpu":"1000m"}}}]}}}
spec: {template: {containers: [{name: main, resources: {limits: {cpu: "1"}}}]}}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
status:
  resources:
  - {group: serving.kserve.io, kind: LLMInferenceServiceConfig, namespace: models, name: presets, status: STATUS}
`
	for status, want := range map[string]int{"Synced": 0, "OutOfSync": 1} {
		c := cluster(t, strings.Replace(config, "STATUS", status, 1))
		files, err := c.Files()
		if err != nil {
			t.Fatal(err)
		}
		options, _, err := rules.Options{KServeVersion: "0.20.0"}.Config()
		if err != nil {
			t.Fatal(err)
		}
		result, err := transform.Run(t.Context(), files, options)
		if err != nil {
			t.Fatal(err)
		}
		problems := result.Problems()
		report := c.Examine(time.Now(), kubectl.Request{}, problems)
		if len(problems) != 1 || len(report.Others) != want {
			t.Errorf("%s: %d of %d findings, want %d", status, len(report.Others), len(problems), want)
		}
		if want > 0 && report.Others[0].Subject() != "LLMInferenceServiceConfig models/presets (application shop)" {
			t.Error(report.Others[0].Subject())
		}
	}
}

func TestDrift(t *testing.T) {
	const applied = `{"spec":{"a":1,"b":["x","y"],"c":{"d":true}},"metadata":{"labels":{"l":"1"}}}`
	live := health.Object{
		"metadata": health.Object{"annotations": health.Object{lastApplied: applied}, "labels": health.Object{"l": "1", "m": "2"}},
		"spec":     health.Object{"a": 2.0, "b": []any{"x"}, "c": health.Object{"d": true}, "e": "default"},
	}
	r := ref{"", "ConfigMap", "models", "a"}
	c := cluster(t, "")
	c.objects[r] = live
	for _, tc := range []struct {
		app  application
		want string
	}{
		{application{isSync: true}, ""},
		{application{}, `spec.a is 1 as applied and 2 now, spec.b[1] is "y" as applied and not there now`},
	} {
		c.applications[r] = []application{tc.app}
		if got := c.drift(r); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.app, got, tc.want)
		}
	}
	c.objects[r] = health.Object{}
	c.applications[r] = []application{{hasNews: true}}
	if got := c.drift(r); got != "Git has changed since the last sync" {
		t.Error(got)
	}
}
