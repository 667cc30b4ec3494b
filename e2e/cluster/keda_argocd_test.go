package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/argocd"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// testKEDASyncs has the newest Argo CD sync what KEDA may refuse.
func (e *environment) testKEDASyncs(t *testing.T) {
	t.Parallel()
	applications.InstallKinds(t, e.cluster)
	newest := argocd.Versions[len(argocd.Versions)-1]
	s := &synced{environment: e, argo: e.startArgoCD(t, newest), id: "keda"}
	s.configureHealth(t)
	for _, tc := range kedaSyncs {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{Section: compatibility.KEDASyncs, Problem: tc.problem, Without: "-"}
			if !tc.repair {
				t.Run("without", func(t *testing.T) { row.Without = s.syncScaledObject(t, tc, false) })
			}
			t.Run("with", func(t *testing.T) { row.With = s.syncScaledObject(t, tc, true) })
			s.record(t, row)
		})
	}
}

// syncScaledObject deploys what was there before, then the app, and returns what came of the app.
func (s *synced) syncScaledObject(t *testing.T, c kedaSync, plugin bool) string {
	source := applications.Source{Prune: true, Options: c.options, Retry: c.retry, Compare: c.compare}
	a, repository := s.deploy(t, fmt.Sprintf("%s-%t", c.id, plugin), c.before, source)
	namespace := a.Namespace()
	a.Await("Synced", func(state applications.State) bool { return state.Sync == "Synced" && !state.Syncing })
	if c.live != "" {
		namespace.Eventually("what was there before", func() error { return liveScaler(namespace, c.live) })
	}
	tries := s.argo.In(t).Record(objects.Applications)
	services := namespace.Record(objects.InferenceServices)
	histories := recordScaling(namespace)
	repository.Write("app.yaml", c.app)
	source.Repository, source.Plugin = repository, plugin
	revision := repository.Commit()
	s.argo.Deploy(t, a.Name, source)
	a.Refresh()
	state := a.Await("at an end", func(state applications.State) bool {
		done := state.Sync == "Synced" && state.Health == "Healthy"
		return state.Revision == revision && !state.Syncing && (done || state.Failed)
	})
	refused := refusals(tries.Of(a.Name))
	text := "Synced and Healthy at once"
	switch {
	case state.Failed:
		text = "fails"
		refused = refused[max(0, len(refused)-1):]
	case c.races:
		text, refused = "Synced and Healthy, at once or after a retry", nil
	case len(refused) > 0:
		text = "Synced and Healthy after a retry"
	}
	if state.Failed && c.freed && plugin {
		namespace.Delete(objects.ScaledObjects, "model-predictor")
		namespace.Eventually("a sync succeeds", func() error { // KEDA takes a moment to let it go
			if a.Sync(); a.State().Failed {
				return fmt.Errorf("it failed: %s", a.State().Failure)
			}
			return nil
		})
		state = a.AwaitHealthy()
		text = "fails once; Synced and Healthy after KServe's is deleted and another sync"
	}
	name := parseLast(t, c.app).GetName()
	if !state.Failed {
		namespace.Eventually("KEDA's HPA scales the Deployment", func() error {
			if scalers := scalersOf(namespace, "model-predictor"); len(scalers) != 2 || !slices.Contains(scalers, name) {
				return fmt.Errorf("the autoscalers are %v", scalers)
			}
			return hasReplicas(namespace, "model-predictor", cmp.Or(c.replicas, 2))
		})
	}
	for _, event := range slices.Concat(
		services.Of("model"), histories.deployments.Of("model-predictor"), histories.scaledObjects.Of(name),
	) {
		if event.Type == watch.Deleted {
			t.Fatalf("%s %s was deleted", event.Object.GetKind(), event.Object.GetName())
		}
	}
	return strings.Join(append([]string{text}, refused...), ", ")
}

// refusals are the reasons for which ScaledObjects were refused in the syncs of an Application.
func refusals(events []objects.Event) []string {
	var reasons []string
	for _, event := range events {
		resources, _, _ := unstructured.NestedSlice(
			event.Object.Object, "status", "operationState", "syncResult", "resources")
		for _, entry := range resources {
			resource, ok := entry.(map[string]any)
			if !ok || resource["kind"] != "ScaledObject" || resource["status"] != "SyncFailed" {
				continue
			}
			message, _ := resource["message"].(string)
			if reason := refusal(message); !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	return reasons
}

// parseLast returns the last object of a manifest.
func parseLast(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	parsed, err := objects.Parse([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	return parsed[len(parsed)-1]
}

// liveScaler is a condition: the autoscaler is there, and the Deployment's pods are.
func liveScaler(namespace *objects.Namespace, name string) error {
	if scalers := scalersOf(namespace, "model-predictor"); !slices.Contains(scalers, name) {
		return fmt.Errorf("the autoscalers are %v", scalers)
	}
	deployment := namespace.Find(objects.Deployments, "model-predictor")
	if deployment == nil {
		return fmt.Errorf("there is no Deployment")
	}
	return objects.Condition(deployment, "Available", "True")
}
