package cluster

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// kedaVersions are the releases of KServe that run beside KEDA.
var kedaVersions = []string{"v0.15.2", "v0.20.0"}

// kedaTable is what TestKEDA has measured.
var kedaTable = compatibility.Table{Document: &compatibility.KEDA}

// TestKEDA runs the plugin against KServe beside KEDA's operator and admission webhook.
func TestKEDA(t *testing.T) {
	for _, version := range chosenOf(t, kedaVersions) {
		t.Run(version, func(t *testing.T) {
			cluster := controlplane.Start(t)
			installed := kserve.InstallServices(t, cluster, version, "RawDeployment")
			e := environmentOf(t, cluster, installed, "Standard", &kedaTable)
			kserve.InstallKEDA(t, cluster)
			t.Run("classes", e.testKEDAClasses)
			t.Run("syncs", e.testKEDASyncs)
		})
	}
	syncTable(t, &kedaTable)
}

func (e *environment) testKEDAClasses(t *testing.T) {
	t.Parallel()
	for _, tc := range kedaCases {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{Section: compatibility.KEDAClasses, Problem: tc.problem}
			t.Run("without", func(t *testing.T) { row.Without = e.loseScaledObject(t, tc) })
			t.Run("with", func(t *testing.T) { row.With = e.keepScaledObject(t, tc) })
			e.record(t, row)
		})
	}
}

// loseScaledObject applies the app as it is, has KServe reconcile until its ScaledObject has come to the expected end,
// and returns all that became of it.
func (e *environment) loseScaledObject(t *testing.T, c kedaCase) string {
	namespace := e.cluster.Namespace(t, "so-"+c.id+"-without")
	namespace.Apply(kedaService(c.annotations))
	e.awaitOwnScaler(namespace, c)
	histories := recordScaling(namespace)
	object := parseOne(t, c.scaledObject())
	if strings.HasPrefix(c.end, "refused") {
		reason := ""
		namespace.Eventually("KEDA refuses the ScaledObject", func() error {
			err := namespace.Try(object)
			if err == nil { // the webhook's cache knows nothing of the other autoscaler yet
				namespace.Delete(objects.ScaledObjects, c.name)
				return fmt.Errorf("it is accepted")
			}
			reason = refusal(err.Error())
			return nil
		})
		if reason != c.end {
			t.Fatalf("it was %s, not %s", reason, c.end)
		}
		return reason
	}
	namespace.ApplyObjects(object)
	hpa := hpaName(c.name, c.hpa)
	if c.end == unharmed {
		e.watchScaledObject(t, namespace, histories, c.name, hpa)
		return unharmed
	}
	var seen string
	namespace.Eventually("the ScaledObject's end: "+c.end, func() error {
		e.reconcile(namespace, "model", "model-predictor")
		if seen = histories.fate(c.name, hpa); !strings.HasPrefix(seen, c.end) {
			return fmt.Errorf("the failure was not reproduced: %s", seen)
		}
		return nil
	})
	return c.end
}

// awaitOwnScaler waits until KServe has deployed the service and made what it makes for the class.
func (e *environment) awaitOwnScaler(namespace *objects.Namespace, c kedaCase) {
	namespace.Eventually("KServe has deployed the service", func() error {
		deployment := namespace.Find(objects.Deployments, "model-predictor")
		if deployment == nil {
			return fmt.Errorf("there is no Deployment")
		}
		kind := objects.HPAs
		switch c.end {
		case refusedByHPA:
		case refusedByObject, overwritten:
			kind = objects.ScaledObjects
		default:
			return objects.Condition(deployment, "Available", "True")
		}
		if own := namespace.Find(kind, "model-predictor"); own == nil || !ownedByService(own) {
			return fmt.Errorf("KServe has made none of %s", kind.Resource)
		}
		return nil
	})
}

// keepScaledObject applies what the plugin makes of the app and watches its ScaledObject live.
func (e *environment) keepScaledObject(t *testing.T, c kedaCase) string {
	namespace := e.cluster.Namespace(t, "so-"+c.id+"-with")
	generated := e.plugin.generate(t, c.app().write(t), "", namespace.Name)
	services, scalers := partition(generated, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "InferenceService"
	})
	namespace.ApplyObjects(services...)
	namespace.Eventually("KServe has deployed the service", func() error {
		if namespace.Find(objects.Deployments, "model-predictor") == nil {
			return fmt.Errorf("there is no Deployment")
		}
		return nil
	})
	histories := recordScaling(namespace)
	if len(scalers) != 1 || scalers[0].GetName() != c.name {
		t.Fatalf("the plugin printed %v", scalers)
	}
	namespace.Eventually("KEDA accepts the ScaledObject", func() error { return namespace.Try(scalers[0]) })
	configured, _, _ := unstructured.NestedString(
		scalers[0].Object, "spec", "advanced", "horizontalPodAutoscalerConfig", "name")
	e.watchScaledObject(t, namespace, histories, c.name, hpaName(c.name, configured))
	if configured != c.hpa {
		return unharmed + ", its HPA is " + configured
	}
	return unharmed
}

