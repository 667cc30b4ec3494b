package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

const owned = `, metadata: {name: iris, namespace: a, uid: d, ownerReferences: [{uid: s}]}`

// TestGPUs has the resources that count as GPUs, and how many a Deployment takes.
func TestGPUs(t *testing.T) {
	for resource, want := range map[string]string{
		"nvidia.com/gpu": "2 GPUs", "amd.com/gpu": "2 GPUs", "intel.com/gpu": "2 GPUs", "habana.ai/gaudi": "2 GPUs",
		"nvidia.com/mig-1g.10gb": "2 GPUs", "nvidia.com/gpu.shared": "2 GPUs", "gpu.intel.com/i915": "2 GPUs",
		"gpu.intel.com/xe": "2 GPUs", "aws.amazon.com/neuron": "2 GPUs", "aws.amazon.com/neuroncore": "2 GPUs",
		"google.com/tpu": "2 GPUs", "amd.com/cpx_nps4": "2 GPUs",
		"gpu.intel.com/i915_monitoring": "", "gpu.intel.com/memory.max": "", "nvidia.com/hostdev": "", "rdma/ib": "", "cpu": "",
		"ephemeral-storage": "",
	} {
		const deployment = `- {apiVersion: apps/v1, kind: Deployment` + owned + `, spec: {replicas: 3,
  strategy: {rollingUpdate: {maxSurge: 25%%}}, template: {spec: {containers: [
  {name: main, image: x, resources: {limits: {%s: "2"}}}]}}}}`
		text := made(t, fmt.Sprintf(deployment, resource))
		if want != "" {
			want += " a pod, 6 at 3 replicas, 8 during a rollout"
		}
		if !strings.Contains(text, "Deployment iris: 3 replicas; main x"+strings.TrimSuffix("; "+want, "; ")+"\n") {
			t.Errorf("%s: without %q:\n%s", resource, want, text)
		}
	}
}

// TestPodGPUs has how many GPUs a pod takes with init containers and sidecars.
func TestPodGPUs(t *testing.T) {
	container := func(gpus int, more string) string {
		return fmt.Sprintf("{name: c, image: x, resources: {limits: {nvidia.com/gpu: %d}}%s}", gpus, more)
	}
	const sidecar = ", restartPolicy: Always"
	for initial, want := range map[string]string{
		"": "2 GPUs a pod", container(1, sidecar): "3 GPUs a pod", container(2, ""): "2 GPUs a pod",
		container(1, sidecar) + ", " + container(8, ""): "9 GPUs a pod", container(8, "") + ", " + container(1, sidecar): "8 GPUs a pod",
	} {
		text := made(t, "- {apiVersion: apps/v1, kind: Deployment"+owned+", spec: {template: {spec: {containers: ["+container(2, "")+
			"], initContainers: ["+initial+"]}}}}")
		if !strings.Contains(text, "; "+want+", ") {
			t.Errorf("%s: without %q:\n%s", initial, want, text)
		}
	}
}

// TestBounds has the spellings of the bounds of a Knative Service.
func TestBounds(t *testing.T) {
	for annotations, want := range map[string]string{
		`min-scale: "1", autoscaling.knative.dev/max-scale: "3"`: "1 to 3 replicas",
		`minScale: "1", autoscaling.knative.dev/maxScale: "3"`:   "1 to 3 replicas",
		`maxScale: "3", autoscaling.knative.dev/max-scale: "2"`:  "0 to 2 replicas",
		`target: "1"`:    "0 to any number of replicas",
		`max-scale: "0"`: "0 to any number of replicas; main x; 1 GPU a pod\n",
	} {
		text := made(t, "- {apiVersion: serving.knative.dev/v1, kind: Service"+owned+", spec: {template: {metadata: {annotations: "+
			"{autoscaling.knative.dev/"+annotations+"}}, spec: {containers: [{name: main, image: x, resources: {limits: "+
			"{nvidia.com/gpu: 1}}}]}}}}")
		if !strings.Contains(text, "iris: "+want) {
			t.Errorf("%s: without %q:\n%s", annotations, want, text)
		}
	}
}

// The pod of a Knative Service has what KServe's webhook adds.
func TestKnativePod(t *testing.T) {
	text := made(t, "- {apiVersion: serving.knative.dev/v1, kind: Service"+owned+", spec: {traffic: [{percent: 100}], template: {spec: {containers: [{name: main, "+
		"image: x}]}}}}\n- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: a, uid: p, ownerReferences: [{uid: d}]}, "+
		"spec: {containers: [{name: main, image: x}], initContainers: [{name: load, image: \"y:1\"}]}}")
	if want := "iris: 0 to any number of replicas; main x; first load y:1\n"; !strings.Contains(text, want) {
		t.Errorf("without %q:\n%s", want, text)
	}
}

// An LLMInferenceService keeps the URL that it had, and not the addresses.
func TestURL(t *testing.T) {
	const left = "- {apiVersion: serving.kserve.io/v1alpha2, kind: LLMInferenceService, metadata: {name: llama, namespace: a}, " +
		"status: {url: \"http://one\", addresses: [%s]}}"
	for addresses, want := range map[string]string{
		"": "a/llama\n", `{url: "http://inside"}`: "a/llama\n", `{url: "http://inside"}, {url: "http://one"}`: "a/llama: http://one\n",
	} {
		if text := made(t, fmt.Sprintf(left, addresses)); !strings.Contains(text, want) {
			t.Errorf("%s: without %q:\n%s", addresses, want, text)
		}
	}
}

// TestLeaderWorkerSets has what they run: a leader, which may be made like the workers, and the workers.
func TestLeaderWorkerSets(t *testing.T) {
	const (
		set = `- {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet` + owned + `, spec: {replicas: 2,
  rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 1}}, leaderWorkerTemplate: {size: 3, %s}}}`
		worker = `workerTemplate: {spec: {containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}`
		leader = `leaderTemplate: {spec: {containers: [{name: main, image: "z:1", resources: {limits: {nvidia.com/gpu: 4}}}]}}, `
	)
	for template, want := range map[string]string{
		worker: "main x; 24 GPUs a replica, 48 at 2 replicas, 72 during a rollout",
		leader + strings.Replace(worker, "containers:", "initContainers: "+
			"[{name: load, image: 'y:1', resources: {limits: {nvidia.com/gpu: 9}}}], containers:", 1): "main z:1; worker main x; " +
			"worker first load y:1; 22 GPUs a replica, 44 at 2 replicas, 66 during a rollout",
		leader + worker: "main z:1; worker main x; 20 GPUs a replica, 40 at 2 replicas, 60 during a rollout",
	} {
		text := made(t, fmt.Sprintf(set, template))
		if !strings.Contains(text, "LeaderWorkerSet iris: 3 pods a replica; 2 replicas; "+want+"\n") ||
			strings.Contains(text, "without a workload") {
			t.Errorf("without %q:\n%s", want, text)
		}
	}
	alone := made(t, strings.Replace(fmt.Sprintf(set, leader+worker), "size: 3", "size: 1", 1))
	if want := "iris: 1 pod a replica; 2 replicas; main z:1; 4 GPUs a replica, "; !strings.Contains(alone, want) {
		t.Errorf("without %q:\n%s", want, alone)
	}
}

// made prints a service that has an object.
func made(t *testing.T, object string) string {
	t.Helper()
	answer := &plan.Answer{Release: "0.20.0", State: plan.State{Objects: objects(t, service+"}}\n"+object)}}
	return printed(t, plan.New(answer, nil, nil, "default"))
}
