package doctor

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
)

// TestApplied is about the manifest that was last applied. What is not one of the object is not it.
func TestApplied(t *testing.T) {
	for annotation, want := range map[string]bool{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`:                     true,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b","namespace":"other"}}`: false,
		`{"apiVersion":"apps/v1","kind":"Pod","metadata":{"name":"a"}}`:                false,
		`{"apiVersion":`: false, `[1]`: false, `null`: false,
	} {
		live := health.Object{"apiVersion": "v1", "kind": "Pod", "metadata": health.Object{
			"name": "a", "namespace": "models", "annotations": health.Object{lastApplied: annotation}}}
		if got := applied(live) != nil; got != want {
			t.Errorf("%s: %t", annotation, got)
		}
	}
}

// TestStored is about a finding that explains why Argo CD shows a difference: without one it says nothing.
func TestStored(t *testing.T) {
	const config = `
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata:
  name: presets
  namespace: models
  uid: presets
  resourceVersion: "1"
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"serving.kserve.io/v1alpha2","kind":"LLMInferenceServiceConfig",
       "metadata":{"name":"presets","namespace":"models"},
       "spec":{"template":{"containers":[{"name":"main","resources":{"limits":{"cpu":"APPLIED"}}}],"nodeSelector":{}}}}
spec: {template: {containers: [{name: main, resources: {limits: {cpu: "1"}}}]}}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
status:
  resources:
  - {group: serving.kserve.io, kind: LLMInferenceServiceConfig, namespace: models, name: presets, status: STATUS}
`
	for _, tc := range []struct {
		applied, status string
		found, said     int
	}{
		{"1000m", "OutOfSync", 2, 2},
		{"1000m", "Synced", 0, 0},
		{"1", "Synced", 1, 0},
	} {
		c := cluster(t, strings.NewReplacer("APPLIED", tc.applied, "STATUS", tc.status).Replace(config))
		problems := found(t, c)
		report := c.Examine(time.Now(), kubectl.Request{}, problems)
		if len(problems) != tc.found || len(report.Others) != tc.said {
			t.Errorf("%s, %s: %d of %d findings", tc.applied, tc.status, len(report.Others), len(problems))
		}
		if tc.said > 0 && report.Others[0].Subject() != "LLMInferenceServiceConfig models/presets (application shop)" {
			t.Error(report.Others[0].Subject())
		}
		for _, write := range []func(io.Writer, Report) error{Text, Markdown} {
			var b strings.Builder
			if err := write(&b, report); err != nil || strings.Count(b.String(), "LLMInferenceServiceConfig models/presets") != tc.said {
				t.Errorf("%s, %s: %v\n%s", tc.applied, tc.status, err, &b)
			}
		}
	}
}

// found returns what the rules find in a cluster.
func found(t *testing.T, c *Cluster) []transform.Finding {
	t.Helper()
	files, err := c.Files()
	if err != nil {
		t.Fatal(err)
	}
	options, _, err := rules.Options{KServeVersion: "0.20.0"}.Config()
	if err != nil {
		t.Fatal(err)
	}
	result, err := transform.Run(t.Context(), files, options)
	if err != nil {
		t.Fatal(err)
	}
	return result.Problems()
}

// TestInGit is about manifests that were last applied, and are not what Git has any more.
func TestInGit(t *testing.T) {
	const (
		iris = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  namespace: models
  annotations:
    OPTIONS
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","metadata":{"name":"iris"},
       "spec":{"predictor":{"minReplicas":APPLIED}}}
  managedFields:
  - {manager: kubectl-client-side-apply, operation: Update, time: "2026-01-02T00:00:00Z",
     fieldsV1: {"f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/last-applied-configuration": {}}}}}
  - FIELDS
spec: {predictor: {minReplicas: 2, maxReplicas: 5}}
`
		application = `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec: {syncPolicy: {syncOptions: [Validate=false, SYNC]}}
status: {resources: [{group: serving.kserve.io, kind: InferenceService, namespace: models, name: iris, status: STATUS}]}
`
		synced    = "STATUS Synced"
		outOfSync = "STATUS OutOfSync"
		onServer  = "SYNC ServerSideApply=true"
		same      = "APPLIED 2"
		newer     = `FIELDS {manager: argocd-controller, operation: Apply, time: "2026-01-03T00:00:00Z", fieldsV1: {"f:spec": {}}}`
	)
	for _, tc := range []struct {
		name  string
		given []string
		want  bool
	}{
		{"out of sync", []string{outOfSync}, true},
		{"as in Git", []string{synced, same}, true},
		{"as in Git, and not as applied", []string{synced}, false},
		{"of no Application", []string{}, false},
		{"of no Application, and as applied", []string{same}, true},
		{"merged by the API server since", []string{outOfSync, same, newer}, false},
		{"merged by the API server before", []string{outOfSync, strings.Replace(newer, "01-03", "01-01", 1)}, true},
		{"merged for kubectl, which keeps the annotation", []string{outOfSync, strings.Replace(newer, "argocd-controller", "kubectl", 1)}, true},
		{"a status since", []string{outOfSync, strings.Replace(newer, "f:spec", "f:status", 1)}, true},
		{"changed by hand since", []string{outOfSync, strings.Replace(newer, "Apply", "Update", 1)}, true},
		{"an Application that has the API server merge", []string{outOfSync, same, onServer}, false},
		{"an object for which it does not", []string{outOfSync, onServer,
			`OPTIONS "argocd.argoproj.io/sync-options": "Prune=false, ServerSideApply=false"`}, true},
		{"an object for which it does", []string{outOfSync, same,
			`OPTIONS "argocd.argoproj.io/sync-options": "Prune=false, ServerSideApply=true"`}, false},
	} {
		stream := iris
		if strings.Contains(strings.Join(tc.given, " "), "STATUS") {
			stream += application
		}
		for _, given := range tc.given {
			name, value, _ := strings.Cut(given, " ")
			stream = strings.Replace(stream, name, value, 1)
		}
		stream = strings.NewReplacer("OPTIONS", "a: b", "APPLIED", "1", "FIELDS", "{}", "SYNC", "a=b").Replace(stream)
		c := cluster(t, stream)
		r := ref{health.Group, "InferenceService", "models", "iris"}
		if got := c.inGit(r) != nil; got != tc.want {
			t.Errorf("%s: %t", tc.name, got)
		}
		files, err := c.Files()
		if err != nil || len(files) != 1 || files[0].Live == tc.want {
			t.Errorf("%s: %v, %v", tc.name, files, err)
		}
		if drift := c.drift(r); strings.Contains(drift, "as applied") && !tc.want {
			t.Errorf("%s: %s", tc.name, drift)
		}
	}
}
