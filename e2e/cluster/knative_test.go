package cluster

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/knative"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// knativeVersions are the releases of KServe that run in Knative mode.
var knativeVersions = []string{"v0.15.2", "v0.20.0"}

// knativeTable is what TestKnative has measured.
var knativeTable = compatibility.Table{Document: &compatibility.Knative}

// TestKnative runs KServe with Knative Serving, in the mode that is the default of what KServe ships.
func TestKnative(t *testing.T) {
	for _, version := range chosenOf(t, knativeVersions) {
		t.Run(version, func(t *testing.T) {
			cluster := controlplane.Start(t)
			knative.Install(t, cluster)
			installed := kserve.InstallServices(t, cluster, version, "Serverless")
			e := environmentOf(t, cluster, installed, "Knative", &knativeTable)
			t.Run("ready", e.testKnativeReady)
			// The list of annotations is one for the whole cluster, so nothing runs beside this.
			t.Run("revisions", e.testKnativeRevisions)
			t.Run("probes", e.testKnativeProbes)
			t.Run("argocd", e.testKnativeArgoCD)
		})
	}
	syncTable(t, &knativeTable)
}

// testKnativeReady is the shortest way through the whole stack.
func (e *environment) testKnativeReady(t *testing.T) {
	namespace := e.cluster.Namespace(t, "ready")
	namespace.Apply(service("{}", ""))
	awaitKnative(namespace)
}

// awaitKnative waits until Knative and KServe have nothing left to do for a service that can get ready.
func awaitKnative(namespace *objects.Namespace) {
	namespace.Eventually("the service has settled", func() error {
		live, owner := namespace.Find(knative.Services, "model-predictor"), namespace.Find(objects.InferenceServices, "model")
		if live == nil || owner == nil {
			return fmt.Errorf("the Knative Service or the InferenceService is missing")
		}
		if err := reconciled(live); err != nil {
			return err
		}
		if err := objects.Condition(live, "Ready", "True"); err != nil {
			return err
		}
		return settled(owner)
	})
}

// reconciled returns an error unless Knative's controller has seen the object's last change.
func reconciled(object *unstructured.Unstructured) error {
	seen, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if seen != object.GetGeneration() {
		return fmt.Errorf("generation %d of %s is %d in its status", object.GetGeneration(), object.GetKind(), seen)
	}
	return nil
}

// testKnativeArgoCD lets the newest Argo CD sync services.
func (e *environment) testKnativeArgoCD(t *testing.T) {
	applications.InstallKinds(t, e.cluster)
	newest := argocd.Versions[len(argocd.Versions)-1]
	s := e.syncedBy(t, newest)
	t.Run("tracking", s.testTracking) // nothing runs beside this: it changes settings of KServe and Argo CD
	checks := s.configureHealth(t)
	t.Run("configured", func(t *testing.T) {
		t.Run("health", func(t *testing.T) { s.testHealth(t, checks, knativeStates) })
	})
	s.argo.In(t).Apply(fmt.Sprintf(trackingMethod, applications.Annotation))
	t.Run("bundled", func(t *testing.T) {
		t.Run("drift", func(t *testing.T) { s.testDrift(t, knativeDrift) })
	})
}

// knativeDrift are services in Knative mode that the cluster does not store as Git has them, and one that it does.
var knativeDrift = slices.Concat(
	[]driftCase{{
		problem: "`deploymentMode: Serverless`", id: "serverless", rule: "KS501",
		app:   inferenceService("  annotations: {"+modeAnnotation+": Serverless}\n", container("")),
		wrong: kserve.Window{From: "v0.17.0"},
	}},
	slices.DeleteFunc(slices.Clone(driftCases), func(tc driftCase) bool {
		return tc.id == "legacy" || tc.id == "profile" || tc.id == "pruned" // KS606 leaves what Knative refuses
	}),
)
