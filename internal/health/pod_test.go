package health

import (
	"strings"
	"testing"
	"time"
)

// pod is a pod with the labels, whose status is as given.
func pod(labels Object, status Object) Object {
	return Object{
		"apiVersion": "v1", "kind": "Pod", "status": status,
		"metadata": Object{"name": "iris-1", "namespace": "models", "labels": labels},
	}
}

// container is the status of a container in a state, and in one before it.
func container(name string, state, before Object) Object {
	return Object{"name": name, "state": state, "lastState": before}
}

func ready(container Object, is bool) Object {
	container["ready"] = is
	return container
}

func waitsFor(reason, message string) Object {
	return Object{"waiting": Object{"reason": reason, "message": message}}
}

func ended(reason, message string, code float64) Object {
	return Object{"terminated": Object{"reason": reason, "message": message, "exitCode": code}}
}

func TestTrouble(t *testing.T) {
	containers := func(all ...any) Object { return Object{"containerStatuses": all} }
	inits := func(all ...any) Object { return Object{"initContainerStatuses": all} }
	running := Object{"running": Object{}}
	evicted := containers(container("main", ended("Error", "evicted", 137), nil))
	evicted["phase"] = "Failed"
	for _, tc := range []struct {
		name   string
		status Object
		want   string
	}{
		{"no status", nil, ""},
		{"starts", containers(container("main", waitsFor("ContainerCreating", ""), nil)), ""},
		{"waits for init containers", containers(container("main", waitsFor("PodInitializing", ""), nil)), ""},
		{"runs", containers(container("main", running, nil)), ""},
		{"no image", containers(container("main", waitsFor("ImagePullBackOff", "Back-off pulling image"), nil)),
			"main: ImagePullBackOff: Back-off pulling image"},
		{"says as much as is shown", containers(container("main", waitsFor("ErrImagePull", strings.Repeat("a", 300)), nil)),
			"main: ErrImagePull: " + strings.Repeat("a", 300)},
		{"says more, of which the end counts", containers(container("main", waitsFor("ErrImagePull", "b"+strings.Repeat("é", 150)), nil)),
			"main: ErrImagePull: ..." + strings.Repeat("é", 150)},
		{"says more, and is cut in a character", containers(container("main", waitsFor("ErrImagePull", strings.Repeat("é", 150)+"b"), nil)),
			"main: ErrImagePull: ..." + strings.Repeat("é", 149) + "b"},
		{"crashes", containers(container("main", waitsFor("CrashLoopBackOff", "back-off 10s"),
			ended("Error", "no GPU\n", 1))), "main: CrashLoopBackOff: no GPU, exit code 1"},
		{"runs again, and is not ready", containers(ready(container("main", running, ended("OOMKilled", "", 137)), false)),
			"main: OOMKilled, exit code 137"},
		{"runs again", containers(ready(container("main", running, ended("Error", "", 1)), true)), ""},
		{"has another image now", containers(container("main", waitsFor("ErrImagePull", ""), ended("Error", "", 1))),
			"main: ErrImagePull"},
		{"init container has ended well", inits(container("storage-initializer", ended("Completed", "", 0), nil)), ""},
		{"a gated model", inits(container("storage-initializer", ended("Error", "401 Client Error", 1), nil)),
			"storage-initializer: Error: 401 Client Error, exit code 1"},
		{"a log", inits(container("storage-initializer", ended("Error", strings.Repeat("é", 400)+" end", 1), nil)),
			"storage-initializer: Error: ..." + strings.Repeat("é", 148) + " end, exit code 1"},
		{"no node", Object{"conditions": []any{Object{"type": "PodScheduled", "status": "False",
			"reason": "Unschedulable", "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}}},
			"Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu."},
		{"a node", Object{"conditions": []any{Object{"type": "PodScheduled", "status": "True"}}}, ""},
		{"evicted", evicted, ""},
	} {
		if got := trouble(pod(nil, tc.status)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	ending := pod(nil, containers(container("main", waitsFor("ImagePullBackOff", ""), nil)))
	ending["metadata"].(Object)["deletionTimestamp"] = "2026-11-20T22:00:00Z"
	if got := trouble(ending); got != "" {
		t.Errorf("a pod that is being deleted: %q", got)
	}
}

// TestCauses has the message of a service with a pod or a Deployment that says why it is not ready.
func TestCauses(t *testing.T) {
	broken := Object{"containerStatuses": []any{container("main", waitsFor("ImagePullBackOff", ""), nil)}}
	iris := Object{"serving.kserve.io/inferenceservice": "iris"}
	quota := deployment(1, 0, 0, 0)
	quota["status"].(Object)["conditions"] = []any{
		Object{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota: gpus"},
	}
	recovered := deployment(1, 0, 0, 0)
	recovered["status"].(Object)["conditions"] = []any{
		Object{"type": "ReplicaFailure", "status": "False", "reason": "FailedCreate"},
	}
	const alone = "Ready is False"
	for _, tc := range []struct {
		name    string
		ready   string
		objects []Object
		want    string
	}{
		{"pod", "False", []Object{pod(iris, broken)}, alone + "; pod iris-1: main: ImagePullBackOff"},
		{"pod that runs now", "False", []Object{pod(iris, broken), pod(iris, nil)}, alone},
		{"pod of a service that is ready", "True", []Object{pod(iris, broken)}, "InferenceService is ready"},
		{"pod of another service", "False", []Object{pod(Object{"serving.kserve.io/inferenceservice": "rose"}, broken)}, alone},
		{"pod of an LLM service", "False", []Object{pod(Object{
			"app.kubernetes.io/name": "iris", "app.kubernetes.io/part-of": "llminferenceservice"}, broken)}, alone},
		{"pod without labels", "False", []Object{pod(nil, broken)}, alone},
		{"quota", "False", []Object{quota}, alone + "; Deployment iris-predictor: FailedCreate: exceeded quota: gpus"},
		{"quota that is free again", "False", []Object{quota, recovered}, alone},
	} {
		fleet := newFleet(t)
		fleet.Apply(Event{Object: service(tc.ready)})
		for _, object := range tc.objects {
			fleet.Apply(Event{Object: object})
		}
		if got := fleet.Results(time.Now())[0].Message; got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	for kind, labels := range map[string]Object{
		"LLMInferenceService": {"app.kubernetes.io/name": "qwen", "app.kubernetes.io/part-of": "llminferenceservice"},
		"InferenceGraph":      {"serving.kserve.io/inferencegraph": "qwen"},
	} {
		if owner, ok := podOwner(pod(labels, nil)); !ok || owner != (key{kind, "models", "qwen"}) {
			t.Errorf("the owner of a pod of an %s is %v", kind, owner)
		}
	}
	fleet := newFleet(t)
	fleet.Apply(Event{Object: service("False")})
	fleet.Apply(Event{Object: pod(iris, broken)})
	fleet.Apply(Event{Object: pod(iris, broken), Deleted: true})
	if got := fleet.Results(time.Now())[0].Message; got != alone {
		t.Errorf("a deleted pod: %q", got)
	}
}
