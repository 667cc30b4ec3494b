// Package cluster runs the plugin against real releases of KServe, on a real API server, synced by the real Argo CD.
// Each case shows the failure without the plugin first, so that its absence with the plugin means something.
package cluster

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/binary"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
)

// environment is a cluster with one release of KServe, which all cases share, each in namespaces of its own.
type environment struct {
	cluster *controlplane.Cluster
	kserve  *kserve.Installation
	plugin  plugin
	table   *compatibility.Table
	pokes   atomic.Int64
}

func (e *environment) version() string { return strings.TrimPrefix(e.kserve.Version, "v") }

func (s *synced) argoVersion() string { return strings.TrimPrefix(s.argo.Name, "v") }

// The kinds of services that a run can be limited to.
const (
	inferenceServices    = "InferenceService"
	llmInferenceServices = "LLMInferenceService"
)

// runs reports whether this run tests services of the kind. When it does not, the page keeps the rows about them.
func (e *environment) runs(kind string) bool {
	if kind == llmInferenceServices && !kserve.HasLLMInferenceServices(e.kserve.Version) {
		return false
	}
	if *kindFlag == "all" || *kindFlag == kind {
		return true
	}
	for _, section := range e.table.Document.Sections {
		if (section == compatibility.LLM) == (kind == llmInferenceServices) {
			e.table.Skip(compatibility.Row{KServe: e.version(), Section: section})
		}
	}
	return false
}

// record adds a row, unless the case that measured it failed.
func (e *environment) record(t *testing.T, row compatibility.Row) {
	t.Helper()
	row.KServe = e.version()
	t.Logf("KServe %s %s: %s: without: %s; with: %s", row.KServe, row.ArgoCD, row.Problem, row.Without, row.With)
	if !t.Failed() && row.Without != "" && row.With != "" {
		e.table.Add(row)
	}
}

// record is that of environment for what was seen with Argo CD.
func (s *synced) record(t *testing.T, row compatibility.Row) {
	t.Helper()
	row.ArgoCD = s.argoVersion()
	s.environment.record(t, row)
}

// newEnvironment installs a release of KServe, whose default mode is Standard. What is measured in it goes to the
// table.
func newEnvironment(
	t *testing.T, cluster *controlplane.Cluster, version string, table *compatibility.Table,
) *environment {
	t.Helper()
	return environmentOf(t, cluster, kserve.Install(t, cluster, version), "Standard", table)
}

// environmentOf tells the plugin the release of KServe and its default mode. What is measured goes to the table.
func environmentOf(
	t *testing.T, cluster *controlplane.Cluster, installed *kserve.Installation, mode string, table *compatibility.Table,
) *environment {
	t.Helper()
	plugin := plugin{binary.UnderTest(t)}
	plugin.KServeVersion, plugin.DefaultMode = strings.TrimPrefix(installed.Version, "v"), mode
	return &environment{cluster: cluster, kserve: installed, plugin: plugin, table: table}
}

func TestKServe(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			e := newEnvironment(t, controlplane.Start(t), version, &table)
			table.Skip(compatibility.Row{KServe: e.version(), Section: compatibility.Scaling}) // TestScaling's
			if e.runs(inferenceServices) {
				// The default mode is one for the whole cluster, so nothing runs beside this.
				t.Run("modes", e.testModes)
				t.Run("stored", e.testStored)
				t.Run("autoscalers", e.testAutoscalers)
				t.Run("graph-switch", e.testGraphSwitch)
				t.Run("keda-metrics", e.testKedaMetrics)
				t.Run("keda-utilization", e.testUtilization)
				t.Run("metrics-without-keda", e.testMetricsWithoutKeda)
				t.Run("probes", e.testProbes)
				t.Run("live-probes", e.testLiveProbes)
				t.Run("wait", e.testWait)
			}
			if e.runs(llmInferenceServices) {
				t.Run("llm", e.testLLM)
			}
			t.Run("argocd", e.testArgoCD)
		})
	}
	syncTable(t, &table)
}
