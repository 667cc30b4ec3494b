package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/policyreport"
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
			c.Apply(e)
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
	made := func(apiVersion, kind, metadata, rest string) string {
		return "---\napiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {namespace: models, ownerReferences: " +
			"[{kind: InferenceService, name: iris, uid: isvc, controller: true}], " + metadata + "}\n" + rest + "\n"
	}
	owned := func(apiVersion, kind, owner, metadata, rest string) string {
		return "---\napiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {namespace: models, ownerReferences: " +
			"[{kind: X, name: x, uid: " + owner + ", controller: true}], " + metadata + "}\n" + rest + "\n"
	}
	set := func(name, revision string) string {
		return owned("apps/v1", "ReplicaSet", "d", "name: "+name+", uid: "+name+
			", annotations: {deployment.kubernetes.io/revision: \""+revision+"\"}", "")
	}
	podOf := func(set, status string) string {
		return owned("v1", "Pod", set, "name: "+set+"-1", "status: {"+status+"}")
	}
	for _, tc := range []struct{ name, stream, want, do string }{
		{"no status", service, "", ""},
		{"a condition, before those that follow from it", service + conditions, "Pods: pods (InferenceService models/iris)", ""},
		{"an event of the service", service + conditions + warning("InferenceService", "iris", "InternalError"),
			"InternalError: it happened (InferenceService models/iris)", ""},
		{"an event of the API events.k8s.io", service + conditions + strings.NewReplacer("involvedObject", "regarding", "message", "note").
			Replace(warning("InferenceService", "iris", "InternalError")), "InternalError: it happened (InferenceService models/iris)", ""},
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
		{"too little memory, in a container that runs again", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 1, state: {running: {}}, ready: false, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}
` + warning("Pod", "iris-1", "Unhealthy"), "OOMKilled: container main ended with exit code 137 after 1 restarts (Pod models/iris-1)",
			"raise resources.limits.memory of the container"},
		{"a pod that is being deleted", service + conditions + strings.Replace(pod, "uid: pod", "uid: pod\n  deletionTimestamp: now", 1) +
			"status: {containerStatuses: [{name: main, state: {terminated: {exitCode: 143, reason: Error}}}]}\n",
			"Pods: pods (InferenceService models/iris)", ""},
		{"a rollout, whose older pod can't pull what is corrected", service + made("apps/v1", "Deployment", "name: iris, uid: d", "") +
			set("old", "9") + set("new", "10") +
			podOf("old", `containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff}}}]`) +
			podOf("new", `conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no GPU}]`),
			"Unschedulable: no GPU (Pod models/new-1)", "correct nodeSelector, affinity or tolerations, or add nodes that match"},
		{"a rollout that is taken back, so that the first ReplicaSet is the newest", service +
			made("apps/v1", "Deployment", "name: iris, uid: d", "") + set("second", "2") + set("first", "3") +
			podOf("second", `containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff}}}]`) +
			podOf("first", `conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no GPU}]`),
			"Unschedulable: no GPU (Pod models/first-1)", "correct nodeSelector, affinity or tolerations, or add nodes that match"},
		{"a pod that was evicted, beside the one in its place", service + conditions +
			owned("apps/v1", "ReplicaSet", "isvc", "name: set, uid: set", "") +
			owned("v1", "Pod", "set", "name: gone", "status: {phase: Failed, reason: Evicted, containerStatuses: ["+
				"{name: main, state: {terminated: {exitCode: 137, reason: Error}}}]}") +
			owned("v1", "Pod", "set", "name: here", `status: {phase: Pending, conditions: [`+
				`{type: PodScheduled, status: "False", reason: Unschedulable, message: no GPU}]}`),
			"Unschedulable: no GPU (Pod models/here)", "correct nodeSelector, affinity or tolerations, or add nodes that match"},
		{"a pod that was evicted, beside one that starts", service + conditions +
			owned("apps/v1", "ReplicaSet", "isvc", "name: set, uid: set", "") +
			owned("v1", "Pod", "set", "name: gone", "status: {phase: Failed, reason: Evicted}") +
			owned("v1", "Pod", "set", "name: here", "status: {phase: Pending}"),
			"Pods: pods (InferenceService models/iris)", ""},
		{"a pod that was evicted, and a quota that keeps others away", service + conditions +
			owned("apps/v1", "ReplicaSet", "isvc", "name: set, uid: set",
				`status: {conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: "exceeded quota: a"}]}`) +
			owned("v1", "Pod", "set", "name: gone", "status: {phase: Failed, reason: Evicted}"),
			"FailedCreate: exceeded quota: a (ReplicaSet models/set)",
			"lower the resources of the service, or raise the ResourceQuota"},
		{"a pod that was not scheduled at first, and pulls its image", service + conditions + pod +
			`status: {phase: Pending, conditions: [{type: PodScheduled, status: "True"}]}` + "\n" +
			warning("Pod", "iris-1", "FailedScheduling"), "Pods: pods (InferenceService models/iris)", ""},
		{"an event that is older than what is wrong", service + conditions + warning("InferenceService", "iris", "InternalError") +
			"lastTimestamp: \"2025-12-31T00:00:00Z\"\n", "Pods: pods (InferenceService models/iris)", ""},
		{"an event about what KServe does without", service + conditions +
			warning("InferenceService", "iris", "VirtualServiceCRDNotFound"), "Pods: pods (InferenceService models/iris)", ""},
		{"a model that could not be loaded", service + conditions + "  modelStatus: {transitionStatus: BlockedByFailedLoad, " +
			"lastFailureInfo: {reason: ModelLoadFailed, message: no file}}\n",
			"ModelLoadFailed: no file (InferenceService models/iris)", ""},
		{"a model that is loaded since", service + conditions + "  modelStatus: {transitionStatus: UpToDate, " +
			"lastFailureInfo: {reason: ModelLoadFailed, message: no file}}\n", "Pods: pods (InferenceService models/iris)", ""},
		{"a container that ends, beside a sidecar that ended long ago and runs", service + pod + `
