package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const (
	// fewCopies is the size of the smaller input.
	fewCopies = 3

	// mostRuns is how often a statement may run with ten times the input, for each time that it runs with the smaller
	// one. It leaves room for sorting. What grows with the square runs a hundred times as often.
	mostRuns = 30
)

// notLinear are the files with statements that may run more often, and why.
var notLinear = map[string]string{
	"internal/cli/memory.go": "how often it looks at the memory depends on the time",
	"internal/model/llm.go":  "each LLM service is compared with each Config that has the name of a preset",
}

// growing are commands and what is repeated in their input. ${n} is the number of the copy.
var growing = []struct{ name, command, entry string }{
	{"one runtime per team", "generate --kserve-version=0.20.0 --shared-runtimes=edit", `apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: server, namespace: team-${n}}
spec:
  supportedModelFormats: [{name: custom, autoSelect: true}]
  containers: [{name: kserve-container, readinessProbe: {exec: {command: [curl, -f, "http://localhost:8080/ready"]}}}]
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model, namespace: team-${n}}
spec: {predictor: {logger: {mode: all}, model: {modelFormat: {name: custom}, storageUri: "s3://models/${n}"}}}
---
`},
	{"assess", "health assess", `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model-${n}, namespace: team}
spec: {predictor: {model: {modelFormat: {name: custom}, storageUri: "s3://models/${n}"}}}
status: {deploymentMode: Standard, conditions: [{type: PredictorReady, status: "True"}, {type: Ready, status: "True"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: model-${n}-predictor
  namespace: team
  ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: model-${n}}]
---
`},
}

// TestGrowth counts how often each statement of the plugin runs, and compares it with ten times the input. The examples
// of all rules are among the input.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the plugin with counters")
	}
	plugin := filepath.Join(t.TempDir(), "plugin")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-cover", "-covermode=atomic",
		"-coverpkg=.,../../internal/...,../../transform/...", "-o", plugin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	few, many := examples(t, fewCopies), examples(t, 10*fewCopies)
	for _, release := range []string{"0.15.2", "0.20.0"} {
		settings := " --default-deployment-mode=Standard --shared-runtimes=edit --health-metadata=true --kserve-version=" + release
		t.Run("rules of "+release, func(t *testing.T) {
			compare(t, plugin, "generate"+settings, strings.Join(few, "---\n"), strings.Join(many, "---\n"))
		})
		t.Run("diff of a List by rules of "+release, func(t *testing.T) {
			compare(t, plugin, "diff --fail-on=never"+settings, list(few), list(many))
		})
	}
	for _, g := range growing {
		t.Run(g.name, func(t *testing.T) {
			repeated := func(n int) string {
				var b strings.Builder
				for i := range n {
					b.WriteString(strings.ReplaceAll(g.entry, "${n}", strconv.Itoa(i)))
				}
				return b.String()
			}
			compare(t, plugin, g.command, repeated(10*fewCopies), repeated(100*fewCopies))
		})
	}
}

func compare(t *testing.T, plugin, command, few, many string) {
	t.Helper()
	before := statements(t, plugin, command, few)
	for statement, count := range statements(t, plugin, command, many) {
		_, path, _ := strings.Cut(statement, "/argocd-kserve-plugin/argocd-kserve-plugin/")
		file, _, _ := strings.Cut(path, ":")
		if count > mostRuns*max(before[statement], fewCopies) && notLinear[file] == "" {
			t.Errorf("%s ran %d times, and %d times with ten times the input", path, before[statement], count)
		}
	}
}

// statements runs the plugin with a file, and returns how often each block of statements ran, by its position.
func statements(t *testing.T, plugin, command, input string) map[string]int {
	t.Helper()
	dir := t.TempDir()
	file, counts := filepath.Join(dir, "input.yaml"), filepath.Join(dir, "counts")
	if err := os.WriteFile(file, []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), plugin, append(strings.Fields(command), file)...)
	run.Env = append(os.Environ(), "GOCOVERDIR="+dir)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	if err := run.Run(); run.ProcessState == nil || run.ProcessState.ExitCode() > 1 { // 1 is for findings
		t.Fatalf("%s: %v\n%s", command, err, &stderr)
	}
	read := exec.CommandContext(t.Context(), "go", "tool", "covdata", "textfmt", "-i", dir, "-o", counts)
	if out, err := read.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(counts)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 { // position, number of statements, count
			if found[fields[0]], err = strconv.Atoi(fields[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("no statement was counted")
	}
	return found
}

// examples returns the documents of n copies of each rule's example, each copy in a namespace of its own.
func examples(t *testing.T, n int) (documents []string) {
	t.Helper()
	for i, rule := range rules.All {
		data, err := os.ReadFile(filepath.Join("../../testdata/rules", rule.ID, rule.Example+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		sources, err := yamldoc.Split(data)
		if err != nil {
			t.Fatal(err)
		}
		for copied := range n {
			for _, source := range sources {
				tree, err := yamldoc.Parse(source.Body)
				if err != nil {
					t.Fatal(err)
				}
				namespace := yamldoc.Set(yamldoc.Path{"metadata", "namespace"}, fmt.Sprintf("team-%d-%d", i, copied))
				if tree, err = tree.Apply([]yamldoc.Edit{namespace}); err != nil {
					t.Fatal(err)
				}
				documents = append(documents, string(tree.Bytes()))
			}
		}
	}
	return documents
}

// list returns the documents as the items of a List.
func list(documents []string) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for _, d := range documents {
		b.WriteString("-\n  " + strings.ReplaceAll(strings.TrimSuffix(d, "\n"), "\n", "\n  ") + "\n")
	}
	return b.String()
}
