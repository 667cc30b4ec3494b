package health

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type truth struct{ situation, input string }

// truths are the situations in which Argo CD's own checks and ours may differ.
var truths = []truth{
	{"no status", "no-status"},
	{"empty status", "empty-status"},
	{"empty list of conditions", "empty-conditions"},
	{"only IngressReady is True", "only-ingress-ready"},
	{"Standard mode, Ready, KServe 0.11 to 0.15", "raw-default-mode"},
	{"Standard mode, Ready, KServe 0.16 and later (`Stopped` is False)", "raw-stopped-false"},
	{"Knative mode, Ready, KServe 0.11 to 0.15.0", "knative-0.11-to-0.15.0"},
	{"Knative mode, Ready, KServe 0.15.1 and later (`Stopped` is False)", "knative-0.15.1"},
	{"ModelMesh, Ready", "modelmesh"},
	{"Ready, scaled to zero (`transitionStatus: InProgress`)", "scaled-to-zero"},
	{"Ready, model status without `transitionStatus`", "model-status-without-transition"},
	{"Ready, empty `transitionStatus`", "empty-transition-status"},
	{"Ready, `OciImageVolumeCompatible` is False (advice)", "oci-advice-0.20"},
	{"Ready, an old pod failed to load the model", "failed-load-of-one-pod"},
	{"multi-node, complete, KServe 0.16 to 0.19", "multi-node-0.16-to-0.19"},
	{"Ready, transformer not reported", "transformer-not-reported"},
	{"Ready, transformer down", "transformer-down"},
	{"Ready, canary not ready", "canary-not-ready"},
	{"Knative: the transformer's newest revision fails, Ready", "controller-v0.20.0-knative-transformer-second-crash"},
	{"Knative: the newest revision fails", "controller-v0.20.0-knative-second-deadline"},
	{"Knative: the first revision fails", "controller-v0.20.0-knative-first-deadline"},
	{"Knative: the first revision failed more than 30 seconds ago", "controller-v0.20.0-knative-first-deadline-later"},
	{"rollout failed (`ProgressDeadlineExceeded`)", "progress-deadline-exceeded"},
	{"model fails to load", "failed-load"},
	{"ModelMesh: new model is loading, old one serves", "modelmesh-loading"},
	{"ModelMesh: new model fails to load, old one serves", "modelmesh-failed-load"},
	{"no runtime for the model, for five minutes", "runtime-not-recognized"},
	{"no runtime for the model, no conditions, KServe up to 0.15", "controller-v0.15.2-badfmt"},
	{"no runtime for the model, KServe 0.20", "controller-v0.20.0-badfmt"},
	{"a child is refused (`ReconcileFailed`), for five minutes", "reason-ReconcileFailed"},
	{"a child is refused, for longer", "reason-ReconcileFailed-too-long"},
	{"never starts", "controller-v0.20.0-notready"},
	{"asked to stop, still running", "stopping"},
	{"asked to stop, KServe does not obey", "stop-ignored"},
	{"stopped", "stopped"},
	{"stopped, empty `transitionStatus`", "stopped-empty-transition-status"},
	{"Ready of the previous spec", "ready-of-the-previous-spec"},
}

// llmTruths are the situations of an LLMInferenceService, for which the known releases of Argo CD have no check.
var llmTruths = []truth{
	{"no status", "no-status"},
	{"Ready", "controller-v0.20.0-ready-full"},
	{"Ready of the previous spec (`observedGeneration` is lower)", "ready-of-the-previous-spec"},
	{"scaled to zero", "controller-v0.20.0-scaled-to-zero"},
	{"starting", "controller-v0.16.0-starting"},
	{"first rollout fails, also after the Deployment's deadline", "controller-v0.20.0-first-rollout-deadline-exceeded"},
	{"later rollout fails, old pods serve", "controller-v0.20.0-later-rollout-deadline-exceeded"},
	{"configuration missing (`PresetsCombined` is False), for five minutes", "presets-cannot-be-combined"},
	{"configuration missing, for longer", "controller-v0.20.0-config-missing"},
	{"configuration missing, for five minutes, Ready", "presets-missing-while-ready"},
	{"configuration missing, for longer, Ready", "presets-missing-too-long-while-ready"},
	{"Deployment is invalid (exec probe)", "controller-v0.20.0-exec-readiness-rejected"},
	{"foreign object with the name of a child", "controller-v0.20.0-foreign-deployment-collision"},
	{"unknown kind of storage", "controller-v0.20.0-unsupported-uri"},
	{"conflict", "conflict"},
	{"ServiceAccount missing", "controller-v0.20.0-service-account-missing"},
	{"Gateway missing", "controller-v0.20.0-gateway-missing"},
	{"Gateway not programmed", "controller-v0.20.0-gateway-not-programmed"},
	{"no metrics for the autoscaler", "controller-v0.20.0-scaling-wva-hpa-no-metrics"},
	{"traffic split not in place (`GroupReady` is False)", "group-not-ready"},
	{"members of the traffic group differ (`GroupDegraded`)", "group-degraded"},
	{"asked to stop, still running", "stopping"},
	{"asked to stop, KServe 0.16 does not obey", "stop-ignored"},
	{"stopped", "controller-v0.20.0-stopped"},
	{"resuming", "resuming"},
}

// TestDocumentedTruth keeps the tables in docs/health.md what the checks say.
func TestDocumentedTruth(t *testing.T) {
	ours := mustOurs(t)
	bundled2, _, err := Bundled("2.14.21")
	if err != nil {
		t.Fatal(err)
	}
	bundled3, _, err := Bundled("3.5.7")
	if err != nil {
		t.Fatal(err)
	}
	header := "| InferenceService | Argo CD 2.14.21 | Argo CD 3.5.7 | this check |\n|---|---|---|---|\n"
	table := header + rows(t, "InferenceService", truths, bundled2, bundled3, ours)
	generated(t, "truth table", table)

	header = "| LLMInferenceService | this check |\n|---|---|\n"
	generated(t, "table of LLM services", header+rows(t, "LLMInferenceService", llmTruths, ours))
}

// rows has a column for each set of checks. The last is right.
func rows(t *testing.T, kind string, truths []truth, columns ...Checks) string {
	t.Helper()
	var table strings.Builder
	for _, truth := range truths {
		var object Object
		loadYAML(t, os.DirFS(checksDir), kind+"/testdata/"+truth.input+".yaml", &object)
		fmt.Fprintf(&table, "| %s |", truth.situation)
		right := columns[len(columns)-1][kind].Assess(object, today).Status
		for _, checks := range columns {
			says := string(checks[kind].Assess(object, today).Status)
			if says != string(right) {
				says = "**" + says + "**"
			}
			fmt.Fprintf(&table, " %s |", says)
		}
		table.WriteString("\n")
	}
	return table.String()
}

// generated compares a part of docs/health.md, or writes it.
func generated(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "health.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": generated by make golden -->\n", "<!-- end of "+name+" -->"
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s lacks the lines %q and %q", path, begin, end)
	}
	want := before + begin + content + end + after
	if update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("%s is not up to date; run make golden", path)
	}
}