status:
  containerStatuses:
  - {name: agent, restartCount: 1, ready: false, state: {running: {startedAt: "2026-01-01T00:00:00Z"}}, lastState: {terminated: {exitCode: 255}}}
  - {name: main, restartCount: 7, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}
`, "OOMKilled: container main ended with exit code 137 after 7 restarts (Pod models/iris-1)",
			"raise resources.limits.memory of the container"},
		{"a container that ends with exit code 0", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 7, state: {waiting: {reason: CrashLoopBackOff, message: back-off}}, lastState: {terminated: {exitCode: 0, reason: Completed}}}
`, "CrashLoopBackOff: container main ended with exit code 0 after 7 restarts (Pod models/iris-1)", ""},
		{"a container that a probe ends", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 137, reason: Error}}}
` + strings.Replace(warning("Pod", "iris-1", "Unhealthy"), "it happened", "Liveness probe failed", 1),
			"Unhealthy: Liveness probe failed (Pod models/iris-1)",
			"correct the probe, or give the model more time with initialDelaySeconds or failureThreshold"},
		{"a container that a probe ends, and that obeys the signal", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 143, reason: Error}}}
` + strings.Replace(warning("Pod", "iris-1", "Unhealthy"), "it happened", "Liveness probe failed", 1),
			"Unhealthy: Liveness probe failed (Pod models/iris-1)",
			"correct the probe, or give the model more time with initialDelaySeconds or failureThreshold"},
		{"a container that ends by itself, beside a readiness probe", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 137, reason: Error}}}
