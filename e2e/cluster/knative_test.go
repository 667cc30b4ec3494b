package cluster

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/knative"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// knativeVersions are the releases of KServe that run in Knative mode.
var knativeVersions = []string{"v0.15.2", "v0.20.0"}

// TestKnative runs KServe with Knative Serving, in the mode that is the default of what KServe ships.
func TestKnative(t *testing.T) {
	if !*knativeFlag {
		t.Skip("run it with -knative")
	}
	path, err := toolchain.Plugin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	table.Document = &knativePage
	for _, version := range versions {
		if !slices.Contains(knativeVersions, version) {
			continue
		}
		t.Run(version, func(t *testing.T) {
			cluster := controlplane.Start(t)
			knative.Install(t, cluster)
			e := &environment{
				cluster: cluster,
				kserve:  kserve.InstallServices(t, cluster, version),
				plugin:  plugin{path: path, kserveVersion: strings.TrimPrefix(version, "v"), defaultMode: "Knative"},
				table:   &table,
			}
			t.Run("ready", e.testKnativeReady)
			// The list of annotations is one for the whole cluster, so nothing runs beside this.
			t.Run("revisions", e.testKnativeRevisions)
			t.Run("probes", e.testKnativeProbes)
			t.Run("argocd", e.testKnativeArgoCD)
		})
	}
	table.Partial = t.Failed() || flag.Lookup("test.run").Value.String() != "^TestKnative$"
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Sync(filepath.Join(root, "docs", "knative.md"), *update); err != nil {
		t.Error(err)
	}
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
	s.argo.In(t).Apply(fmt.Sprintf(tracking, "annotation"))
	t.Run("bundled", func(t *testing.T) {
		t.Run("drift", func(t *testing.T) { s.testDrift(t, knativeDrift) })
	})
}

// knativeDrift are services in Knative mode that the cluster does not store as Git has them, and one that it does.
var knativeDrift = slices.Concat(
	[]driftCase{{
		problem: "`deploymentMode: Serverless`", id: "serverless", rule: "KS501",
		app:  inferenceService("  annotations: {"+modeAnnotation+": Serverless}\n", container("")),
		fine: []string{"v0.15.2"},
	}},
	slices.DeleteFunc(slices.Clone(driftCases), func(tc driftCase) bool {
		return tc.id == "legacy" || tc.id == "profile"
	}),
)

// knativePage is docs/knative.md.
var knativePage = compatibility.Document{
	Introduction: `# Knative mode

<!-- Written by make e2e-knative. It compares this page with what it measures; -update rewrites the page. -->

Knative mode is the default that KServe ships (` + "`Serverless`" + ` in its configuration). Every row was measured with the
release's own controller and webhooks, with the controller, autoscaler and webhook of Knative Serving 0.48.1 and on a
real Kubernetes 1.34 API server; Argo CD 3.5.7 synced the rows that name it.

- **Nearly every annotation and label of an InferenceService makes a new Revision**, which starts new pods, because KServe
  copies them to the pods. This includes what Argo CD writes to track its resources, in whichever way: adopting a live
  service, renaming its Application, or changing ` + "`application.resourceTrackingMethod`" + ` makes a new Revision of each
  service, once. ` + "`argocd-kserve-plugin health config -o inferenceservice-config`" + ` prints the list of annotations that
  KServe should not copy. It helps with annotations only: KServe has no such list for labels, so prefer
  ` + "`annotation`" + `, Argo CD's default since 3.0, to ` + "`label`" + ` and ` + "`annotation+label`" + `.
- The probes of Knative mode need no repair: Knative gives its queue-proxy a TCP probe in place of an exec probe, and
  KServe's agent gets the queue-proxy's.
- Knative forgets a failed revision 30 seconds after its deadline. Then only a
  [progress deadline](health.md#limits) can tell.
- With the annotation ` + "`serving.knative.dev/rollout-duration`" + `, the controller of Knative 0.48.1 ended with a panic when
  ` + "`canaryTrafficPercent`" + ` changed during a rollout (pkg/reconciler/route/traffic/rollout.go).
`,
	Sections: []string{revisionSection, compatibility.Probes, compatibility.Health, compatibility.Drift},
	Headers: map[string][]string{
		revisionSection: {
			"Change of an InferenceService", "KServe", "Argo CD", "KServe as it ships", "With our list of annotations",
		},
		compatibility.Health: {
			"What is the case", "KServe", "Argo CD", "Argo CD's own check", "[Our check](health.md)",
		},
	},
	Limits: `
## What these tables do not show

Stand-ins of the suite take the place of four things. kwok takes that of a kubelet: pods are scheduled and become ready, or
fail as a label says, but no container runs and no probe is executed. A gateway and its controller: every Ingress of
Knative is ready, and nothing routes a request. The queue-proxies: they say to the autoscaler that there is no request. The
activator: it has an address where nobody listens. The times of the autoscaler are shorter, images are not resolved to
digests, and KServe makes no Istio VirtualService. So not run at all: requests, scaling up by requests, and other releases
than those in the tables.
`,
}

const revisionSection = "New Revisions"