// watchScaledObject expects that the ScaledObject and KEDA's HPA scale the Deployment, through ten reconciles, with
// nothing beside them and nothing changed.
func (e *environment) watchScaledObject(
	t *testing.T, namespace *objects.Namespace, histories scalingHistory, name, hpa string,
) {
	t.Helper()
	namespace.Eventually("KEDA's HPA scales the Deployment", func() error {
		if namespace.Find(objects.HPAs, hpa) == nil {
			return fmt.Errorf("there is no HPA %s", hpa)
		}
		return hasReplicas(namespace, "model-predictor", 2)
	})
	object, before := namespace.Get(objects.ScaledObjects, name), namespace.Get(objects.HPAs, hpa)
	for range reconciles + 1 { // one more, so that the last of them has ended
		e.reconcile(namespace, "model", "model-predictor")
		if seen := histories.fate(name, hpa); seen != "" {
			t.Fatalf("the ScaledObject was %s", seen)
		}
		if scalers := scalersOf(namespace, "model-predictor"); !slices.Equal(scalers, []string{hpa, name}) {
			t.Fatalf("the autoscalers are %v, not only %s and its %s", scalers, name, hpa)
		}
	}
	if err := hasReplicas(namespace, "model-predictor", 2); err != nil {
		t.Fatal(err)
	}
	object2, after := namespace.Get(objects.ScaledObjects, name), namespace.Get(objects.HPAs, hpa)
	if object.GetUID() != object2.GetUID() || before.GetUID() != after.GetUID() ||
		!reflect.DeepEqual(object.Object["spec"], object2.Object["spec"]) {
		t.Fatalf("the autoscaler is another one:\n%v\n%v", object.Object, object2.Object)
	}
}

// scalingHistory is what happened in a namespace to what scales and what is scaled.
type scalingHistory struct{ scaledObjects, hpas, deployments *objects.History }

func recordScaling(namespace *objects.Namespace) scalingHistory {
	return scalingHistory{
		namespace.Record(objects.ScaledObjects), namespace.Record(objects.HPAs), namespace.Record(objects.Deployments),
	}
}

// fate says what happened to a ScaledObject and its HPA after they were created, in the words of the table; "" when
// nothing did.
func (h scalingHistory) fate(name, hpa string) string {
	if seen := fate(h.scaledObjects.Of(name)); len(seen) > 0 {
		return strings.Join(seen, ", ")
	}
	events := h.hpas.Of(hpa)
	if seen := fate(events); len(seen) > 0 {
		text := "KEDA's HPA is " + strings.Join(seen, ", ") + " by KServe"
		if last := events[len(events)-1]; slices.Contains(seen, deleted) && last.Type != watch.Deleted {
			text += " and made again by KEDA"
		}
		return text
	}
	var replicas []int64
	for _, event := range h.deployments.Of("model-predictor") {
		count, _, _ := unstructured.NestedInt64(event.Object.Object, "spec", "replicas")
		if len(replicas) == 0 || count != replicas[len(replicas)-1] {
			replicas = append(replicas, count)
		}
	}
	if len(replicas) > 2 { // 1 of KServe's, 2 of the HPA's, and another one
		return resetReplicas
	}
	return ""
}

var (
	denied    = regexp.MustCompile(`(?s)denied the request: (.*)`)
	managedBy = regexp.MustCompile(`already managed by .*`)
	// KEDA runs its checks in any order: the one of HPAs sees the HPA of a ScaledObject.
	madeHPA = regexp.MustCompile(`hpa 'keda-hpa-(.*)'`)
)

// refusal is what KEDA's webhook has against an object, or else the message as it is.
func refusal(message string) string {
	reason := denied.FindStringSubmatch(message)
	if reason == nil {
		return message
	}
	if managed := managedBy.FindString(reason[1]); managed != "" {
		reason[1] = madeHPA.ReplaceAllString(managed, "ScaledObject '$1'")
	}
	return "refused by KEDA: " + strings.TrimSpace(reason[1])
}

func parseOne(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	parsed, err := objects.Parse([]byte(manifest))
	if err != nil || len(parsed) != 1 {
		t.Fatalf("%d objects, %v", len(parsed), err)
	}
	return parsed[0]
}