` + strings.Replace(warning("Pod", "iris-1", "Unhealthy"), "it happened", "Readiness probe failed", 1),
			"CrashLoopBackOff: container main ended with exit code 137 after 4 restarts (Pod models/iris-1)", ""},
		{"a container that runs for ten minutes since it ended", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 1, ready: false, state: {running: {startedAt: "2026-01-01T00:00:00Z"}}, lastState: {terminated: {exitCode: 1}}}
` + warning("Pod", "iris-1", "Unhealthy") + "lastTimestamp: \"2026-01-01T00:10:00Z\"\n",
			"Unhealthy: it happened (Pod models/iris-1)",
			"correct the probe, or give the model more time with initialDelaySeconds or failureThreshold"},
		{"a container that has just started again", service + pod + `
status:
  containerStatuses:
  - {name: main, restartCount: 1, ready: false, state: {running: {startedAt: "2026-01-01T00:00:00Z"}}, lastState: {terminated: {exitCode: 1, reason: Error}}}
` + warning("Pod", "iris-1", "Unhealthy") + "lastTimestamp: \"2026-01-01T00:09:59Z\"\n",
			"Error: container main ended with exit code 1 after 1 restarts (Pod models/iris-1)", ""},
		{"a pod whose events are gone", service + conditions + pod + `
status:
  conditions:
  - {type: PodReadyToStartContainers, status: "True", message: "network"}
  - {type: Initialized, status: "False", reason: ContainersNotInitialized, message: "storage-initializer"}
  - {type: Ready, status: "False", reason: ContainersNotReady, message: "main"}
`, "ContainersNotInitialized: storage-initializer (Pod models/iris-1)", ""},
		{"a claim that is not there", service + pod +
			`status: {conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: unbound PersistentVolumeClaims}]}`,
			"Unschedulable: unbound PersistentVolumeClaims (Pod models/iris-1)",
			"create the claim, or correct its name or StorageClass"},
		{"a conflict that KServe tries again", service + conditions + strings.Replace(warning("InferenceService", "iris", "InternalError"),
			"it happened", "the object has been modified; please apply your changes to the latest version and try again", 1),
			"Pods: pods (InferenceService models/iris)", ""},
		{"an older revision of Knative, while the newest is not ready", service +
			made("serving.knative.dev/v1", "Configuration", "name: iris, uid: c",
				"status: {latestCreatedRevisionName: iris-2, latestReadyRevisionName: iris-1}") +
			owned("serving.knative.dev/v1", "Revision", "c", "name: iris-1, uid: r1", "") +
			owned("serving.knative.dev/v1", "Revision", "c", "name: iris-2, uid: r2",
				`status: {conditions: [{type: Ready, status: "False", reason: ExceededQuota}]}`) +
			owned("apps/v1", "Deployment", "r1", "name: d1, uid: d1", "") +
			owned("apps/v1", "ReplicaSet", "d1", "name: s1, uid: s1", "") + podOf("s1", `reason: Evicted`),
			"ExceededQuota (Revision models/iris-2)", ""},
		{"an older revision of Knative, while the newest is ready", service +
			made("serving.knative.dev/v1", "Configuration", "name: iris, uid: c",
				"status: {latestCreatedRevisionName: iris-2, latestReadyRevisionName: iris-2}") +
			owned("serving.knative.dev/v1", "Revision", "c", "name: iris-1, uid: r1", "") +
			owned("apps/v1", "Deployment", "r1", "name: d1, uid: d1", "") +
			owned("apps/v1", "ReplicaSet", "d1", "name: s1, uid: s1", "") + podOf("s1", `reason: Evicted`),
			"Evicted (Pod models/s1-1)", ""},
		{"a scheduler of which one replica waits", service + conditions + made("apps/v1", "Deployment",
			"name: scheduler, uid: s, labels: {app.kubernetes.io/component: llminferenceservice-router-scheduler}",
			`status: {availableReplicas: 1, conditions: [{type: Available, status: "False", reason: MinimumReplicasUnavailable}]}`),
			"Pods: pods (InferenceService models/iris)", ""},
		{"a scheduler without replicas", service + conditions + made("apps/v1", "Deployment",
			"name: scheduler, uid: s, labels: {app.kubernetes.io/component: llminferenceservice-router-scheduler}",
			`status: {conditions: [{type: Available, status: "False", reason: MinimumReplicasUnavailable}]}`),
			"MinimumReplicasUnavailable (Deployment models/scheduler)", ""},
		{"an older ReplicaSet that is in a circle of owners", service + conditions +
			made("apps/v1", "Deployment", "name: iris, uid: d", "") + set("old", "1") + set("new", "2") +
			owned("v1", "Pod", "old", "name: circle, uid: old", ""), "Pods: pods (InferenceService models/iris)", ""},
		{"a revision without traffic", service + conditions + made("serving.knative.dev/v1", "Revision", "name: iris-1",
			`status: {conditions: [{type: Active, status: "False", reason: NoTraffic, severity: Info}]}`),
			"Pods: pods (InferenceService models/iris)", ""},
		{"an event that repeats a condition", service + conditions + warning("InferenceService", "iris", "InferenceServiceNotReady") +
			"lastTimestamp: \"2026-02-03T00:00:00Z\"\n", "Pods: pods (InferenceService models/iris)", ""},
		{"an event of a service that had the name before", service + conditions +
			strings.Replace(warning("InferenceService", "iris", "InternalError"), "name: iris}", "name: iris, uid: before}", 1),
			"Pods: pods (InferenceService models/iris)", ""},
		{"a ScaledObject without a fallback", service + made("keda.sh/v1alpha1", "ScaledObject", "name: iris", `
status: {conditions: [{type: Fallback, status: "False", reason: NoFallbackFound}, {type: Active, status: "False", reason: Idle}]}`),
			"", ""},
		{"a ScaledObject that KEDA can't use", service + made("keda.sh/v1alpha1", "ScaledObject", "name: iris",
			`status: {conditions: [{type: Ready, status: "False", reason: NoScalers}, {type: Active, status: "False", reason: Idle}]}`),
			"NoScalers (ScaledObject models/iris)", ""},
		{"a route that is not there, beside an autoscaler without metrics", service + `
status: {conditions: [{type: IngressReady, status: "False", reason: Routes, message: no gateway}]}
` + made("autoscaling/v2", "HorizontalPodAutoscaler", "name: iris",
			`status: {conditions: [{type: ScalingActive, status: "False", reason: FailedGetResourceMetric}]}`),
			"Routes: no gateway (InferenceService models/iris)", ""},
		{"a pod that runs, and was not scheduled at first", service + conditions + pod + "status: {phase: Running}\n" +
			warning("Pod", "iris-1", "FailedScheduling"), "Pods: pods (InferenceService models/iris)", ""},
		{"a ReplicaSet that wants no pods", service + conditions + made("apps/v1", "ReplicaSet", "name: iris-1", "spec: {replicas: 0}\n"+
			`status: {conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate}]}`),
			"Pods: pods (InferenceService models/iris)", ""},
		{"an evicted pod", service + pod + "status: {reason: Evicted, message: disk pressure}\n",
			"Evicted: disk pressure (Pod models/iris-1)", ""},
		{"a container that ends for the first time, beside an init container that is done", service + pod + `
status:
  initContainerStatuses:
  - {name: storage-initializer, state: {terminated: {exitCode: 0, reason: Completed}}}
  containerStatuses:
  - {name: main, state: {terminated: {exitCode: 2, reason: Error}}}
`, "Error: container main ended with exit code 2 (Pod models/iris-1)", ""},
		{"containers that are prepared", service + conditions + pod + `
status:
  containerStatuses:
  - {name: main, state: {waiting: {reason: PodInitializing}}}
  - {name: agent, state: {waiting: {reason: ContainerCreating}}}
`, "Pods: pods (InferenceService models/iris)", ""},
		{"a pod of nobody's that is ready", service + conditions + strings.Replace(pod, ", controller: true", "", 1) +
			`status: {conditions: [{type: Ready, status: "True"}]}` + "\n" + warning("Pod", "iris-1", "Unhealthy"),
			"Pods: pods (InferenceService models/iris)", ""},
		{"a new pod, whose event is older than the last one of the old pod", service +
			made("v1", "Pod", `name: iris-1, creationTimestamp: "2026-01-01T00:00:00Z"`, "status: {phase: Running}") +
			made("v1", "Pod", `name: iris-2, creationTimestamp: "2026-01-02T00:00:00Z"`, "status: {phase: Running}") +
			warning("Pod", "iris-2", "FailedMount") + "lastTimestamp: \"2026-01-02T00:00:00Z\"\n" +
			warning("Pod", "iris-1", "Unhealthy") + "lastTimestamp: \"2026-01-03T00:00:00Z\"\n",
			"FailedMount: it happened (Pod models/iris-2)", "create what the volume names, or correct the name"},
		{"the last one of two events", service + warning("InferenceService", "iris", "Last") +
			"lastTimestamp: \"2026-01-02T00:00:00Z\"\n" + warning("InferenceService", "iris", "First") +
			"lastTimestamp: \"2026-01-01T00:00:00Z\"\n", "Last: it happened (InferenceService models/iris)", ""},
		{"no pods, for a reason whose events are gone", service + conditions + made("apps/v1", "ReplicaSet", "name: iris-1",
			`status: {conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: "exceeded quota: a"}]}`),
			"FailedCreate: exceeded quota: a (ReplicaSet models/iris-1)",
			"lower the resources of the service, or raise the ResourceQuota"},
		{"a ReplicaSet with a pod that is ready", service + conditions + made("apps/v1", "ReplicaSet", "name: iris-1",
			`status: {readyReplicas: 1, conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate}]}`),
			"Pods: pods (InferenceService models/iris)", ""},
		{"a group of pods", service + conditions + made("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "name: iris-1",
			`status: {conditions: [{type: Available, status: "False", reason: Groups}, {type: X, status: "False", message: x}]}`),
			"Groups (LeaderWorkerSet models/iris-1)", ""},
		{"an autoscaler without metrics of pods that are not ready", service + conditions + made("autoscaling/v2", "HorizontalPodAutoscaler",
			"name: iris-1", `status: {conditions: [
  {type: ScalingActive, status: "False", reason: FailedGetResourceMetric, lastTransitionTime: "2026-01-09T00:00:00Z"}]}`),
			"Pods: pods (InferenceService models/iris)", ""},
		{"an autoscaler, where nothing else says anything", service + made("autoscaling/v2", "HorizontalPodAutoscaler", "name: iris-1",
			`status: {conditions: [{type: ScalingActive, status: "False", reason: AmbiguousSelector},
  {type: ScalingLimited, status: "False", reason: DesiredWithinRange, lastTransitionTime: "2026-01-09T00:00:00Z"}]}`),
			"AmbiguousSelector (HorizontalPodAutoscaler models/iris-1)",
			"leave one autoscaler: set autoscalerClass external, or remove your own"},
		{"conditions that say nothing, or that it does not stop", service + `
status:
  conditions:
  - {type: PredictorReady, status: "False", lastTransitionTime: "2026-01-02T00:00:00Z"}
  - {type: Stopped, status: "False", reason: Runs, lastTransitionTime: "2026-01-02T00:00:00Z"}
  - {type: TransformerReady, status: "False", reason: Pods, lastTransitionTime: "2026-01-01T00:00:00Z"}
`, "Pods (InferenceService models/iris)", ""},
		{"an event that says nothing", service + conditions + strings.NewReplacer("reason: Nothing\n", "", "message: it happened\n", "").
			Replace(warning("InferenceService", "iris", "Nothing")), "Pods: pods (InferenceService models/iris)", ""},
		{"an event without a reason", service + strings.Replace(warning("InferenceService", "iris", "Nothing"),
			"reason: Nothing\n", "", 1), "it happened (InferenceService models/iris)", ""},
		{"a long message", service + strings.Replace(warning("InferenceService", "iris", "Long"), "it happened",
			strings.Repeat("é", 2000), 1), "Long: " + strings.Repeat("é", 1024) + " ... (InferenceService models/iris)", ""},
		{"a service that is stopped", strings.Replace(service, "uid:",
			`annotations: {serving.kserve.io/stop: "True"}, uid:`, 1) + conditions + `
  - {type: Stopped, status: "True"}
`,
			"Stopped: the annotation serving.kserve.io/stop is true (InferenceService models/iris)",
			"remove the annotation serving.kserve.io/stop to start it"},
		{"one that is stopped without a condition for that, as an LLM service", strings.Replace(service, "uid:",
			`annotations: {serving.kserve.io/stop: "true"}, uid:`, 1) + conditions + `
  - {type: MainWorkloadReady, status: "False", reason: Stopped, message: Service is stopped}
`,
			"Stopped: the annotation serving.kserve.io/stop is true (InferenceService models/iris)",
			"remove the annotation serving.kserve.io/stop to start it"},
		{"a service that KServe before 0.16 does not stop", strings.Replace(service, "uid:",
			`annotations: {serving.kserve.io/stop: "true"}, uid:`, 1) + conditions,
			"Pods: pods (InferenceService models/iris)", ""},
		{"a deletion, before all else", strings.Replace(service, "uid:",
			`deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a, b], uid:`, 1) + conditions,
			"Finalizers: it is to be deleted since 2026-01-01T00:00:00Z, and waits for the finalizers a, b " +
				"(InferenceService models/iris)", "nothing; the controller that takes the finalizer off has to run"},
		{"a deletion of what a controller made", strings.Replace(service, "uid:",
			`ownerReferences: [{uid: graph, controller: true}], deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a], uid:`, 1),
			"Finalizers: it is to be deleted since 2026-01-01T00:00:00Z, and waits for the finalizers a " +
				"(InferenceService models/iris)", "nothing; the controller that takes the finalizer off has to run"},
		{"a deletion that waits for nothing", strings.Replace(service, "uid:",
			`deletionTimestamp: "2026-01-01T00:00:00Z", uid:`, 1) + conditions, "Pods: pods (InferenceService models/iris)", ""},
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

