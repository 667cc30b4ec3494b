package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// blocked expects a condition that is False for a reason, with a text in its message, and none of the Deployments. The
// reason is empty where it differs from release to release.
func blocked(condition, reason, text string, missing ...string) outcome {
	return func(t *testing.T, a *llmApp) string {
		a.awaitFalse(condition, reason, text)
		for _, name := range missing {
			if a.Find(objects.Deployments, name) != nil {
				t.Fatalf("there is a Deployment %s", name)
			}
		}
		return fmt.Sprintf("%s is False: %s", condition, cmp.Or(reason, text))
	}
}

// frozen expects the same of a service that was ready before, with the pods that it had.
func frozen(condition, reason, text string) outcome {
	return func(t *testing.T, a *llmApp) string {
		a.awaitFalse(condition, reason, text)
		if now := rollout(a.Namespace, a.workload()); now != a.before {
			t.Fatalf("the Deployment had %s and has %s", a.before, now)
		}
		return fmt.Sprintf("%s is False: %s; the old pods stay", condition, reason)
	}
}

func (a *llmApp) awaitFalse(condition, reason, text string) {
	a.Eventually(condition+" is False: "+reason, func() error {
		return objects.Because(a.Get(objects.LLMInferenceServices, a.service), condition, "False", reason, text)
	})
}

// readyWith expects a ready service whose container main has the probe in a Deployment with the ending.
func readyWith(ending, kind, wanted string) outcome {
	return func(t *testing.T, a *llmApp) string {
		a.awaitReady()
		for _, container := range a.containers(t, a.service+ending) {
			if container.Name != "main" {
				continue
			}
			probe := container.ReadinessProbe
			if kind == "livenessProbe" {
				probe = container.LivenessProbe
			}
			if seen := describe(probe); seen != wanted {
				t.Fatalf("the %s is %s, not %s", kind, seen, wanted)
			}
			return "ready, with " + wanted
		}
		t.Fatal("there is no container main")
		return ""
	}
}

// describe words a probe.
func describe(probe *corev1.Probe) string {
	handler := "nothing"
	switch {
	case probe == nil:
		return handler
	case probe.HTTPGet != nil:
		handler = fmt.Sprintf("httpGet %s on port %s", probe.HTTPGet.Path, probe.HTTPGet.Port.String())
	case probe.GRPC != nil:
		handler = fmt.Sprintf("grpc on port %d", probe.GRPC.Port)
	}
	return fmt.Sprintf("%s every %d s", handler, probe.PeriodSeconds)
}

// readyWithContainers expects a ready service with these containers and no others.
func readyWithContainers(wanted ...string) outcome {
	return func(t *testing.T, a *llmApp) string {
		a.awaitReady()
		var names []string
		for _, container := range a.containers(t, a.workload()) {
			names = append(names, container.Name)
		}
		slices.Sort(names)
		if !slices.Equal(names, wanted) {
			t.Fatalf("the containers are %v, not %v", names, wanted)
		}
		return "ready, the pods have " + strings.Join(names, " and ")
	}
}

func (a *llmApp) containers(t *testing.T, deployment string) []corev1.Container {
	t.Helper()
	template, _, err := unstructured.NestedMap(a.Get(objects.Deployments, deployment).Object, "spec", "template")
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.PodTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(template, &pod); err != nil {
		t.Fatal(err)
	}
	return pod.Spec.Containers
}

// wantedReplicas are what the user's HPA keeps at least.
const wantedReplicas = 4

// fight expects KServe and the HPA to set the replicas in turn.
func fight(t *testing.T, a *llmApp) string {
	seen := awaitFight(a.Namespace, a.deployments, a.workload(), wantedReplicas)
	return fmt.Sprintf("the replicas go to %d and back to %d, again and again", wantedReplicas, seen[0])
}

