package cluster

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

const (
	reconciles = 10
	// losses is how many of them a loss may take: the first adopts, the next deletes.
	losses = 5
	// survival is how long an autoscaler has to live: KServe does not watch HPAs, so one that will be deleted lives on
	// until something else makes KServe look.
	survival = 60 * time.Second
	// patience bounds a wait for a controller.
	patience = 4 * time.Minute
)

func (e *environment) testAutoscalers(t *testing.T) {
	t.Parallel()
	for _, c := range autoscalerCases {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{KServe: e.version(), Section: compatibility.Autoscalers, Problem: c.problem}
			t.Run("without", func(t *testing.T) { row.Without = e.loseAutoscaler(t, c) })
			t.Run("with", func(t *testing.T) { row.With = e.keepAutoscaler(t, c) })
			e.record(t, row)
		})
	}
}

// loseAutoscaler applies the app as it is and returns what becomes of its autoscaler.
func (e *environment) loseAutoscaler(t *testing.T, c autoscalerCase) string {
	namespace := e.cluster.Namespace(t, c.id+"-without")
	history := namespace.Record(c.kind())
	c.apply(t, namespace, asWritten(t, filepath.Join(c.app.write(t), c.source)))
	for range losses {
		e.reconcile(namespace, c.service(), c.deployment)
		if gone(history.Of(c.autoscaler)) {
			break
		}
	}
	seen := fate(history.Of(c.autoscaler))
	if len(scalersOf(namespace, c.deployment)) > 1 {
		seen = append(seen, "a second autoscaler, KServe's HPA")
	}
	if len(seen) == 0 {
		t.Fatalf("nothing happened to the autoscaler: the failure was not reproduced")
	}
	return strings.Join(seen, ", ")
}

// keepAutoscaler applies what the plugin makes of the app and watches its autoscaler live.
func (e *environment) keepAutoscaler(t *testing.T, c autoscalerCase) string {
	namespace := e.cluster.Namespace(t, c.id+"-with")
	dir := c.app.write(t)
	history := namespace.Record(c.kind())
	manifests := e.plugin.generate(t, dir, c.source, namespace.Name)
	c.apply(t, namespace, manifests)
	name := c.renamed(t, manifests)
	before := namespace.Get(c.kind(), name)
	e.reconcile(namespace, c.service(), c.deployment)
	// KServe's own HPA of the time before goes with the first reconcile.
	namespace.Eventually(patience, "one autoscaler", func() error { return onlyScaler(namespace, c.deployment, name) })

	ticker := time.NewTicker(survival / reconciles)
	defer ticker.Stop()
	for range reconciles {
		e.reconcile(namespace, c.service(), c.deployment)
		if err := onlyScaler(namespace, c.deployment, name); err != nil {
			t.Fatal(err)
		}
		<-ticker.C
	}
	after := namespace.Get(c.kind(), name)
	if before.GetUID() != after.GetUID() || !reflect.DeepEqual(before.Object["spec"], after.Object["spec"]) {
		t.Fatalf("the autoscaler is another one:\n%v\n%v", before.Object, after.Object)
	}
	if seen := fate(history.Of(name)); len(seen) > 0 {
		t.Fatalf("the autoscaler was %s", strings.Join(seen, ", "))
	}
	if c.scaled {
		replicas, _, _ := unstructured.NestedInt64(namespace.Get(objects.Deployments, c.deployment).Object, "spec", "replicas")
		if replicas != 2 {
			t.Fatalf("the Deployment has %d replicas: the HPA does not scale it", replicas)
		}
	}
	if name == c.autoscaler {
		return "survives"
	}
	return "survives as " + name
}

func (c autoscalerCase) kind() schema.GroupVersionResource {
	if c.scaled {
		return objects.HPAs
	}
	return objects.ScaledObjects
}

// service is the name of the InferenceService whose component the Deployment is.
func (c autoscalerCase) service() string { return c.deployment[:strings.LastIndex(c.deployment, "-")] }

