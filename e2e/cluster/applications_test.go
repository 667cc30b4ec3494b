package cluster

import (
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// syncedCase is an app that Argo CD cannot keep Synced and Healthy without the plugin.
type syncedCase struct {
	problem string
	id      string
	app     app
	fight   string        // the autoscaler that KServe and Argo CD fight for; "" where the service itself drifts
	wrong   kserve.Window // the releases of KServe on which it is
	rule    string        // without which the plugin cannot help; "" for one that every build has
}

const framework = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model}
spec:
  predictor:
    sklearn:
      storageUri: gs://example/model
`

const quantities = `
      - name: kserve-container
        image: example.invalid/model:1
        ports: [{containerPort: 8080, protocol: TCP}]
        resources: {requests: {cpu: 1000m, memory: 2048Mi}, limits: {cpu: "1", memory: 2Gi}}
`

var syncedCases = []syncedCase{
	{
		problem: "HPA named like KServe's, class external", id: "fight", fight: "model-predictor",
		app: app{"service.yaml": service(external, ""), "hpa.yaml": hpa("model-predictor", "model-predictor", "[]")},
	},
	{
		problem: "predictor given as `sklearn:`", id: "framework", rule: "KS601",
		app: app{"app.yaml": framework},
	},
	{
		problem: "quantities `1000m` and `2048Mi`", id: "quantities", rule: "KS602",
		app: app{"app.yaml": `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model}
spec:
  predictor:
    containers:` + quantities},
	},
	{
		problem: "`deploymentMode: RawDeployment`", id: "mode",
		app:   app{"app.yaml": service("{"+modeAnnotation+": RawDeployment}", "")},
		wrong: kserve.Window{From: "v0.17.0"},
	},
}

// cases are those that fail on this release of KServe and that the plugin claims to repair.
func (s *synced) cases(t *testing.T) []syncedCase {
	t.Helper()
	claimed, _ := partition(syncedCases, func(c syncedCase) bool {
		return c.wrong.Has(s.kserve.Version) && s.plugin.has(t, c.rule)
	})
	return claimed
}

// testUnrepaired deploys the apps as they are, and returns what Argo CD makes of them by case.
func (s *synced) testUnrepaired(t *testing.T) map[string]string {
	var mu sync.Mutex
	seen := map[string]string{}
	t.Run("without", func(t *testing.T) {
		for _, tc := range s.cases(t) {
			t.Run(tc.id, func(t *testing.T) {
				t.Parallel()
				a, _ := s.deploy(t, tc.id+"-without", tc.app, applications.Source{Prune: true})
				a.AwaitSync(applications.State{})
				text := ""
				if tc.fight == "" {
					text = s.drift(t, a)
				} else {
					text = s.fight(t, a, tc.fight)
				}
				mu.Lock()
				defer mu.Unlock()
				seen[tc.id] = text
			})
		}
	})
	return seen
}

// testRepaired deploys what the plugin makes of the apps.
func (s *synced) testRepaired(t *testing.T, without map[string]string) {
	t.Parallel()
	for _, tc := range s.cases(t) {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			a, _ := s.deploy(t, tc.id, tc.app, applications.Source{Plugin: true, Prune: true})
			a.AwaitHealthy()
			if tc.fight != "" {
				// KServe adopts an autoscaler in the first, deletes it in the next, and has finished that when the third begins.
				for range 3 {
					s.reconcile(a.Namespace(), "model", "model-predictor")
				}
			}
			with := "Synced and Healthy through 10 refreshes"
			if tc.fight != "" && replicasForced.Has(s.kserve.Version) {
				with += forced
			} else {
				s.settle(a)
			}
			s.refreshes(t, a)
			s.record(t, compatibility.Row{Section: compatibility.Applications, Problem: tc.problem,
				Without: without[tc.id], With: with})
		})
	}
}

// drift follows Argo CD through syncs that heal nothing: it starts the next one only because it sees a difference
// again.
func (s *synced) drift(t *testing.T, a *applications.Application) string {
	t.Helper()
	state := a.State()
	for range 3 {
		state = a.AwaitSync(state)
		if now := a.Refresh(); now.Sync != "OutOfSync" {
			t.Fatalf("it is %v after a sync: the failure was not reproduced", now)
		}
	}
	return "OutOfSync after every sync"
}

// fight makes KServe look at the service until its autoscaler is gone, and waits until Argo CD creates it again. That
// takes longer each time: self-heal backs off.
func (e *environment) fight(t *testing.T, a *applications.Application, autoscaler string) string {
	t.Helper()
	namespace := a.Namespace()
	var live types.UID
	exists := func() error {
		object := namespace.Find(objects.HPAs, autoscaler)
		if object == nil {
			return fmt.Errorf("there is no HPA %s", autoscaler)
		}
		live = object.GetUID()
		return nil
	}
	namespace.Eventually("Argo CD's autoscaler", exists)
	for range 2 {
		lost := live
		namespace.Eventually("KServe deletes the autoscaler", func() error {
			e.reconcile(namespace, "model", "model-predictor")
			if exists() == nil && live == lost {
				return fmt.Errorf("it lives")
			}
			return nil
		})
		namespace.Eventually("Argo CD creates the autoscaler again", exists)
	}
	return "deleted by KServe and created again by Argo CD, alternately"
}
