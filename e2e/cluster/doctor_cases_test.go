package cluster

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// step is what happens to a patient, or what it waits for.
type step func(*testing.T, *objects.Namespace)

// patient is a service in a namespace of its own, with the name of the id.
type patient struct {
	id        string
	first     step // before the manifests are applied
	manifests string
	syncs     func(*testing.T, *synced) *objects.Namespace // deploys it instead
	steps     []step
	releases  kserve.Window
	verdict   string   // of the doctor, "" if it changes all the time or with the release
	reason    string   // of the cause, "" if there is none
	says      []string // what the doctor does; nothing if it is well
}

const (
	ownKubelet = "    labels: {" + controlplane.Kubelet + ": test}\n"
	execProbe  = "        readinessProbe: {exec: {command: [/usr/bin/ready]}}\n"
	httpProbe  = "        readinessProbe: {httpGet: {path: /ready, port: 8080}}\n"
	logging    = "    logger: {mode: all, url: http://example.invalid}\n"
	manyGPUs   = "        resources: {limits: {nvidia.com/gpu: 20k}}\n"
	stop       = `{serving.kserve.io/stop: "true"}`
	quota      = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: small}
spec: {hard: {limits.cpu: 500m}}
`
	tooLarge = `
apiVersion: v1
kind: Pod
metadata: {name: pod-%d}
spec: {containers: [{name: main, image: "example.invalid/main:1", resources: {limits: {cpu: "1"}}}]}
`
)

// rationed applies the quota, and returns once the API server refuses pods because of it, which is a moment later.
func rationed(t *testing.T, namespace *objects.Namespace) {
	namespace.Apply(quota)
	tried := 0
	namespace.Eventually("the quota counts", func() error {
		tried++
		pods, err := objects.Parse(fmt.Appendf(nil, tooLarge, tried))
		if err != nil {
			t.Fatal(err)
		}
		switch err := namespace.Try(pods[0]); {
		case err == nil:
			return errors.New("the API server takes a pod")
		case !strings.Contains(err.Error(), "exceeded quota"):
			return err
		}
		return nil
	})
}

// modelOf returns an InferenceService for a model format.
func modelOf(format string) string {
	return fmt.Sprintf(`
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model}
spec: {predictor: {model: {modelFormat: {name: %s}, storageUri: "gs://example/model"}}}
`, format)
}

// broken are services that each have something else.
var broken = []patient{
	{
		id: "image", manifests: service("{}", ownKubelet), steps: []step{reported(imagePull)},
		verdict: "Progressing", reason: "ImagePullBackOff",
		says: []string{`no such host`, "Pod image/model-predictor-", "correct the image"},
	},
	{
		id: "memory", manifests: service("{}", ownKubelet), steps: []step{reported(outOfMemory)},
		verdict: "Degraded", reason: "OOMKilled",
		says: []string{"exit code 137 after 5 restarts", "raise resources.limits.memory"},
	},
	{
		id: "probe", manifests: service("{}", execProbe+ownKubelet+logging),
		steps:   []step{reported(agentCrash)},
		verdict: "Progressing", reason: "CrashLoopBackOff",
		says: []string{"container agent ended with exit code 1", "KS101", "tcpSocket"},
	},
	{
		id: "quota", first: rationed, manifests: service("{}", ""), steps: []step{
			awaits(objects.ReplicaSets, "", condition("ReplicaFailure", "True"))},
		reason: "FailedCreate",
		says:   []string{"exceeded quota: small", "raise the ResourceQuota"},
	},
	{
		id: "runtime", manifests: modelOf("unheard-of"), steps: []step{
			awaits(objects.InferenceServices, "model", transition("InvalidSpec"))},
		reason: "NoSupportingRuntime",
		says:   []string{"add one that supports the model format"},
	},
	{
		id: "fight", manifests: service("{}", "") + hpa("mine", "model-predictor", "[]"),
		steps: []step{getsReady}, // and for moments it is not, because the number of pods changes all the time
		says:  []string{"KS201", "HorizontalPodAutoscaler fight/mine", "autoscalerClass"},
	},
	{
		id: "class", manifests: service("{serving.kserve.io/autoscalerClass: keda}", ""),
		steps:   []step{awaits(objects.Events, "", aboutService)},
		verdict: "Progressing", reason: "InternalError",
		says: []string{"KS208"},
	},
	{
		id: "finalizer", manifests: service("{}", ""), steps: []step{getsReady, stick},
		verdict: "Progressing", reason: "Finalizers",
		says: []string{"example.com/cleanup", "has to run"},
	},
	{
		id: "drift", syncs: drift,
		verdict: "out of sync",
		says:    []string{"spec.predictor.maxReplicas is 3 as applied and 5 now", `"application":"a3-drift"`},
	},
	{
		id: "stopped", manifests: service(stop, ""), releases: kserve.Window{From: "v0.16.0"},
		steps:   []step{awaits(objects.InferenceServices, "model", condition("Stopped", "True"))},
		verdict: "Suspended", reason: "Stopped",
		says: []string{"remove the annotation serving.kserve.io/stop"},
	},
	{
		id: "unstoppable", manifests: service(stop, ""), releases: kserve.Window{Before: "v0.16.0"},
		steps:   []step{getsReady},
		verdict: "at risk",
		says:    []string{"KS702", "upgrade to KServe 0.19.0"},
	},
	{
		id: "zero", manifests: service(external, ""), steps: []step{getsReady, scaleToZero},
		verdict: "scaled to zero", reason: "ScaledToZero",
		says: []string{"spec.replicas is 0"},
	},
	{
		id: "selector", manifests: llmManifests("labels-before"),
		steps:   []step{llmReady, changeLabels},
		verdict: "Degraded", reason: "Error",
		says: []string{"field is immutable", "undo the change", "KS712"},
	},
	{
		id: "gpu", manifests: service("{}", manyGPUs), steps: []step{
			awaits(objects.Pods, "", condition("PodScheduled", "False"))},
		verdict: "Progressing", reason: "Unschedulable",
		says: []string{"Insufficient nvidia.com/gpu", "add nodes that have it"},
	},
}

// good are services of which there is nothing to say.
var good = []patient{
	{id: "container", manifests: service("{}", ""), steps: []step{getsReady}},
	{id: "sklearn", manifests: modelOf("sklearn"), steps: []step{getsReady}},
	{id: "transformer", manifests: service("{}", transformer), steps: []step{getsReady}},
	{id: "logger", manifests: service("{}", httpProbe+logging), steps: []step{getsReady}},
	{
		id: "external", manifests: service(external, "") + hpa("mine", "model-predictor", "[]"),
		steps: []step{getsReady},
	},
	{id: "graph", manifests: graph("{}"), steps: []step{
		awaits(objects.InferenceGraphs, graphName, condition("Ready", "True"))}},
	{id: "llm", manifests: llmManifests("plain"), steps: []step{llmReady}},
	{id: "synced", syncs: synchronized},
}

// awaits returns a step that waits for a condition of an object, or of any of a kind in the namespace if name is "".
func awaits(
	kind schema.GroupVersionResource, name string, reached func(*unstructured.Unstructured) error,
) step {
	return func(t *testing.T, namespace *objects.Namespace) {
		t.Helper()
		namespace.Eventually(kind.Resource+" as they shall be", func() error {
			err := fmt.Errorf("there is none")
			for _, object := range namespace.List(kind, "") {
				if name == "" || object.GetName() == name {
					if err = reached(&object); err == nil {
						return nil
					}
				}
			}
			return err
		})
	}
}

func getsReady(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	awaits(objects.InferenceServices, "model", condition("Ready", "True"))(t, namespace)
}

func llmReady(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	awaits(objects.LLMInferenceServices, "qwen", condition("Ready", "True"))(t, namespace)
}

// aboutService is a condition of an event: it is about an InferenceService.
func aboutService(event *unstructured.Unstructured) error {
	kind, _, _ := unstructured.NestedString(event.Object, "involvedObject", "kind")
	if reason, _, _ := unstructured.NestedString(event.Object, "type"); kind != "InferenceService" || reason != "Warning" {
		return fmt.Errorf("it is about a %s", kind)
	}
	return nil
}

// stick deletes a service that a controller wants to do something for that does not run.
func stick(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	service := namespace.Get(objects.InferenceServices, "model")
	finalizers := `"` + strings.Join(append(service.GetFinalizers(), "example.com/cleanup"), `","`) + `"`
	namespace.Patch(objects.InferenceServices, "model", `{"metadata":{"finalizers":[`+finalizers+`]}}`)
	namespace.Delete(objects.InferenceServices, "model")
}

// changeLabels changes a label that is in a selector.
func changeLabels(t *testing.T, namespace *objects.Namespace) {
	t.Helper()
	namespace.Apply(llmManifests("labels"))
	awaits(objects.LLMInferenceServices, "qwen", func(service *unstructured.Unstructured) error {
		return objects.Because(service, "WorkloadsReady", "False", "", "field is immutable")
	})(t, namespace)
}

// drift changes a service in the cluster alone.
func drift(t *testing.T, s *synced) *objects.Namespace {
	t.Helper()
	a, _ := s.deploy(t, "drift", app{"app.yaml": service("{}", "")}, applications.Source{Manual: true})
	a.AwaitHealthy()
	s.settle(a)
	a.Namespace().Patch(objects.InferenceServices, "model", `{"spec":{"predictor":{"maxReplicas":5}}}`)
	a.Await("out of sync", func(state applications.State) bool { return state.Sync == "OutOfSync" })
	return a.Namespace()
}

func synchronized(t *testing.T, s *synced) *objects.Namespace {
	t.Helper()
	a, _ := s.deploy(t, "synced", app{"app.yaml": service("{}", "")}, applications.Source{Plugin: true})
	a.AwaitHealthy()
	s.settle(a)
	return a.Namespace()
}

// failure is what a kubelet writes about a container that fails (pkg/kubelet@v1.34.4: images/image_manager.go and
// kuberuntime/kuberuntime_manager.go), and in which phase the pod is then. POD stands for the pod's name, namespace and
// uid. No container has a message of its own: KServe leaves terminationMessagePolicy at File.
type failure struct{ container, phase, status string }

var (
	imagePull = failure{"kserve-container", "Pending", `{"image":"example.invalid/model:1","imageID":"","restartCount":0,
		"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"example.invalid/model:1\": ` +
		`ErrImagePull: failed to pull and unpack image \"example.invalid/model:1\": failed to resolve reference ` +
		`\"example.invalid/model:1\": failed to do request: Head \"https://example.invalid/v2/model/manifests/1\": ` +
		`dial tcp: lookup example.invalid on 10.96.0.10:53: no such host"}}}`}
	outOfMemory = failure{"kserve-container", "Running", `{"image":"example.invalid/model:1","imageID":"","restartCount":5,
		"state":{"waiting":{"reason":"CrashLoopBackOff",
			"message":"back-off 2m40s restarting failed container=kserve-container pod=POD"}},
		"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}`}
	agentCrash = failure{"agent", "Running", `{"image":"kserve/agent","imageID":"","restartCount":7,
		"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container=agent pod=POD"}},
		"lastState":{"terminated":{"exitCode":1,"reason":"Error"}}}`}
)

