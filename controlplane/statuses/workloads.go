package statuses

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// condition is one of a Deployment.
type condition struct {
	name            appsv1.DeploymentConditionType
	status          corev1.ConditionStatus
	reason, message string
}

// What the Deployment controller writes (pkg/controller/deployment/progress.go and util/deployment_util.go of
// Kubernetes 1.34). NAME stands for the Deployment's name.
var (
	available   = condition{"Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."}
	unavailable = condition{"Available", "False", "MinimumReplicasUnavailable",
		"Deployment does not have minimum availability."}
	created     = condition{"Progressing", "True", "NewReplicaSetCreated", `Created new replica set "NAME-6c9f8d7b5"`}
	progressing = condition{"Progressing", "True", "ReplicaSetUpdated", `ReplicaSet "NAME-6c9f8d7b5" is progressing.`}
	complete    = condition{"Progressing", "True", "NewReplicaSetAvailable",
		`ReplicaSet "NAME-6c9f8d7b5" has successfully progressed.`}
	deadline = condition{"Progressing", "False", "ProgressDeadlineExceeded",
		`ReplicaSet "NAME-6c9f8d7b5" has timed out progressing.`}
	overQuota = condition{"ReplicaFailure", "True", "FailedCreate",
		`pods "NAME-6c9f8d7b5-" is forbidden: exceeded quota: gpus`}

	startingUp   = []condition{unavailable, progressing}
	rolledOut    = []condition{available, complete}
	updating     = []condition{available, progressing}
	neverStarted = []condition{unavailable, deadline}
	failedUpdate = []condition{available, deadline}
)

// deployment writes the status of a Deployment. It does nothing if KServe has not made the Deployment.
func (p *play) deployment(name string, conditions ...condition) {
	d := &appsv1.Deployment{}
	if p.Client.Get(p.Context(), types.NamespacedName{Namespace: p.key.Namespace, Name: name}, d) != nil {
		return
	}
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1}
	for _, c := range conditions {
		d.Status.Conditions = append(d.Status.Conditions, appsv1.DeploymentCondition{
			Type: c.name, Status: c.status, Reason: c.reason, Message: strings.ReplaceAll(c.message, "NAME", name),
			LastTransitionTime: d.CreationTimestamp, LastUpdateTime: d.CreationTimestamp,
		})
		if c == available {
			d.Status.AvailableReplicas, d.Status.ReadyReplicas = 1, 1
		}
	}
	p.must(p.Client.Status().Update(p.Context(), d))
}

// scale changes a Deployment's replicas as an autoscaler does.
func (p *play) scale(name string, replicas int32) {
	d := &appsv1.Deployment{}
	p.must(p.Client.Get(p.Context(), types.NamespacedName{Namespace: p.key.Namespace, Name: name}, d))
	d.Spec.Replicas = &replicas
	p.must(p.Client.Update(p.Context(), d))
}

// pod replaces the pods of a workload by one in a state. label is what KServe finds it by.
func (p *play) pod(label, value string, state podState) {
	p.noPods()
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = p.key.Namespace, fmt.Sprintf("%s-x7k2p", p.key.Name)
	pod.Labels = map[string]string{label: value}
	pod.Spec.InitContainers = []corev1.Container{{Name: "storage-initializer", Image: "kserve/storage-initializer"}}
	pod.Spec.Containers = []corev1.Container{{Name: "kserve-container", Image: "kserve/sklearnserver"}}
	p.create(pod)
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending}
	if state.container == ready {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	if state.initializer != nil {
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{*state.initializer}
		pod.Status.InitContainerStatuses[0].Name = "storage-initializer"
	}
	if state.container != nil {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{*state.container}
		pod.Status.ContainerStatuses[0].Name = "kserve-container"
	}
	p.must(p.Client.Status().Update(p.Context(), pod))
}

func (p *play) noPods() {
	p.must(p.Client.DeleteAllOf(p.Context(), &corev1.Pod{}, client.InNamespace(p.key.Namespace)))
}

// podState is what the kubelet reports of a pod's two containers. A nil one has no state yet.
type podState struct{ initializer, container *corev1.ContainerStatus }

var (
	done         = is(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}})
	running      = is(corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
	ready        = &corev1.ContainerStatus{State: running.State, Ready: true}
	initializing = is(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}})
	failed       = is(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		Reason: "Error", ExitCode: 1, Message: "FileNotFoundError: model.joblib"}})
	failing = &corev1.ContainerStatus{
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		LastTerminationState: failed.State,
	}
)

func is(state corev1.ContainerState) *corev1.ContainerStatus {
	return &corev1.ContainerStatus{State: state}
}

// The states of a pod.
var (
	pending      = podState{}
	downloading  = podState{running, initializing}
	noDownload   = podState{failed, initializing}
	noDownloads  = podState{failing, initializing}
	loading      = podState{done, running}
	podServing   = podState{done, ready}
	notLoaded    = podState{done, failed}
	crashLooping = podState{done, failing}
)