func TestDrift(t *testing.T) {
	const applied = `{"spec":{"z":null,"a":1,"b":["x","y"],"c":{"d":true},"image":"x:1"},"metadata":{"labels":{"l":"1"}}}`
	live := health.Object{
		"metadata": health.Object{"annotations": health.Object{lastApplied: applied}, "labels": health.Object{"l": "1", "m": "2"}},
		"spec": health.Object{"a": 2.0, "b": []any{"x"}, "c": health.Object{"d": true}, "e": "default",
			"image": "x:2"},
	}
	r := ref{"", "ConfigMap", "models", "a"}
	c := cluster(t, "")
	c.objects[r] = live
	for _, tc := range []struct {
		app  application
		want string
	}{
		{application{isHere: true, isSync: true}, ""},
		{application{isHere: true}, `spec.a is 1 as applied and 2 now, spec.b[1] has another value than as applied, ` +
			`spec.image is "x:1" as applied and "x:2" now`},
	} {
		c.applications[r] = []application{tc.app}
		if got := c.drift(r); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.app, got, tc.want)
		}
	}
	c.objects[r] = health.Object{}
	c.applications[r] = []application{{isHere: true, hasNews: true}}
	if got := c.drift(r); got != "Git has changed since the last sync" {
		t.Error(got)
	}
}

