//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const (
	// fewCopies is the size of the smaller input.
	fewCopies = 2

	// mostRuns is how often a statement may run with ten times the input, for each time that it runs with the smaller
	// one. It leaves room for sorting. What grows with the square runs a hundred times as often.
	mostRuns = 30
)

// notLinear are the files with statements that may run more often, and why.
var notLinear = map[string]string{
	"internal/watchdog/memory.go":    "how often it looks at the memory depends on the time",
	"internal/watchdog/container.go": "and so does how often it looks at that of the others",
}

// growing are commands, what is repeated in their input, and words that are repeated at the end of the command. ${n} is
// the number of the copy.
var growing = []struct{ name, command, entry, words string }{
	{"services that name no runtime", "generate --kserve-version=0.20.0", `apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: server-${n}, namespace: team}
spec:
  supportedModelFormats: [{name: custom, autoSelect: true}]
  containers: [{name: kserve-container, readinessProbe: {exec: {command: [curl, -f, "http://localhost:8080/ready"]}}}]
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: named-${n}, namespace: team}
spec: {predictor: {logger: {mode: all}, model: {modelFormat: {name: custom}, runtime: "server-${n}"}}}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model-${n}, namespace: team}
spec:
  predictor:
    logger: {mode: all}
    model:
      modelFormat: {name: custom}
      storageUri: "s3://models/${n}"
      readinessProbe: {exec: {command: [curl, -f, "http://localhost:8080/ready"]}}
---
`, ""},
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
`, ""},
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
`, ""},
	{"wait", "health wait", `{"type": "ADDED", "object": {
  "apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "model-${n}", "namespace": "team"}, "status": {"deploymentMode": "Standard",
    "conditions": [{"type": "PredictorReady", "status": "False"}, {"type": "Ready", "status": "False"}]}}}
{"type": "MODIFIED", "object": {
  "apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "metadata": {"name": "model-${n}", "namespace": "team"}, "status": {"deploymentMode": "Standard",
    "conditions": [{"type": "PredictorReady", "status": "True"}, {"type": "Ready", "status": "True"}]}}}
`, " team/model-${n}"},
}

