package cluster

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// removedFieldsKept are the releases that never remove from a live Deployment what its service no longer has: they
// merge the new Deployment into the live one (Reconcile in deployment_reconciler.go@v0.14.1 and @v0.15.0).
var removedFieldsKept = kserve.Window{From: "v0.14.0", Before: "v0.15.1"}

const (
	curl  = `exec: {command: [curl, --fail, http://localhost:8080/ready]}`
	ready = `httpGet: {path: /ready, port: 8080}`
)

// liveProbe is a service that runs with an exec probe.
type liveProbe struct {
	*objects.Namespace
	manifests, dir string
}

// testLiveProbes gives the probes of running services another handler, which the API server refuses beside the old one.
func (e *environment) testLiveProbes(t *testing.T) {
	t.Parallel()
	if !removedFieldsKept.Has(e.kserve.Version) {
		return
	}
	const problem = "exec probe with `curl --fail`, in a service that runs"
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		a := e.runProbe(t, "live-idle", "")
		a.Apply(strings.Replace(a.manifests, curl, ready, 1))
		row := compatibility.Row{Section: compatibility.Probes, Problem: "no agent, " + problem}
		row.Without = "`httpGet` in Git: " + a.stuck()
		a.ApplyObjects(e.plugin.generate(t, a.dir, "", a.Name)...)
		e.reconcile(a.Namespace, "model", "model-predictor")
		a.awaitHandler("exec")
		row.With = "the probe stays"
		e.record(t, row)
	})
	t.Run("copied", func(t *testing.T) {
		t.Parallel()
		a := e.runProbe(t, "live-copied", logger)
		findings, _, _ := e.plugin.Run(t, "check", "-o", "compact", a.dir)
		if !strings.Contains(findings, "delete the Deployment") {
			t.Fatalf("check does not say what to do:\n%s", findings)
		}
		a.ApplyObjects(e.plugin.generate(t, a.dir, "", a.Name)...)
		row := compatibility.Row{Section: compatibility.Probes, Problem: "logger, " + problem}
		row.Without = "`httpGet` in Git: " + a.stuck()
		a.Delete(objects.Deployments, "model-predictor")
		a.awaitHandler("httpGet")
		row.With = "`httpGet`, once the Deployment is deleted, as reported"
		e.record(t, row)
	})
}

func (e *environment) runProbe(t *testing.T, id, agent string) *liveProbe {
	t.Helper()
	manifests := probeCase{agent: agent, probe: "{" + curl + "}"}.service()
	a := &liveProbe{e.cluster.Namespace(t, id), manifests, app{"app.yaml": manifests}.write(t)}
	a.Apply(manifests)
	a.awaitHandler("exec")
	a.Eventually("the service is ready", func() error { return modelReady(a.Namespace) })
	return a
}

// stuck waits until the API server refuses what KServe makes of the service, and says what becomes of it.
func (a *liveProbe) stuck() string {
	const refusal = "may not specify more than 1 handler type"
	a.Eventually("the API server refuses the Deployment", func() error {
		if failures(a.Namespace, refusal) == 0 {
			return fmt.Errorf("no event says so")
		}
		return nil
	})
	a.awaitHandler("exec")
	a.Eventually("the service is ready", func() error { return modelReady(a.Namespace) })
	return refusal + ", the Deployment keeps `exec`, and the service is Ready"
}

// awaitHandler waits until the Deployment's probe has the handler.
func (a *liveProbe) awaitHandler(wanted string) {
	a.Eventually("the probe has "+wanted, func() error {
		deployment := a.Find(objects.Deployments, "model-predictor")
		if deployment == nil {
			return fmt.Errorf("there is no Deployment")
		}
		containers, _, err := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
		if err != nil || len(containers) != 1 {
			return fmt.Errorf("%d containers: %v", len(containers), err)
		}
		probe, _, _ := unstructured.NestedMap(containers[0].(map[string]any), "readinessProbe")
		if _, found := probe[wanted]; !found {
			return fmt.Errorf("it is %v", probe)
		}
		return nil
	})
}