func TestMayBeSecret(t *testing.T) {
	for _, tc := range []struct {
		at    string
		value any
		want  bool
	}{
		{"spec.predictor.model.env[0].value", "s3cr3t", true},
		{"spec.predictor.model.args[1]", "--token=s3cr3t", true},
		{"spec.predictor.model.readinessProbe.httpGet.httpHeaders[0].value", "Bearer s3cr3t", true},
		{"spec.predictor.model.storage.parameters.key", "s3cr3t", true},
		{"metadata.annotations.team/token", "s3cr3t", true},
		{"metadata.annotations.serving.kserve.io/autoscalerClass", "hpa", false},
		{"spec.predictor.model.storageUri", "https://me:s3cr3t@models/iris", true},
		{"spec.predictor.model.storageUri", "https://models/iris?sig=s3cr3t", true},
		{"spec.predictor.logger.url", "http://sink", true},
		{"spec.predictor.model.storageUri", "gs://models/iris", false},
		{"spec.predictor.model.resources.limits.nvidia.com/gpu", "1", false},
		{"spec.predictor.model.modelFormat.name", "sklearn", false},
		{"spec.predictor.minReplicas", 1.0, false},
		{"spec.predictor.model.env[0].value", nil, false},
	} {
		if got := mayBeSecret(tc.at, tc.value); got != tc.want {
			t.Errorf("%s: %t for %v", tc.at, got, tc.value)
		}
	}
}

