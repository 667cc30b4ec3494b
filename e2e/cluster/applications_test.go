package cluster

import (
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// syncedCase is an app that Argo CD cannot keep Synced and Healthy without the plugin.
type syncedCase struct {
	problem string
	id      string
	app     app
	fight   string   // the autoscaler that KServe and Argo CD fight for; "" where the service itself drifts
	fine    []string // releases of KServe on which nothing is wrong
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
		problem: "predictor given as `sklearn:`", id: "framework",
		app: app{"app.yaml": framework},
	},
	{
		problem: "quantities `1000m` and `2048Mi`", id: "quantities",
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
		app:  app{"app.yaml": service("{"+modeAnnotation+": RawDeployment}", "")},
		fine: []string{"v0.14.1", "v0.15.2"},
	},
}

// testApplications deploys each app as it is, and then what the plugin makes of it.
func (s *synced) testApplications(t *testing.T) {
	t.Parallel()
	for _, c := range syncedCases {
		if slices.Contains(c.fine, s.kserve.Version) {
			continue
		}
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{KServe: s.version(), ArgoCD: s.argoVersion(), Section: compatibility.Drift, Problem: c.problem}
			t.Run("without", func(t *testing.T) { row.Without = s.unrepaired(t, c) })
			t.Run("with", func(t *testing.T) { row.With = s.repaired(t, c) })
			s.record(t, row)
		})
	}
}

func (s *synced) unrepaired(t *testing.T, c syncedCase) string {
	a, _ := s.deploy(t, c.id+"-without", c.app, applications.Source{Prune: true})
	a.Await("synced", func(state applications.State) bool { return state.Syncs > 0 })
	if c.fight != "" {
		return s.fight(t, a, c.fight)
	}
	return drift(t, a)
}

func (s *synced) repaired(t *testing.T, c syncedCase) string {
	a, _ := s.deploy(t, c.id, c.app, applications.Source{Plugin: true, Prune: true})
	a.AwaitHealthy()
	if c.fight != "" {
		s.reconcile(a.Namespace(), "model", "model-predictor")
	}
	refreshes(t, a)
	return "Synced and Healthy through 10 refreshes"
}

// drift says what Argo CD sees after it has synced: the same at each look, or nothing can be said.
func drift(t *testing.T, a *applications.Application) string {
	t.Helper()
	for range 3 {
		if state := a.Refresh(); state.Sync != "OutOfSync" {
			t.Fatalf("it is %v: the failure was not reproduced", state)
		}
	}
	return "OutOfSync after every sync"
}

// fight makes KServe look at the service until Argo CD has had to create its autoscaler again.
func (s *synced) fight(t *testing.T, a *applications.Application, autoscaler string) string {
	t.Helper()
	namespace := a.Namespace()
	history := namespace.Record(objects.HPAs)
	for range reconciles {
		s.reconcile(namespace, "model", "model-predictor")
		a.Refresh()
		uids := map[string]bool{}
		for _, event := range history.Of(autoscaler) {
			uids[string(event.Object.GetUID())] = true
		}
		if len(uids) > 2 {
			return "deleted by KServe and created again by Argo CD, by turns"
		}
	}
	t.Fatalf("one autoscaler all the time, %v: the failure was not reproduced", fate(history.Of(autoscaler)))
	return ""
}