// TestGrowth counts how often each statement of the plugin runs, and compares it with ten times the input. The examples
// of all rules are among the input.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the plugin with counters")
	}
	t.Parallel()
	c := counter{plugin: filepath.Join(t.TempDir(), "plugin"), covdata: filepath.Join(t.TempDir(), "covdata")}
	for _, args := range [][]string{
		{"-cover", "-covermode=atomic", "-coverpkg=.,../../internal/...,../../transform/...", "-o", c.plugin, "."},
		{"-o", c.covdata, "cmd/covdata"},
	} {
		build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-buildvcs=false"}, args...)...)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, release := range []string{"0.15.2", "0.20.0"} {
		settings := " --default-deployment-mode=Standard --shared-runtimes=edit --health-metadata=true --kserve-version=" +
			release + " "
		of := func(command string, write func([]string) string, oneNamespace bool) func(n int) invocation {
			return func(n int) invocation {
				documents, _ := examples(t, 0, n, oneNamespace)
				return invocation{command + settings + "${input}", write(documents), ""}
			}
		}
		since := func(oneNamespace bool, first func(n int) int) func(n int) invocation {
			return func(n int) invocation {
				documents, _ := examples(t, first(n), n, oneNamespace)
				_, previous := examples(t, 0, n, oneNamespace)
				return invocation{"check --fail-on=never --previous=${previous}" + settings + "${input}",
					stream(documents), stream(previous)}
			}
		}
		same := func(int) int { return 0 }
		others := func(n int) int { return n }
		t.Run("rules of "+release, func(t *testing.T) {
			c.compare(t, fewCopies, of("generate", stream, false))
		})
		t.Run("rules of "+release+" in one namespace", func(t *testing.T) {
			c.compare(t, fewCopies, of("generate", stream, true))
		})
		t.Run("diff of a List by rules of "+release, func(t *testing.T) {
			c.compare(t, fewCopies, of("diff --fail-on=never", list, false))
		})
		t.Run("changes by rules of "+release, func(t *testing.T) { c.compare(t, fewCopies, since(false, same)) })
		t.Run("changes by rules of "+release+" in one namespace", func(t *testing.T) {
			c.compare(t, fewCopies, since(true, same))
		})
		t.Run("other objects by rules of "+release+" in one namespace", func(t *testing.T) {
			c.compare(t, fewCopies, since(true, others))
		})
	}
	t.Run("plan of a change", func(t *testing.T) {
		const service = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris-${n}, annotations: {image: "server:${tag}"}}
spec: {predictor: {model: {modelFormat: {name: sklearn}, storageUri: "s3://models/${n}"}}}
`
		services := func(n int, tag string) (documents []string) {
			for i := range n {
				documents = append(documents, strings.NewReplacer("${n}", strconv.Itoa(i), "${tag}", tag).Replace(service))
			}
			return documents
		}
		c.compare(t, 10*fewCopies, func(n int) invocation {
			return invocation{"plan --kserve-version=0.20.0 --default-deployment-mode=Standard --previous=${previous} ${input}",
				list(services(n, "2")), stream(services(n, "1"))}
		})
	})
	for _, g := range growing {
		t.Run(g.name, func(t *testing.T) {
			c.compare(t, 10*fewCopies, func(n int) invocation {
				return invocation{g.command + " ${input}" + repeated(n, g.words), repeated(n, g.entry), ""}
			})
		})
	}
}

// repeated returns n copies of an entry.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "${n}", strconv.Itoa(i)))
	}
	return b.String()
}

// invocation is a command and what is in its files ${input} and ${previous}.
type invocation struct{ command, input, previous string }

// counter counts statements.
type counter struct {
	plugin  string // built with counters
	covdata string // Go's program that reads what it has counted
}

// compare compares an invocation for ten times n with that for n.
func (c counter) compare(t *testing.T, n int, invoke func(n int) invocation) {
	t.Parallel()
	before := c.statements(t, invoke(n))
	for statement, count := range c.statements(t, invoke(10*n)) {
		_, path, _ := strings.Cut(statement, "/argocd-kserve-plugin/argocd-kserve-plugin/")
		file, _, _ := strings.Cut(path, ":")
		if count > mostRuns*max(before[statement], fewCopies) && notLinear[file] == "" {
			t.Errorf("%s ran %d times, and %d times with ten times the input", path, before[statement], count)
		}
	}
}

// statements runs the plugin, and returns how often each block of statements ran, by its position.
func (c counter) statements(t *testing.T, invoked invocation) map[string]int {
	t.Helper()
	dir := t.TempDir()
	counts := filepath.Join(dir, "counts")
	command := os.Expand(invoked.command, func(name string) string {
		file := filepath.Join(dir, name+".yaml")
		text := map[string]string{"input": invoked.input, "previous": invoked.previous}[name]
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	})
	run := exec.CommandContext(t.Context(), c.plugin, strings.Fields(command)...)
	run.Env = append(os.Environ(), "GOCOVERDIR="+dir, "ARGOCD_KSERVE_PLUGIN_TIMEOUT=24h") // it counts, whatever that takes
	var stderr bytes.Buffer
	run.Stderr = &stderr
	if err := run.Run(); run.ProcessState == nil || run.ProcessState.ExitCode() > 1 { // 1 is for findings
		t.Fatalf("%.200s: %v\n%s", command, err, &stderr)
	}
	read := exec.CommandContext(t.Context(), c.covdata, "textfmt", "-i", dir, "-o", counts)
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

// clusterScoped are the kinds of objects that are in no namespace.
var clusterScoped = map[string]bool{
	"ClusterRole": true, "ClusterServingRuntime": true, "ClusterStorageContainer": true, "CustomResourceDefinition": true,
	"LocalModelCache": true, "LocalModelNodeGroup": true,
}

// examples returns the documents of n copies of each rule's example, from the first number on, and those that the
// example had before the change. Each copy is in a namespace of its own, or all are in one and have their own names.
func examples(t *testing.T, first, n int, oneNamespace bool) (documents, previous []string) {
	t.Helper()
	for i, rule := range rules.All {
		example := filepath.Join("../../testdata/rules", rule.ID, rule.Example)
		now := parse(t, example+".yaml")
		before := now
		if _, err := os.Stat(example + ".previous.yaml"); err == nil {
			before = parse(t, example+".previous.yaml")
		}
		names := map[string]bool{}
		for _, tree := range slices.Concat(now, before) {
			if oneNamespace || clusterScoped[tree.Root.Get("kind").Str()] {
				names[tree.Root.Get("metadata", "name").Str()] = true
			}
		}
		for copied := first; copied < first+n; copied++ {
			suffix := fmt.Sprintf("-%d-%d", i, copied)
			namespace := "team"
			if !oneNamespace {
				namespace += suffix
			}
			documents = append(documents, renamed(t, now, namespace, names, suffix)...)
			previous = append(previous, renamed(t, before, namespace, names, suffix)...)
		}
	}
	return documents, previous
}

// parse returns the documents of a file.
func parse(t *testing.T, path string) (trees []*yamldoc.Tree) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := yamldoc.Split(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		tree, err := yamldoc.Parse(source.Body)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	return trees
}

// renamed returns the documents in a namespace, with a suffix after each of the names.
func renamed(
	t *testing.T, trees []*yamldoc.Tree, namespace string, names map[string]bool, suffix string,
) (documents []string) {
	t.Helper()
	for _, tree := range trees {
		edits := renames(tree.Root, nil, names, suffix)
		if !clusterScoped[tree.Root.Get("kind").Str()] {
			edits = append(edits, yamldoc.Set(yamldoc.Path{"metadata", "namespace"}, namespace))
		}
		edited, err := tree.Apply(edits)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(edited.Bytes()))
	}
	return documents
}

// renames returns edits that add a suffix to each value that is one of the names.
func renames(node *yamldoc.Node, at yamldoc.Path, names map[string]bool, suffix string) (edits []yamldoc.Edit) {
	if name := node.Str(); name != "" && names[name] {
		edits = append(edits, yamldoc.Set(at, name+suffix))
	}
	for _, e := range node.Entries {
		edits = append(edits, renames(e.Value, at.With(e.Key.Value), names, suffix)...)
	}
	for i, item := range node.Items {
		edits = append(edits, renames(item, at.With(i), names, suffix)...)
	}
	return edits
}

// stream returns the documents as a stream.
func stream(documents []string) string { return strings.Join(documents, "---\n") }

// list returns the documents as the items of a List.
func list(documents []string) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for _, d := range documents {
		b.WriteString("-\n  " + strings.ReplaceAll(strings.TrimSuffix(d, "\n"), "\n", "\n  ") + "\n")
	}
	return b.String()
}