// TestMore is about the command that shows more of what a container did.
func TestMore(t *testing.T) {
	for status, want := range map[string]string{
		"state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1}}": "logs iris-1 -c main --previous",
		"state: {terminated: {exitCode: 1}}":                                                   "logs iris-1 -c main",
		"state: {waiting: {reason: CreateContainerConfigError}}":                               "describe pod/iris-1",
		"state: {waiting: {reason: ErrImagePull}}":                                             "describe pod/iris-1",
	} {
		c := cluster(t, service+pod+"status: {containerStatuses: [{name: main, "+status+"}]}\n")
		cause := c.cause(c.objects[ref{health.Group, "InferenceService", "models", "iris"}])
		if got := cause.more(); got != "-n models "+want {
			t.Errorf("%s: %s", status, got)
		}
	}
}

// TestAtZero is about a service that KServe calls ready although nothing serves. Knative takes all pods on purpose.
func TestAtZero(t *testing.T) {
	const healthy = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris, namespace: models, uid: isvc}
status:
  conditions:
  - {type: PredictorReady, status: "True"}
  - {type: IngressReady, status: "True"}
  - {type: Ready, status: "True"}
`
	deployment := func(owner string, replicas int) string {
		return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: iris-predictor, namespace: models, uid: deploy, ownerReferences: [{uid: %s, controller: true}]}
spec: {replicas: %d}
`, owner, replicas)
	}
	const revision = `---
apiVersion: serving.knative.dev/v1
kind: Revision
metadata: {name: iris-1, namespace: models, uid: revision, ownerReferences: [{uid: isvc, controller: true}]}
`
	for _, tc := range []struct {
		name, stream string
		well         int
	}{
		{"none", healthy + deployment("isvc", 0), 0},
		{"one", healthy + deployment("isvc", 1), 1},
		{"Knative", healthy + revision + deployment("revision", 0), 1},
	} {
		report := cluster(t, tc.stream).Examine(time.Now(), kubectl.Request{}, nil)
		if report.Well != tc.well || report.Failed() != 0 {
			t.Errorf("%s: %d are well, %d fail", tc.name, report.Well, report.Failed())
		}
		for _, s := range report.Services {
			if s.Verdict() != "scaled to zero" || s.Cause.Reason != "ScaledToZero" || s.result().Result != policyreport.Skip {
				t.Errorf("%s: %s, %v, %s", tc.name, s.Verdict(), s.Cause, s.result().Result)
			}
		}
	}
}

// A finding about an autoscaler belongs to the service whose Deployment it scales.
func TestServiceOf(t *testing.T) {
	scaler := func(name, target string) string {
		return "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {namespace: models, name: " + name + "}\n" +
			"spec: {scaleTargetRef: {name: " + target + "}}\n"
	}
	const deployments = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: iris-predictor, namespace: models, ownerReferences: [{kind: InferenceService, name: iris}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: models, ownerReferences: [{kind: InferenceService, name: rose}]}
`
	c := cluster(t, service+deployments+scaler("mine", "iris-predictor")+scaler("other", "web"))
	scalers := ref{"autoscaling", "HorizontalPodAutoscaler", "models", ""}
	for name, want := range map[string]string{"mine": "InferenceService models/iris", "other": "HorizontalPodAutoscaler models/other"} {
		scalers.name = name
		if got := c.serviceOf(scalers).String(); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestLacks(t *testing.T) {
	asked, err := kubectl.ParseRequest([]string{"isvc", "iris", "rose"})
	if err != nil {
		t.Fatal(err)
	}
	c := cluster(t, service)
	if err := c.Lacks(asked); err == nil || err.Error() != "InferenceService rose: not found" {
		t.Error(err)
	}
	c.Unread = []Unread{{Kinds: []string{"InferenceService"}, Text: "inferenceservices: forbidden"}}
	const unread = "InferenceService iris: not looked at: inferenceservices: forbidden\n" +
		"InferenceService rose: not looked at: inferenceservices: forbidden"
	if err := c.Lacks(asked); err == nil || err.Error() != unread {
		t.Error(err)
	}
}

// What was not read is not well.
func TestUnread(t *testing.T) {
	const deployment = `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: iris
  namespace: models
  ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: iris, uid: isvc}]