// apply brings the service and the autoscaler into the namespace, one after the other.
func (c autoscalerCase) apply(t *testing.T, namespace *objects.Namespace, manifests []*unstructured.Unstructured) {
	t.Helper()
	deployed := func() {
		namespace.Eventually(patience, "the Deployment is available", func() error {
			deployment := namespace.Find(objects.Deployments, c.deployment)
			if deployment == nil {
				return fmt.Errorf("there is no Deployment %s", c.deployment)
			}
			return objects.Condition(deployment, "Available", "True")
		})
	}
	if c.live != "" {
		namespace.Apply(c.live)
		deployed()
		namespace.Eventually(patience, "KServe's own HPA", func() error {
			if namespace.Find(objects.HPAs, c.deployment) == nil {
				return fmt.Errorf("there is no HPA %s", c.deployment)
			}
			return nil
		})
	}
	isService := func(o *unstructured.Unstructured) bool { return o.GetKind() == "InferenceService" }
	services, autoscalers := partition(manifests, isService)
	if c.first {
		namespace.ApplyObjects(autoscalers...)
	}
	namespace.ApplyObjects(services...)
	deployed()
	if !c.first {
		namespace.ApplyObjects(autoscalers...)
	}
}

// renamed is the name of the user's autoscaler in what the plugin printed.
func (c autoscalerCase) renamed(t *testing.T, manifests []*unstructured.Unstructured) string {
	t.Helper()
	var names []string
	for _, object := range manifests {
		if object.GetKind() != "InferenceService" {
			names = append(names, object.GetName())
		}
	}
	if len(names) != 1 {
		t.Fatalf("the plugin printed the autoscalers %v", names)
	}
	return names[0]
}

// reconcile makes KServe reconcile the service, and returns when it has: it copies annotations to the pod template.
func (e *environment) reconcile(namespace *objects.Namespace, service, deployment string) {
	const annotation = "e2e/reconcile"
	value := fmt.Sprint(e.pokes.Add(1))
	namespace.Patch(objects.InferenceServices, service, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, annotation, value))
	namespace.Eventually(patience, "KServe reconciles "+service, func() error {
		object := namespace.Find(objects.Deployments, deployment)
		if object == nil {
			return fmt.Errorf("there is no Deployment %s", deployment)
		}
		annotations, _, err := unstructured.NestedStringMap(object.Object, "spec", "template", "metadata", "annotations")
		if err == nil && annotations[annotation] != value {
			err = fmt.Errorf("the Deployment has %s=%q, not %q", annotation, annotations[annotation], value)
		}
		return err
	})
}

// scalersOf lists the autoscalers of both kinds that target the Deployment.
func scalersOf(namespace *objects.Namespace, deployment string) []string {
	var names []string
	for _, kind := range []schema.GroupVersionResource{objects.HPAs, objects.ScaledObjects} {
		for _, object := range namespace.List(kind, "") {
			if target, _, _ := unstructured.NestedString(object.Object, "spec", "scaleTargetRef", "name"); target == deployment {
				names = append(names, object.GetName())
			}
		}
	}
	return names
}

func onlyScaler(namespace *objects.Namespace, deployment, name string) error {
	if scalers := scalersOf(namespace, deployment); !slices.Equal(scalers, []string{name}) {
		return fmt.Errorf("the autoscalers of %s are %v, not %s alone", deployment, scalers, name)
	}
	return nil
}

// fate says what happened to an object after it was created, in the words of the table; nothing when nothing did.
func fate(events []objects.Event) []string {
	var seen []string
	add := func(text string) {
		if !slices.Contains(seen, text) {
			seen = append(seen, text)
		}
	}
	mine, free, finalizer := false, false, false
	for _, event := range events {
		owned := slices.ContainsFunc(event.Object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owner.Kind == "InferenceService" })
		maximum, _, _ := unstructured.NestedInt64(event.Object.Object, "spec", "maxReplicas")
		if mine && maximum != usersMaximum {
			add("overwritten")
		}
		mine = mine || maximum == usersMaximum
		if owned && free {
			add("adopted")
		}
		free = !owned
		held := len(event.Object.GetFinalizers()) > 0
		if finalizer && !held {
			add("finalizer dropped")
		}
		finalizer = held
		if event.Object.GetDeletionTimestamp() != nil && held {
			add("deleted but held by the finalizer")
		}
		if event.Type == watch.Deleted {
			add("deleted")
		}
	}
	return seen
}

func gone(events []objects.Event) bool {
	return len(events) > 0 && events[len(events)-1].Type == watch.Deleted
}

func partition[T any](items []T, in func(T) bool) (yes, no []T) {
	for _, item := range items {
		if in(item) {
			yes = append(yes, item)
		} else {
			no = append(no, item)
		}
	}
	return yes, no
}
