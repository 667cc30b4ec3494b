package health

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// truth is a situation and its object: "<case>@<release>" in statuses.yaml, or the name of a file in testdata.
type truth struct{ situation, input string }

// truths are the situations in which Argo CD's own checks and ours may differ.
var truths = []truth{
	{"no status", "standard-first-rollout-created@0.20.0"},
	{"empty status", "empty-status"},
	{"Standard mode, starting", "standard-first-rollout-pending@0.20.0"},
	{"Standard mode, Ready, KServe up to 0.15", "standard-first-rollout-ready@0.15.2"},
	{"Standard mode, Ready, KServe 0.16 and later (`Stopped` is False)", "standard-first-rollout-ready@0.20.0"},
	{"Knative mode, Ready, KServe up to 0.15.0", "knative-first-rollout-ready@0.14.1"},
	{"Knative mode, Ready, KServe 0.15.1 and later (`Stopped` is False)", "knative-first-rollout-ready@0.20.0"},
	{"ModelMesh, Ready", "modelmesh-ready@0.14.1"},
	{"ModelMesh, Ready, model not in memory", "modelmesh-standby@0.14.1"},
	{"Ready, scaled to zero (`transitionStatus: InProgress`)", "standard-scaled-to-zero-ready@0.15.2"},
	{"Ready, `OciImageVolumeCompatible` is False (advice)", "oci-advice@0.20.0"},
	{"Ready, an old or a new pod failed to download the model", "standard-second-rollout-no-download@0.15.2"},
	{"multi-node, head and worker ready, no ingress needed, KServe 0.16 to 0.19", "multi-node-internal-ready@0.17.0"},
	{"multi-node, head and worker ready, KServe 0.16 to 0.19 make no ingress", "multi-node-ready@0.17.0"},
	{"multi-node, a rollout is past its deadline, KServe 0.16 to 0.19", "multi-node-past-deadline@0.17.0"},
	{"multi-node, KServe 0.20 deletes the worker's Deployment", "multi-node-worker-deleted@0.20.0"},
	{"Ready, transformer down", "standard-transformer-lost@0.20.0"},
	{"Ready, canary not ready, KServe 0.20", "canary-starting@0.20.0"},
	{"Gateway API: the gateway does not accept the route", "gateway-not-accepted@0.20.0"},
	{"Knative: the first revision fails, never Ready", "knative-first-revision-crash@0.20.0"},
	{"Knative: the first revision is past its deadline", "knative-first-revision-past-deadline@0.20.0"},
	{"Knative: the same, more than 30 seconds later", "knative-forgotten-first@0.20.0"},
	{"Knative: the newest revision is past its deadline, an old one serves",
		"knative-second-revision-past-deadline@0.20.0"},
	{"Knative: the transformer's first revision fails", "knative-transformer-crash@0.20.0"},
	{"Knative: the transformer's newest revision fails, Ready", "knative-transformer-second-crash@0.20.0"},
	{"Knative: a new revision repairs a failed load, or cannot download the model",
		"knative-first-revision-crash-repairing@0.20.0"},
	{"first rollout is past its deadline, no pod available", "standard-never-starts-past-deadline@0.20.0"},
	{"quota allows no pod (`FailedCreate`), KServe 0.16 and later", "standard-never-starts-over-quota@0.20.0"},
	{"later rollout is past its deadline, old pod serves, KServe up to 0.15",
		"standard-second-rollout-past-deadline@0.15.2"},
	{"later rollout is past its deadline, old pod serves, KServe 0.16 and later",
		"standard-second-rollout-past-deadline@0.20.0"},
	{"model fails to load", "standard-fails-to-load-crash-loop@0.20.0"},
	{"ModelMesh: new model is loading, old one serves", "modelmesh-next-loading@0.14.1"},
	{"ModelMesh: new model fails to load, old one serves", "modelmesh-next-failed@0.14.1"},
	{"no runtime for the model, no conditions, KServe up to 0.15", "standard-no-runtime-missing@0.15.2"},
	{"no runtime for the model, KServe 0.20", "standard-no-runtime-missing@0.20.0"},
	{"no runtime for the new spec, Ready", "standard-runtime-lost-ready@0.20.0"},
	{"the new spec is invalid, Ready", "standard-runtime-lost-invalid@0.20.0"},
	{"a child is refused (`ReconcileFailed`), KServe 0.17 and later", "standard-refused-at-first@0.20.0"},
	{"a child is refused, KServe up to 0.16", "standard-refused-at-first@0.15.2"},
	{"asked to stop, still running", "standard-stop-asked@0.20.0"},
	{"asked to stop, KServe does not obey", "standard-stop-stopped@0.15.2"},
	{"stopped", "standard-stop-gone@0.20.0"},
	{"asked to resume", "standard-stop-asked-to-resume@0.20.0"},
	{"resuming, but a child is refused", "standard-resume-refused-seen@0.20.0"},
	{"Ready of the previous spec", "standard-second-rollout-unseen@0.20.0"},
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

// TestDocumentedTruth keeps the tables in docs/evidence/health.md what the checks say.
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
	table += "\n" + score(t, map[string]Checks{"Argo CD 2.14.21": bundled2, "Argo CD 3.5.7": bundled3, "this check": ours})
	generated(t, "truth table", table)

	header = "| LLMInferenceService | this check |\n|---|---|\n"
	generated(t, "table of LLM services", header+rows(t, "LLMInferenceService", llmTruths, ours))
}

// rows has a column for each set of checks. The last is right.
func rows(t *testing.T, kind string, truths []truth, columns ...Checks) string {
	t.Helper()
	var table strings.Builder
	for _, truth := range truths {
		object := find(t, kind, truth.input)
		fmt.Fprintf(&table, "| %s |", truth.situation)
		right := says(columns[len(columns)-1][kind], object)
		for _, checks := range columns {
			said := says(checks[kind], object)
			if said != right {
				said = "**" + said + "**"
			}
			fmt.Fprintf(&table, " %s |", said)
		}
		table.WriteString("\n")
	}
	return table.String()
}

// find returns the object of a truth.
func find(t *testing.T, kind, input string) (object Object) {
	t.Helper()
	name, release, generated := strings.Cut(input, "@")
	if !generated {
		loadYAML(t, os.DirFS(checksDir), kind+"/testdata/"+input+".yaml", &object)
		return object
	}
	for _, s := range loadStatuses(t, kind) {
		if slices.ContainsFunc(s.cases, func(c kserveCase) bool {
			return c.name == name && slices.Contains(c.releases, release)
		}) {
			return s.object(t)
		}
	}
	t.Fatalf("%s has no status %s", kind, input)
	return nil
}

// score counts the statuses of InferenceServices on which each set of checks is right.
func score(t *testing.T, all map[string]Checks) string {
	t.Helper()
	counts := map[string]int{}
	total := 0
	for _, status := range loadStatuses(t, "InferenceService") {
		object, releases := status.object(t), 0
		for _, c := range status.cases {
			releases += len(c.releases)
		}
		total += releases
		for name, checks := range all {
			if says(checks["InferenceService"], object) == status.right {
				counts[name] += releases
			}
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, fmt.Sprintf("%s on %d", name, counts[name]))
	}
	return fmt.Sprintf("Of %d statuses that the controllers of KServe 0.13.1 to 0.20.0 write, right are: %s.\n",
		total, strings.Join(parts, ", "))
}

// generated compares a part of docs/evidence/health.md, or writes it.
func generated(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "evidence", "health.md")
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
