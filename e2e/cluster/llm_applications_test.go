package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// llmSyncedCase is an app of a Config, the service "qwen" of v1alpha2 and "llama" of v1alpha1, which Argo CD cannot
// keep Synced and Healthy without the plugin.
type llmSyncedCase struct {
	problem string
	id      string // also the folder below testdata/llm
	fails   func(*synced, *testing.T, *applications.Application) string
	wrong   kserve.Window // the releases of KServe on which something is
	rule    string        // without which the plugin cannot help
}

var llmSyncedCases = []llmSyncedCase{
	{
		problem: "an app with an exec probe in a Config, services of both API versions, and an HPA", id: "app",
		fails: (*synced).blockedApp, rule: "KS110",
	},
	{
		problem: "quantities `1000m` and `2048Mi` in services and a Config", id: "drift",
		fails: (*synced).drift, rule: "KS611", wrong: from017, // on 0.16 the second sync sticks
	},
}

// folder reads an app from a folder below testdata.
func folder(t *testing.T, name string) app {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", name, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no app %s: %v", name, err)
	}
	a := app{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a[filepath.Base(file)] = string(data)
	}
	return a
}

func (s *synced) llmCases(t *testing.T) []llmSyncedCase {
	t.Helper()
	claimed, _ := partition(llmSyncedCases, func(c llmSyncedCase) bool {
		return c.wrong.Has(s.kserve.Version) && s.plugin.has(t, c.rule)
	})
	return claimed
}

// testUnrepairedLLM deploys the apps as they are, and returns what Argo CD makes of them by case.
func (s *synced) testUnrepairedLLM(t *testing.T) map[string]string {
	var mu sync.Mutex
	seen := map[string]string{}
	t.Run("without", func(t *testing.T) {
		for _, tc := range s.llmCases(t) {
			t.Run(tc.id, func(t *testing.T) {
				t.Parallel()
				files := folder(t, filepath.Join("llm", tc.id)).in(s.kserve.Version)
				a, _ := s.deploy(t, "llm-"+tc.id+"-without", files, applications.Source{Prune: true})
				a.AwaitSync(applications.State{})
				text := tc.fails(s, t, a)
				mu.Lock()
				defer mu.Unlock()
				seen[tc.id] = text
			})
		}
	})
	return seen
}

// testRepairedLLM deploys what the plugin makes of the apps.
func (s *synced) testRepairedLLM(t *testing.T, without map[string]string) {
	t.Parallel()
	for _, tc := range s.llmCases(t) {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			files := folder(t, filepath.Join("llm", tc.id)).in(s.kserve.Version)
			a, _ := s.deploy(t, "llm-"+tc.id, files, applications.Source{Plugin: true, Prune: true})
			a.AwaitHealthy()
			awaitLLMRollout(a.Namespace())
			s.refreshes(t, a)
			s.record(t, compatibility.Row{Section: compatibility.LLM, Problem: tc.problem,
				Without: without[tc.id], With: "Synced and Healthy through 10 refreshes"})
		})
	}
}

// blockedApp expects Argo CD to be content with everything but the HPA, which finds no Deployment.
func (s *synced) blockedApp(t *testing.T, a *applications.Application) string {
	t.Helper()
	for _, name := range []string{"qwen", "llama"} {
		service := &llmApp{Namespace: a.Namespace(), service: name}
		service.awaitFalse("MainWorkloadReady", "ReconcileSingleNodeWorkloadError", twoHandlers)
	}
	state := a.Await("Synced, Degraded", func(s applications.State) bool {
		return s.Sync == "Synced" && s.Health == "Degraded"
	})
	return state.String() + ": both services are blocked"
}

// awaitLLMRollout waits until nobody has anything left to do for the services of a namespace, as awaitRollout does.
func awaitLLMRollout(namespace *objects.Namespace) {
	for _, service := range namespace.List(objects.LLMInferenceServices, "") {
		(&llmApp{Namespace: namespace, service: service.GetName()}).awaitReady()
	}
	namespace.Eventually("the pods are rolled out", func() error {
		deployments := namespace.List(objects.Deployments, "")
		for _, deployment := range deployments {
			if err := rolledOut(&deployment); err != nil {
				return fmt.Errorf("%s: %w", deployment.GetName(), err)
			}
		}
		for _, hpa := range namespace.List(objects.HPAs, "") {
			if err := scaled(&hpa); err != nil {
				return err
			}
		}
		return nil
	})
}
