package cluster

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// scaling is what TestScaling has measured.
var scaling = compatibility.Table{Document: &compatibility.Standard}

// TestScaling puts load on services with HPAs. Kubernetes' own controller of HPAs scales them, by metrics that the test
// sets.
func TestScaling(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			e := newEnvironment(t, controlplane.Start(t), version, &scaling)
			for _, section := range scaling.Document.Sections {
				if section != compatibility.Scaling {
					scaling.Skip(compatibility.Row{KServe: e.version(), Section: section})
				}
			}
			t.Run("applied", e.testScaling)
			t.Run("synced", e.testSyncedScaling)
		})
	}
	syncTable(t, &scaling)
}

// scalingApp is a deployed app.
type scalingApp struct {
	*objects.Namespace
	scalingCase
	t           *testing.T
	e           *environment
	argo        *applications.Application // nil where the test applies the app itself
	deployments *objects.History
}

func (e *environment) testScaling(t *testing.T) {
	t.Parallel()
	for _, tc := range e.scalingCases() {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			a := e.newScalingApp(t, tc, e.cluster.Namespace(t, "scaling-"+tc.id))
			row := compatibility.Row{Section: compatibility.Scaling, Problem: tc.problem}

			dir := a.app().write(t)
			a.apply(asWritten(t, dir))
			row.Without = tc.fails(a)
			a.apply(e.plugin.generate(t, dir, "", a.Name))
			row.With = a.repaired()
			e.record(t, row)
		})
	}
}

// testSyncedScaling has the newest Argo CD sync the apps, and heal them: first as they are, and then by the plugin.
func (e *environment) testSyncedScaling(t *testing.T) {
	t.Parallel()
	applications.InstallKinds(t, e.cluster)
	version := argocd.Versions[len(argocd.Versions)-1]
	s := &synced{environment: e, argo: e.startArgoCD(t, version), id: "argocd"}
	cases, _ := partition(e.scalingCases(), func(c scalingCase) bool { return c.synced })
	for _, tc := range cases {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			id := "scaling-" + tc.id
			a := e.newScalingApp(t, tc, e.cluster.Namespace(t, s.id+"-"+id))
			row := compatibility.Row{Section: compatibility.Scaling, Problem: tc.problem}
			source := applications.Source{Prune: true}
			a.argo, source.Repository = s.deploy(t, id, a.app(), source)
			a.argo.AwaitSync(applications.State{})
			a.settle()
			row.Without = tc.fails(a)

			source.Plugin = true
			s.argo.Deploy(t, a.Name, source)
			a.argo.Refresh()
			a.argo.AwaitHealthy()
			a.reconcile()
			row.With = a.repaired()
			s.record(t, row)
		})
	}
}

func (e *environment) scalingCases() []scalingCase {
	ran, _ := partition(scalingCases, func(c scalingCase) bool { return c.wrong.Has(e.kserve.Version) })
	return ran
}

func (e *environment) newScalingApp(t *testing.T, c scalingCase, namespace *objects.Namespace) *scalingApp {
	t.Helper()
	a := &scalingApp{Namespace: namespace, scalingCase: c, t: t, e: e, deployments: namespace.Record(objects.Deployments)}
	a.Apply(scalingManifests(t, "witness"))
	return a
}

// app is what is in Git, in the newest API version that the release has.
func (a *scalingApp) app() app {
	a.t.Helper()
	return app{"app.yaml": scalingManifests(a.t, cmp.Or(a.manifests, a.id))}.in(a.e.kserve.Version)
}

func scalingManifests(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "scaling", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// apply brings the service first, and the HPA when the service runs.
func (a *scalingApp) apply(manifests []*unstructured.Unstructured) {
	hpas, services := partition(manifests, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "HorizontalPodAutoscaler"
	})
	a.ApplyObjects(services...)
	a.settle()
	a.reconcile()
	a.settle()
	a.ApplyObjects(hpas...)
}

// reconcile makes KServe reconcile the service, and returns when it has.
func (a *scalingApp) reconcile() {
	service := a.deployment[:strings.LastIndex(a.deployment, "-")]
	if a.llm {
		llm := &llmApp{Namespace: a.Namespace, service: service}
		llm.awaitReady()
		llm.visit()
		return
	}
	a.e.reconcile(a.Namespace, service, a.deployment)
}

// settle waits until the Deployment has the pods that it wants, and no others.
func (a *scalingApp) settle() {
	a.Eventually("the pods are rolled out", func() error {
		deployment := a.Find(objects.Deployments, a.deployment)
		if deployment == nil {
			return fmt.Errorf("there is no Deployment %s", a.deployment)
		}
		return rolledOut(deployment)
	})
}

// load puts the load of so many replicas on the Deployment.
func (a *scalingApp) load(replicas int64) {
	a.e.cluster.SetLoad(a.Name, a.deployment, replicas*a.target)
}

func (a *scalingApp) awaitReplicas(wanted int64) {
	a.Eventually(fmt.Sprintf("%s has %d replicas", a.deployment, wanted), func() error {
		return hasReplicas(a.Namespace, a.deployment, wanted)
	})
}

// awaitTurn waits until every HPA of the namespace has looked at the load: that of the witness has twice.
func (a *scalingApp) awaitTurn() {
	for _, replicas := range []int64{2, 3} {
		a.e.cluster.SetLoad(a.Name, "witness", replicas*500)
		a.Eventually("the witness is scaled", func() error { return hasReplicas(a.Namespace, "witness", replicas) })
	}
}

// seen are the numbers of replicas that the Deployment had, one after the other.
func (a *scalingApp) seen() []int64 { return replicas(a.deployments.Of(a.deployment)) }