// awaitFight waits until KServe has twice set back the replicas that the HPA wants, and returns all that there were.
func awaitFight(namespace *objects.Namespace, deployments *objects.History, deployment string, wanted int64) []int64 {
	var seen []int64
	namespace.Eventually("KServe and the HPA set the replicas in turn", func() error {
		seen = replicas(deployments.Of(deployment))
		resets := 0
		for i := 1; i < len(seen); i++ {
			if seen[i-1] == wanted && seen[i] < wanted {
				resets++
			}
		}
		if resets < 2 {
			return fmt.Errorf("the replicas were %v", seen)
		}
		return nil
	})
	return seen
}

// scaledInPeace expects the HPA to scale the Deployment once, through the visits of KServe, and no pod to be replaced.
func scaledInPeace(t *testing.T, a *llmApp) string {
	a.awaitReady()
	a.Eventually("the HPA scales the Deployment", func() error {
		return hasReplicas(a.Namespace, a.workload(), wantedReplicas)
	})
	for range reconciles {
		a.visit()
	}
	if seen := replicas(a.deployments.Of(a.workload())); !slices.IsSorted(seen) || seen[len(seen)-1] != wantedReplicas {
		t.Fatalf("the replicas were %v", seen)
	}
	if hashes := templateHashes(a.Namespace); len(hashes) != 1 {
		t.Fatalf("there were several pod templates: %v", hashes)
	}
	return fmt.Sprintf("%d replicas through %d reconciles, no pod replaced", wantedReplicas, reconciles)
}

// replicas are the numbers that a Deployment had, one after the other.
func replicas(events []objects.Event) []int64 {
	var all []int64
	for _, event := range events {
		number, _, _ := unstructured.NestedInt64(event.Object.Object, "spec", "replicas")
		if len(all) == 0 || all[len(all)-1] != number {
			all = append(all, number)
		}
	}
	return all
}

// noTarget expects the only HPA to find nothing to scale.
func noTarget(t *testing.T, a *llmApp) string {
	a.awaitReady()
	a.Eventually("the HPA finds no target", func() error {
		return objects.Condition(&a.List(objects.HPAs, "")[0], "AbleToScale", "False")
	})
	return "the HPA is not able to scale"
}

// ambiguous expects Kubernetes to stop the user's HPA because of KServe's.
func ambiguous(t *testing.T, a *llmApp) string {
	a.Eventually("there are two HPAs, and the first does nothing", func() error {
		if hpas := a.List(objects.HPAs, ""); len(hpas) != 2 {
			return fmt.Errorf("there are %d HPAs", len(hpas))
		}
		return objects.Because(a.Get(objects.HPAs, "qwen-scaler"), "ScalingActive", "False", "AmbiguousSelector", "")
	})
	return "ScalingActive of the HPA is False: AmbiguousSelector"
}

// scaledTarget expects the HPA to scale the only Deployment.
func scaledTarget(t *testing.T, a *llmApp) string {
	a.awaitReady()
	deployment := a.List(objects.Deployments, "")[0].GetName()
	a.Eventually("the HPA scales the Deployment", func() error {
		return hasReplicas(a.Namespace, deployment, wantedReplicas)
	})
	return fmt.Sprintf("%d replicas", wantedReplicas)
}

// survives expects a ready service and the user's autoscaler beside it, under a name that KServe does not use.
func survives(kind schema.GroupVersionResource, name string) outcome {
	return func(t *testing.T, a *llmApp) string {
		before := a.Get(kind, name).GetUID()
		a.awaitReady()
		for range 3 {
			a.visit()
		}
		if a.Get(kind, name).GetUID() != before {
			t.Fatalf("%s is another one", name)
		}
		return "ready, the autoscaler survives as " + name
	}
}

// withoutAutoscaler expects a ready service for which KServe has made no HPA.
func withoutAutoscaler(t *testing.T, a *llmApp) string {
	a.awaitReady()
	a.visit()
	if made := a.List(objects.HPAs, ""); len(made) > 0 {
		t.Fatalf("KServe has made the HPA %s", made[0].GetName())
	}
	return "ready, and nothing scales"
}
