package cluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// graphName is the name of the tests' InferenceGraph, and so of its Deployment and of the HPA that KServe makes.
const graphName = "routes"

// graphHPAKept are the releases that never delete the HPA of a graph (shouldDeleteHPA in
// reconcilers/hpa/hpa_reconciler.go@v0.15.1).
var graphHPAKept = kserve.Window{From: "v0.15.1"}

func graph(annotations string) string {
	return `
apiVersion: serving.kserve.io/v1alpha1
kind: InferenceGraph
metadata:
  name: ` + graphName + `
  annotations: ` + annotations + `
spec:
  minReplicas: 1
  maxReplicas: 3
  nodes:
    root:
      routerType: Sequence
      steps:
        - serviceUrl: http://model.example.invalid
`
}

// graphCases are autoscalers of the router of a graph. What KServe does to one depends on the release.
func graphCases(version string) []autoscalerCase {
	end := deleted
	if graphHPAKept.Has(version) {
		end = adopted
	}
	return []autoscalerCase{
		{
			problem: "HPA named like KServe's of an InferenceGraph, class external", id: "graph-same-name", scaled: true,
			app:        app{"app.yaml": graph(external) + hpa(graphName, graphName, "[]")},
			deployment: graphName, autoscaler: graphName, end: end,
		},
		{
			problem: "HPA of another name for an InferenceGraph, no class", id: "graph-other-name", scaled: true,
			app:        app{"app.yaml": graph("{}") + hpa("mine", graphName, "[]")},
			deployment: graphName, autoscaler: "mine", end: second,
		},
	}
}

// testGraphSwitch gives the class external to a graph that KServe has scaled, beside an HPA of the user's, and deletes
// KServe's HPA as the finding asks for it.
func (e *environment) testGraphSwitch(t *testing.T) {
	t.Parallel()
	row := compatibility.Row{Section: compatibility.Autoscalers,
		Problem: "HPA of another name for an InferenceGraph: class external, after KServe's own"}
	namespace := e.cluster.Namespace(t, "graph-switch")
	namespace.Apply(graph("{}"))
	namespace.Eventually("KServe scales the graph", func() error {
		if own := namespace.Find(objects.HPAs, graphName); own == nil || !ownedByService(own) {
			return fmt.Errorf("there is no HPA of KServe's")
		}
		return nil
	})
	dir := app{"app.yaml": graph("{}") + hpa("mine", graphName, "[]")}.write(t)
	findings, _, _ := e.plugin.Run(t, "check", "-o", "compact", dir)
	reported := strings.Contains(findings, "delete hpa "+graphName)
	if reported != graphHPAKept.Has(e.kserve.Version) {
		t.Fatalf("check names the HPA to delete: %t\n%s", reported, findings)
	}
	namespace.ApplyObjects(e.plugin.generate(t, dir, "", namespace.Name)...)
	alone := func() error { return onlyScaler(namespace, graphName, "mine") }
	if !graphHPAKept.Has(e.kserve.Version) {
		e.reconcile(namespace, graphName, graphName)
		namespace.Eventually("KServe deletes its HPA", alone)
		row.Without, row.With = second, "KServe deletes its own"
		e.record(t, row)
		return
	}
	for range reconciles {
		e.reconcile(namespace, graphName, graphName)
		if alone() == nil {
			t.Fatal("KServe has deleted its HPA")
		}
	}
	namespace.Delete(objects.HPAs, graphName)
	for range reconciles {
		e.reconcile(namespace, graphName, graphName)
	}
	if err := alone(); err != nil {
		t.Fatal(err)
	}
	row.Without, row.With = second, "reported; KServe's deleted once: it stays away"
	e.record(t, row)
}
