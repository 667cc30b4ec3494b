package cluster

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// replicasForced are the releases that set the replicas of a Deployment back at every reconcile, also with class
// external (checkDeploymentExist in deployment_reconciler.go@v0.15.0). No manifest prevents it: the plugin says so.
var replicasForced = kserve.Window{From: "v0.15.0", Before: "v0.15.1"}

const forced = ", but KServe sets the replicas back: reported"

// replicasLost are the releases that set the replicas of a Deployment to 1 whenever they change it, also with class
// external. The HPA sets them again (Reconcile in deployment_reconciler.go@v0.13.1 and @v0.14.1).
var replicasLost = kserve.Window{Before: "v0.14.0"}

const lost = ", but each change of the pods sets the replicas to 1 until the HPA sets them again"

// reconciles are those that an autoscaler has to survive. KServe adopts in one and deletes in the next.
const reconciles = 10

func (e *environment) testAutoscalers(t *testing.T) {
	t.Parallel()
	cases := slices.Concat(autoscalerCases, graphCases(e.kserve.Version))
	for _, tc := range cases {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{Section: compatibility.Autoscalers, Problem: tc.problem}
			t.Run("without", func(t *testing.T) { row.Without = e.loseAutoscaler(t, tc) })
			t.Run("with", func(t *testing.T) { row.With = e.keepAutoscaler(t, tc) })
			e.record(t, row)
		})
	}
}

// loseAutoscaler applies the app as it is, has KServe reconcile until its autoscaler has come to the expected end, and
// returns all that became of it.
func (e *environment) loseAutoscaler(t *testing.T, c autoscalerCase) string {
	namespace := e.cluster.Namespace(t, c.id+"-without")
	manifests := asWritten(t, filepath.Join(c.app.write(t), c.source))
	var seen []string
	namespace.Eventually("KServe sees the app as a whole", func() error {
		history := c.apply(t, namespace, manifests)
		namespace.Eventually("the autoscaler's end: "+c.end, func() error {
			e.reconcile(namespace, c.service(), c.deployment)
			seen = fate(history.Of(c.autoscaler))
			if len(scalersOf(namespace, c.deployment)) > 1 {
				seen = append(seen, second)
			}
			if len(seen) == 0 || !strings.HasPrefix(seen[len(seen)-1], c.end) {
				return fmt.Errorf("the failure was not reproduced, only %v", seen)
			}
			return nil
		})
		if c.live != "" && slices.Contains(seen, overwritten) {
			return fmt.Errorf("KServe reconciled between the app's autoscaler and the app's service")
		}
		return nil
	})
	return strings.Join(seen, ", ")
}

// keepAutoscaler applies what the plugin makes of the app and watches its autoscaler live.
func (e *environment) keepAutoscaler(t *testing.T, c autoscalerCase) string {
	namespace := e.cluster.Namespace(t, c.id+"-with")
	dir := c.app.write(t)
	manifests := e.plugin.generate(t, dir, c.source, namespace.Name)
	deployments := namespace.Record(objects.Deployments)
	history := c.apply(t, namespace, manifests)
	name := c.renamed(t, manifests)
	before := namespace.Get(c.kind(), name)
	intact := func() {
		t.Helper()
		if seen := fate(history.Of(name)); len(seen) > 0 {
			t.Fatalf("the autoscaler was %s", strings.Join(seen, ", "))
		}
	}
	e.reconcile(namespace, c.service(), c.deployment)
	// KServe's own HPA of the time before goes with the first reconcile.
	namespace.Eventually("one autoscaler", func() error {
		intact()
		return onlyScaler(namespace, c.deployment, name)
	})
	forces := replicasForced.Has(e.kserve.Version)
	loses := c.scaled && replicasLost.Has(e.kserve.Version)

	for visit := range reconciles {
		if loses || visit == 0 && c.scaled && !forces {
			namespace.Eventually("the HPA scales the Deployment", func() error {
				intact()
				return hasReplicas(namespace, c.deployment, 2)
			})
		}
		e.reconcile(namespace, c.service(), c.deployment)
		intact()
		if err := onlyScaler(namespace, c.deployment, name); err != nil {
			t.Fatal(err)
		}
	}
	e.reconcile(namespace, c.service(), c.deployment) // so that the last of them has ended
	intact()
	after := namespace.Get(c.kind(), name)
	if before.GetUID() != after.GetUID() || !reflect.DeepEqual(before.Object["spec"], after.Object["spec"]) {
		t.Fatalf("the autoscaler is another one:\n%v\n%v", before.Object, after.Object)
	}
	outcome := "survives"
	if name != c.autoscaler {
		outcome += " as " + name
	}
	switch {
	case forces:
		expectForced(namespace, deployments, c)
		findings, _, _ := e.plugin.Run(t, "check", "-o", "compact", filepath.Join(dir, c.source), "--root", dir)
		if !strings.Contains(findings, "upgrade to 0.15.1") {
			t.Fatalf("check does not report it:\n%s", findings)
		}
		outcome += forced
	case loses:
		awaitFight(namespace, deployments, c.deployment, 2)
		outcome += lost
	case c.scaled:
		if err := hasReplicas(namespace, c.deployment, 2); err != nil {
			t.Fatalf("the HPA does not scale: %v", err)
		}
	}
	return outcome
}

// expectForced returns when KServe has set back the replicas that an HPA, or the test in KEDA's place, has set.
func expectForced(namespace *objects.Namespace, deployments *objects.History, c autoscalerCase) {
	if c.scaled {
		awaitFight(namespace, deployments, c.deployment, 2)
		return
	}
	namespace.Patch(objects.Deployments, c.deployment, `{"spec":{"replicas":2}}`)
	namespace.Eventually("KServe sets the replicas back", func() error { return hasReplicas(namespace, c.deployment, 1) })
}