`
	const cacheJob = `---
apiVersion: batch/v1
kind: Job
metadata:
  name: load
  namespace: jobs
  ownerReferences: [{apiVersion: serving.kserve.io/v1alpha1, kind: LocalModelCache, name: llama, uid: cache}]
---
apiVersion: serving.kserve.io/v1alpha1
kind: LocalModelCache
metadata: {name: llama, uid: cache}
`
	for name, tc := range map[string]struct {
		stream, unread, line, count string
		asked                       string
	}{
		"all there": {service + deployment + cacheJob, "", "", "0 services well, 2 not", ""},
		"without the service": {deployment + strings.Replace(deployment, "name: iris\n", "name: iris-2\n", 1), "",
			"InferenceService models/iris: it is not in the input, and Deployment models/iris belongs to it",
			"0 services well, 0 not", ""},
		"forbidden": {deployment, "inferenceservices: forbidden", "inferenceservices: forbidden",
			"0 services well, 0 not; not read: InferenceServices", ""},
		"forbidden and asked for": {"", "inferenceservices: forbidden", "inferenceservices: forbidden",
			"0 services well, 0 not; not read: InferenceServices", "isvc/iris"},
		"forbidden, while others are asked for": {"", "inferenceservices: forbidden", "inferenceservices: forbidden",
			"0 services well, 0 not", "llmisvc/llama"},
	} {
		c := cluster(t, tc.stream)
		if tc.unread != "" {
			c.Unread = []Unread{{Kinds: []string{"InferenceService"}, Text: tc.unread}}
		}
		var asked kubectl.Request
		if tc.asked != "" {
			var err error
			if asked, err = kubectl.ParseRequest([]string{tc.asked}); err != nil {
				t.Fatal(err)
			}
		}
		report := c.Examine(time.Now(), asked, nil)
		got := ""
		for _, u := range report.Unread {
			got += u.Text
		}
		if got != tc.line || report.count() != tc.count {
			t.Errorf("%s: %q, %q", name, got, report.count())
		}
	}
}

// An Application of another cluster may have the same names. This cluster may have a URL, and then the object names the
// Application. Of two the one that is out of sync counts.
func TestApplications(t *testing.T) {
	app := func(name, server, status string) string {
		return "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + name + ", namespace: argocd}\n" +
			"spec: {destination: {server: " + server + "}}\nstatus: {resources: [{group: serving.kserve.io, kind: InferenceService, " +
			"namespace: models, name: iris, status: " + status + "}]}\n"
	}
	iris := ref{health.Group, "InferenceService", "models", "iris"}
	const (
		here   = "https://kubernetes.default.svc"
		notGit = "it is not as in Git"
	)
	of := func(app, rest string) string {
		return strings.Replace(app, "status: {resources", "status: {"+rest+", resources", 1)
	}
	const synced = "operationState: {syncResult: {revision: a}}, sync: {revision: "
	const several = "operationState: {syncResult: {revisions: [a, b]}}, sync: {revisions: "
	named := func(id string) string { return `annotations: {argocd.argoproj.io/tracking-id: "` + id + `"}, ` }
	for name, tc := range map[string]struct{ metadata, apps, want, drift string }{
		"elsewhere": {"", app("eu", "https://eu.example.com", "OutOfSync"), "", ""},
		"by a URL": {named("eu:serving.kserve.io/InferenceService:models/iris"),
			app("eu", "https://eu.example.com", "OutOfSync"), "eu", notGit},
		"named, but elsewhere": {named("us:serving.kserve.io/InferenceService:models/iris"),
			app("eu", "https://eu.example.com", "OutOfSync"), "us", ""},
		"by a label": {"labels: {app.kubernetes.io/instance: eu}, ",
			app("eu", "https://eu.example.com", "OutOfSync"), "eu", notGit},
		"by a label, without Applications": {"labels: {app.kubernetes.io/instance: eu}, ", "", "eu", ""},
		"by a label that is no Application's": {"labels: {app.kubernetes.io/instance: release}, ",
			app("eu", "https://eu.example.com", "Synced"), "", ""},
		"nothing new":                    {"", of(app("a", here, "OutOfSync"), synced+"a}"), "a", notGit},
		"news":                           {"", of(app("a", here, "OutOfSync"), synced+"b}"), "a", "Git has changed since the last sync"},
		"nothing new in several sources": {"", of(app("a", here, "OutOfSync"), several+"[a, b]}"), "a", notGit},
		"news in one of several sources": {"", of(app("a", here, "OutOfSync"), several+"[a, c]}"), "a",
			"Git has changed since the last sync"},
		"gone from Git": {"", app("a", here, "OutOfSync, requiresPruning: true"), "a", "it is no longer in Git"},
		"in a namespace of its own": {named("argocd_eu:serving.kserve.io/InferenceService:models/iris"),
			of(app("eu", "https://eu.example.com", "OutOfSync"), "controllerNamespace: elsewhere"), "argocd_eu", notGit},
		"in the namespace of Argo CD": {named("eu:serving.kserve.io/InferenceService:models/iris"),
			of(app("eu", "https://eu.example.com", "OutOfSync"), "controllerNamespace: argocd"), "eu", notGit},
		"two": {"", app("a", here, "Synced") + app("b", here, "OutOfSync"), "b", notGit},
	} {
		c := cluster(t, strings.Replace(service, "metadata: {", "metadata: {"+tc.metadata, 1)+tc.apps)
		if got, drift := c.application(iris), c.drift(iris); got != tc.want || drift != tc.drift {
			t.Errorf("%s: %q and %q, want %q and %q", name, got, drift, tc.want, tc.drift)
		}
		files, err := c.Files()
		if err != nil || len(files) != 1 || files[0].Application != tc.want || files[0].Untracked != (tc.want == "") {
			t.Errorf("%s: the rules see %v, %v", name, files, err)
		}
	}
}

// A stream of a watch tells what becomes of an object.
func TestApply(t *testing.T) {
	const (
		app = `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"shop","namespace":"argocd"},` +
			`"status":{"resources":[{"group":"serving.kserve.io","kind":"InferenceService","namespace":"models","name":"iris",` +
			`"status":"%s"}]}}`
		isvc = `{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","metadata":{"name":"iris",` +
			`"namespace":"models","uid":"isvc"}}`
		pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"iris-1","namespace":"models","ownerReferences":[` +
			`{"uid":"isvc"}]},"status":{"phase":"Pending","reason":"Evicted"}}`
		report = `{"apiVersion":"openreports.io/v1alpha1","kind":"Report","metadata":{"name":"argocd-kserve-plugin.doctor",` +
			`"namespace":"left"}}`
	)
	event := func(what, object string) string { return `{"type":"` + what + `","object":` + object + "}\n" }
	outOfSync, inSync := fmt.Sprintf(app, "OutOfSync"), fmt.Sprintf(app, "Synced")
	start := event("ADDED", isvc) + event("ADDED", pod) + event("ADDED", outOfSync) + event("ADDED", report)
	for name, tc := range map[string]struct{ stream, want string }{
		"all there": {start, "iris Progressing, Evicted, shop, it is not as in Git, 1 reports"},
		"changed": {start + event("MODIFIED", inSync) + event("MODIFIED", isvc) + event("MODIFIED", pod),
			"iris Progressing, Evicted, shop, , 1 reports"},
		"all gone but the service": {start + event("DELETED", pod) + event("DELETED", outOfSync) + event("DELETED", report),
			"iris Progressing, <nil>, , , 0 reports"},
		"the service is gone": {start + event("DELETED", pod) + event("DELETED", isvc), ""},
	} {
		c := cluster(t, tc.stream)
		got := ""
		for _, s := range c.Examine(time.Now(), kubectl.Request{}, nil).Services {
			reason := "<nil>"
			if s.Cause != nil {
				reason = s.Cause.Reason
			}
			got += fmt.Sprintf("%s %s, %s, %s, %s, %d reports", s.Name, s.Status, reason, s.Application, s.Drift, len(c.reports))
		}
		if got != tc.want || c.HasKServe() != (tc.want != "") || len(c.objects) != len(c.order) {
			t.Errorf("%s: %s; %v", name, got, c.order)
		}
	}
}

// TestUnseen has what was read of the services, and whether a kind of them could not be.
func TestUnseen(t *testing.T) {
	hidden := []string{"inferenceservices"}
	for _, tc := range []struct {
		report Report
		unseen bool
	}{
		{Report{}, false},
		{Report{hidden: hidden}, true},
		{Report{hidden: hidden, Well: 1}, false},
		{Report{hidden: hidden, Services: []Service{{}}}, false},
	} {
		if err := tc.report.Unseen(); (err != nil) != tc.unseen {
			t.Errorf("%+v: %v", tc.report, err)
		}
	}
}
