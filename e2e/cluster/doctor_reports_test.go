package cluster

import (
	"fmt"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// reportDefinition returns the CustomResourceDefinition of Reports.
func reportDefinition(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return objects.Read(t, filepath.Join(root, "internal", "policyreport", "testdata", "openreports.io_reports.yaml"))
}

// writtenReport is a Report that fails a sync in a cluster without that kind, whatever its sync options.
const writtenReport = `
apiVersion: openreports.io/v1alpha1
kind: Report
metadata:
  name: written
  annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}
results: []
summary: {}
`

// testReports syncs an app with the setting report: without the kind there is no Report and no failure, with the kind
// there is one that stays as it is, and with the health check of health config --reports the app is Degraded.
func (s *synced) testReports(t *testing.T) {
	const ignored = "    canaryTrafficPercent: 10\n" // in Standard mode: KS704, a warning
	a, _ := s.deploy(t, "reports", app{"app.yaml": service("{}", ignored)},
		applications.Source{Plugin: true, Settings: map[string]string{"report": "openreports"}})
	name := "argocd-kserve-plugin-" + a.Name
	a.AwaitHealthy()
	a.Refresh()
	if status, there := a.Resources()["Report/"+name]; there {
		t.Errorf("a cluster without Reports has one, which is %s", status)
	}
	if state := a.AwaitHealthy(); state.Failure != "" {
		t.Errorf("the sync failed: %s", state.Failure)
	}
	unknown, _ := s.deploy(t, "unknown", app{"report.yaml": writtenReport}, applications.Source{})
	unknown.Await("failing", func(state applications.State) bool { return state.Failure != "" })

	a.Namespace().ApplyObjects(reportDefinition(t)...)
	a.Namespace().Eventually("Argo CD knows Reports", func() error {
		a.Refresh()
		if status := a.Resources()["Report/"+name]; status != "Synced" {
			return fmt.Errorf("it is %q", status)
		}
		return nil
	})
	s.refreshes(t, a)
	first := a.Namespace().Get(objects.Reports, name)
	if warned, _, err := unstructured.NestedInt64(first.Object, "summary", "warn"); warned != 1 || err != nil {
		t.Errorf("%d warnings, %v: %v", warned, err, first.Object)
	}
	before := a.State()
	a.Sync()
	a.AwaitSync(before)
	if again := a.Namespace().Get(objects.Reports, name); again.GetResourceVersion() != first.GetResourceVersion() {
		t.Errorf("a second sync makes\n%v of\n%v", again.Object, first.Object)
	}

	s.configureHealth(t, "--reports")
	a.Await("Synced and Degraded", func(state applications.State) bool {
		return state.Sync == "Synced" && state.Health == "Degraded"
	})
}