func (c autoscalerCase) kind() schema.GroupVersionResource {
	if c.scaled {
		return objects.HPAs
	}
	return objects.ScaledObjects
}

// service is the name of the InferenceService whose component the Deployment is, or of the graph.
func (c autoscalerCase) service() string {
	if c.deployment == graphName {
		return graphName
	}
	return c.deployment[:strings.LastIndex(c.deployment, "-")]
}

// apply brings the service and the autoscaler into the namespace, one after the other, and returns what happens to
// autoscalers from then on.
func (c autoscalerCase) apply(
	t *testing.T, namespace *objects.Namespace, manifests []*unstructured.Unstructured,
) *objects.History {
	t.Helper()
	deploy := func(services []*unstructured.Unstructured) {
		namespace.ApplyObjects(services...)
		namespace.Eventually("KServe has deployed the service", func() error { return c.deployed(namespace, services[0]) })
	}
	if c.live != "" {
		live, err := objects.Parse([]byte(c.live))
		if err != nil {
			t.Fatal(err)
		}
		deploy(live)
	}
	history := namespace.Record(c.kind())
	services, autoscalers := partition(manifests, ofKServe)
	if c.first {
		namespace.ApplyObjects(autoscalers...)
	}
	deploy(services)
	if !c.first {
		namespace.ApplyObjects(autoscalers...)
	}
	return history
}

// deployed is a condition: KServe has made the Deployment, its pods are available, and there is KServe's own HPA,
// unless the service asks for none.
func (c autoscalerCase) deployed(namespace *objects.Namespace, service *unstructured.Unstructured) error {
	deployment := namespace.Find(objects.Deployments, c.deployment)
	if deployment == nil {
		return fmt.Errorf("there is no Deployment %s", c.deployment)
	}
	if service.GetAnnotations()["serving.kserve.io/autoscalerClass"] == "" {
		if hpa := namespace.Find(objects.HPAs, c.deployment); hpa == nil || !ownedByService(hpa) {
			return fmt.Errorf("KServe has made no HPA %s", c.deployment)
		}
	}
	return objects.Condition(deployment, "Available", "True")
}

// renamed is the name of the user's autoscaler in what the plugin printed.
func (c autoscalerCase) renamed(t *testing.T, manifests []*unstructured.Unstructured) string {
	t.Helper()
	var names []string
	for _, object := range manifests {
		if !ofKServe(object) {
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
	kind := objects.InferenceServices
	if service == graphName {
		kind = objects.InferenceGraphs
	}
	value := fmt.Sprint(e.pokes.Add(1))
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, annotation, value)
	namespace.Patch(kind, service, patch)
	namespace.Eventually("KServe reconciles "+service, func() error {
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

// poke is a patch of an annotation that KServe passes on to nothing.
const poke = `{"metadata":{"annotations":{"internal.serving.kserve.io/storage-initializer-sourceuri":"%d"}}}`

// revisit makes KServe reconcile the service with no reason to change its Deployment, and returns when it has: the
// Ingress, which comes last, is there again. KServe looks for it in a cache, so that one visit may not do.
func (e *environment) revisit(namespace *objects.Namespace, service string) {
	lost := namespace.Get(objects.Ingresses, service).GetUID()
	namespace.Delete(objects.Ingresses, service)
	namespace.Eventually("KServe visits "+service, func() error {
		namespace.Patch(objects.InferenceServices, service, fmt.Sprintf(poke, e.pokes.Add(1)))
		if ingress := namespace.Find(objects.Ingresses, service); ingress == nil || ingress.GetUID() == lost {
			return fmt.Errorf("it has not made the Ingress again")
		}
		return nil
	})
}

func hasReplicas(namespace *objects.Namespace, deployment string, wanted int64) error {
	replicas, _, err := unstructured.NestedInt64(namespace.Get(objects.Deployments, deployment).Object, "spec", "replicas")
	if err == nil && replicas != wanted {
		err = fmt.Errorf("the Deployment %s has %d replicas, not %d", deployment, replicas, wanted)
	}
	return err
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
		return fmt.Errorf("the autoscalers of %s are %v, not only %s", deployment, scalers, name)
	}
	return nil
}

// What can become of the user's autoscaler, in the words of the table. The last two are ends, and so is the first where
// KServe wants an HPA of that name, and the second for a graph.
const (
	overwritten = "overwritten"
	adopted     = "adopted"
	deleted     = "deleted" // also of one that a finalizer holds
	second      = "a second autoscaler, KServe's HPA"
)

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
		owned := ownedByService(event.Object)
		maximum := maximumOf(event.Object)
		if mine && maximum != usersMaximum {
			add(overwritten)
		}
		mine = mine || maximum == usersMaximum
		if owned && free {
			add(adopted)
		}
		free = !owned
		held := len(event.Object.GetFinalizers()) > 0
		if finalizer && !held {
			add("finalizer dropped")
		}
		finalizer = held
		if event.Object.GetDeletionTimestamp() != nil && held {
			add(deleted + " but held by the finalizer")
		}
		if event.Type == watch.Deleted {
			add(deleted)
		}
	}
	return seen
}

// maximumOf is the upper bound of an HPA or a ScaledObject.
func maximumOf(scaler *unstructured.Unstructured) int64 {
	field := "maxReplicas"
	if scaler.GetKind() == "ScaledObject" {
		field = "maxReplicaCount"
	}
	maximum, _, _ := unstructured.NestedInt64(scaler.Object, "spec", field)
	return maximum
}

func ownedByService(object *unstructured.Unstructured) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
		return owner.Kind == "InferenceService" || owner.Kind == "InferenceGraph"
	})
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