// reported writes what a kubelet would of the pods of a service, one of whose containers fails.
func reported(f failure) step {
	return func(t *testing.T, namespace *objects.Namespace) {
		t.Helper()
		awaits(objects.Pods, "", condition("PodScheduled", "True"))(t, namespace)
		for _, pod := range namespace.List(objects.Pods, "") {
			namespace.Patch(objects.Pods, pod.GetName(), f.report(t, &pod), "status")
		}
		awaits(objects.InferenceServices, "model", condition("PredictorReady", "False"))(t, namespace)
	}
}

// report returns the patch of the status of a pod.
func (f failure) report(t *testing.T, pod *unstructured.Unstructured) string {
	t.Helper()
	containers, _, err := unstructured.NestedSlice(pod.Object, "spec", "containers")
	if err != nil {
		t.Fatal(err)
	}
	now := pod.GetCreationTimestamp().UTC().Format(time.RFC3339)
	var statuses []string
	for _, container := range containers {
		name := container.(map[string]any)["name"]
		status := fmt.Sprintf(`{"image":"example.invalid/other:1","imageID":"","restartCount":0,"ready":true,"started":true,
			"state":{"running":{"startedAt":%q}}}`, now)
		if name == f.container {
			status = strings.ReplaceAll(f.status, "POD",
				fmt.Sprintf("%s_%s(%s)", pod.GetName(), pod.GetNamespace(), pod.GetUID()))
		}
		statuses = append(statuses, fmt.Sprintf(`{"name":%q,%s`, name, strings.TrimPrefix(status, "{")))
	}
	unready := fmt.Sprintf(`"status":"False","lastTransitionTime":%q,"reason":"ContainersNotReady",
		"message":"containers with unready status: [%s]"`, now, f.container)
	done := fmt.Sprintf(`"status":"True","lastTransitionTime":%q`, now)
	return fmt.Sprintf(`{"status":{"phase":%q,"startTime":%q,"conditions":[{"type":"PodReadyToStartContainers",%s},
		{"type":"Initialized",%[3]s},{"type":"Ready",%[4]s},{"type":"ContainersReady",%[4]s},{"type":"PodScheduled",%[3]s}],
		"containerStatuses":[%[5]s]}}`, f.phase, now, done, unready, strings.Join(statuses, ","))
}
