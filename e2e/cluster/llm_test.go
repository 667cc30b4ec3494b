package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// llmCase is an app with an LLMInferenceService of which KServe does not make what Git says.
type llmCase struct {
	rule    string // that finds it
	problem string // in the table
	id      string // of its namespaces
	live    string // manifests that the cluster has, with a service that is ready, before the app comes
	app     app
	source  string        // folder of the app to render, "" for its top
	wrong   kserve.Window // the releases on which something is

	fails   outcome // what becomes of the app as it is
	refused string  // or what the API server's refusal says
	works   outcome // what becomes of what the plugin makes of it; nil where the plugin only reports
}

// outcome waits for what a case expects of a deployed app, and words it for the table.
type outcome func(*testing.T, *llmApp) string

// llmApp is a deployed app.
type llmApp struct {
	*objects.Namespace
	service     string // the name of its LLMInferenceService
	deployments *objects.History
	before      string // rollout of the service that was there before the app, "" for none
}

// llmManifests reads manifests of LLMInferenceServices.
func llmManifests(name string) string {
	data, err := os.ReadFile(filepath.Join("testdata", "llm", name+".yaml"))
	if err != nil {
		panic(err)
	}
	return string(data)
}

// in returns the app in the newest API version that the release has.
func (a app) in(release string) app {
	versioned := app{}
	for path, content := range a {
		versioned[path] = inVersion(release, content)
	}
	return versioned
}

func inVersion(release, manifests string) string {
	if to016.Has(release) {
		return strings.ReplaceAll(manifests, "serving.kserve.io/v1alpha2", "serving.kserve.io/v1alpha1")
	}
	return manifests
}

func (e *environment) testLLM(t *testing.T) {
	t.Parallel()
	for _, tc := range llmCases {
		if !tc.wrong.Has(e.kserve.Version) || !e.plugin.has(t, tc.rule) {
			continue
		}
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			row := compatibility.Row{Section: compatibility.LLM, Problem: tc.rule + ": " + tc.problem}
			t.Run("without", func(t *testing.T) { row.Without = e.failLLM(t, tc) })
			t.Run("with", func(t *testing.T) { row.With = e.repairLLM(t, tc) })
			e.record(t, row)
		})
	}
}

// failLLM deploys the app as it is and returns how it fails.
func (e *environment) failLLM(t *testing.T, tc llmCase) string {
	namespace := e.cluster.Namespace(t, "llm-"+tc.id+"-without")
	manifests := asWritten(t, filepath.Join(tc.app.in(e.kserve.Version).write(t), tc.source))
	a, err := e.deployLLM(t, tc, namespace, manifests)
	switch {
	case tc.refused == "" && err != nil:
		t.Fatal(err)
	case tc.refused == "":
		return tc.fails(t, a)
	case err == nil:
		t.Fatal("the API server takes it: the failure was not reproduced")
	case !strings.Contains(err.Error(), tc.refused):
		t.Fatalf("refused for another reason: %v", err)
	}
	return "refused"
}

// repairLLM deploys what the plugin makes of the app and returns what becomes of it. Where the plugin makes no edit,
// its report is all.
func (e *environment) repairLLM(t *testing.T, tc llmCase) string {
	namespace := e.cluster.Namespace(t, "llm-"+tc.id+"-with")
	dir := tc.app.in(e.kserve.Version).write(t)
	if tc.works == nil {
		findings, _, _ := e.plugin.Run(t, "check", "-o", "compact", filepath.Join(dir, tc.source), "--root", dir)
		if !strings.Contains(findings, tc.rule) {
			t.Fatalf("check does not report %s:\n%s", tc.rule, findings)
		}
		return "reported"
	}
	a, err := e.deployLLM(t, tc, namespace, e.plugin.generate(t, dir, tc.source, namespace.Name))
	if err != nil {
		t.Fatal(err)
	}
	return tc.works(t, a)
}

// deployLLM brings the app into the namespace, in its order. Where nothing is live, it creates the objects, as a
// client-side apply does: fields that KServe does not know are dropped. It returns the API server's refusal.
func (e *environment) deployLLM(
	t *testing.T, tc llmCase, namespace *objects.Namespace, manifests []*unstructured.Unstructured,
) (*llmApp, error) {
	t.Helper()
	a := &llmApp{Namespace: namespace}
	for _, object := range manifests {
		if object.GetKind() == "LLMInferenceService" {
			a.service = object.GetName()
		}
	}
	if tc.live != "" {
		a.Apply(inVersion(e.kserve.Version, tc.live))
		a.awaitReady()
		a.Eventually("the pods are rolled out", func() error { return rolledOut(a.Get(objects.Deployments, a.workload())) })
		a.before = rollout(a.Namespace, a.workload())
	}
	a.deployments = a.Record(objects.Deployments)
	if tc.live != "" {
		a.ApplyObjects(manifests...)
		return a, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait.Bound)
	defer cancel()
	for _, object := range manifests {
		if _, err := e.cluster.Create(ctx, object, namespace.Name); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// workload is the name of the Deployment that KServe makes for the service.
func (a *llmApp) workload() string { return a.service + "-kserve" }

// awaitReady waits until KServe has seen the service as it is, and it is ready.
func (a *llmApp) awaitReady() {
	a.Eventually("the service is ready", func() error {
		service := a.Get(objects.LLMInferenceServices, a.service)
		seen, _, err := unstructured.NestedInt64(service.Object, "status", "observedGeneration")
		if err == nil && seen != service.GetGeneration() {
			err = fmt.Errorf("KServe has seen generation %d, not %d", seen, service.GetGeneration())
		}
		if err != nil {
			return err
		}
		return objects.Condition(service, "Ready", "True")
	})
}

// visit makes KServe reconcile the service with no reason to change its Deployment, and returns when it has: the
// Service, which comes after the Deployment, is there again.
func (a *llmApp) visit() {
	name := a.service + "-kserve-workload-svc"
	lost := a.Get(objects.Services, name).GetUID()
	a.Delete(objects.Services, name)
	a.Eventually("KServe visits "+a.service, func() error {
		if service := a.Find(objects.Services, name); service == nil || service.GetUID() == lost {
			return fmt.Errorf("it has not made the Service again")
		}
		return nil
	})
}
