package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

var manifestsFlag = flag.String(
	"manifests", "", "folder of manifests that TestJudge takes instead of KServe's and the golden cases")

// TestJudge asks KServe's own defaulters and validators about its samples and about the golden cases, before and after
// the repair, for the releases that -kserve-version names. It takes every golden case for each of them, whatever
// release the case is about.
func TestJudge(t *testing.T) {
	chosen, err := chosenSources()
	if err != nil {
		t.Fatal(err)
	}
	drift, err := driftRules()
	if err != nil {
		t.Fatal(err)
	}
	all := &tallies{}
	t.Cleanup(all.print)
	for _, source := range chosen {
		if source.module != kserveModule {
			continue
		}
		t.Run(source.name, func(t *testing.T) {
			program, err := toolchain.Program(source.version)
			if err != nil {
				t.Fatal(err)
			}
			apps, err := judgedApps(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"Standard", "Knative"} {
				t.Run(mode, func(t *testing.T) {
					t.Parallel()
					r := release{strings.TrimPrefix(source.version, "v"), mode, drift}
					var subjects []subject
					for _, app := range apps {
						subjects = append(subjects, r.subjects(t, app)...)
					}
					all.add(r.compare(t, judge{program, mode}, subjects))
				})
			}
		})
	}
}

// judge is a release's program and what it is given.
type judge struct{ program, mode string }

// judgement is a line that a judge prints. Verdict in controlplane/judge.go tells what it means.
type judgement struct {
	Kind, Name string
	Judged     bool
	Pruned     []string
	Refused    []struct{ By, Message string }
	Changes    []driftChange
	Stored     map[string]any
}

func (j judgement) refused() bool { return len(j.Refused) > 0 }

func (j judge) run(objects []map[string]any) ([]judgement, error) {
	var in, stderr bytes.Buffer
	for _, object := range objects {
		data, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&in, "---\n%s\n", data)
	}
	cmd := exec.Command(j.program, "-judge", j.mode)
	cmd.Stdin, cmd.Stderr = &in, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &stderr)
	}
	var all []judgement
	for line := range bytes.Lines(out) {
		var one judgement
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if len(all) != len(objects) {
		return nil, fmt.Errorf("%d judgements of %d objects", len(all), len(objects))
	}
	return all, nil
}

// compare asserts what a repair may never do and what a finding has to mean. It returns what it counted.
func (r release) compare(t *testing.T, j judge, subjects []subject) tally {
	var objects []map[string]any
	for _, s := range subjects {
		objects = append(objects, s.before, s.after, s.synced)
	}
	judgements, err := j.run(objects)
	if err != nil {
		t.Fatal(err)
	}
	sum := tally{release: r.version, mode: r.mode}
	for i, s := range subjects {
		before, after, synced := judgements[3*i], judgements[3*i+1], judgements[3*i+2]
		if !before.Judged {
			continue
		}
		sum.count(s, before, after)
		if !before.refused() && after.refused() {
			sum.newly++
			t.Errorf("%s: newly refused: %v", s.where, after.Refused)
		}
		if !reflect.DeepEqual(settled(before.Stored), settled(synced.Stored)) {
			sum.moved++
			t.Errorf("%s: a drift repair changes what is stored", s.where)
		}
		if placeholder.MatchString(fmt.Sprint(s.before)) {
			continue // nobody knows what KServe gets
		}
		if before.refused() && !s.announced && !unforeseeable(before) {
			t.Errorf("%s: KServe refuses it, but the plugin does not say so: %v", s.where, before.Refused)
		}
		for _, path := range s.unnamed(after) {
			sum.unnamed++
			t.Errorf("%s: %s drifts after every repair, and the command drift does not name it", s.where, path)
		}
		if s.refusal != "" && !before.refused() {
			sum.falseAlarms++
			t.Errorf("%s: KServe takes it, but the plugin says: %s", s.where, s.refusal)
		}
	}
	if sum.all.objects == 0 {
		t.Error("nothing was judged")
	}
	return sum
}

// placeholder matches what is replaced before the cluster gets the object. The plugin says nothing about such values.
var placeholder = regexp.MustCompile(`\$\{\w+[^{}]*\}|\$\([A-Za-z_][\w.-]*\)|\{\{.+?\}\}|<[A-Za-z][^<>]*>|‹.+?›`)

// notForeseen are refusals that the plugin does not announce, each with the reason why it does not.
var notForeseen = []struct {
	reason string
	is     func(judgement, string) bool // by the judgement and the message of the refusal
}{
	{"an object that the judge's cluster does not have", message(" not found")},
	{"a placeholder in the place of an object, such as [...]", message("cannot unmarshal")},
	{"another webhook writes the storage of a connection", message("StorageURI must be set for multinode enabled")},
	{"the API server makes a name from generateName", func(j judgement, _ string) bool { return j.Name == "" }},
}

func message(part string) func(judgement, string) bool {
	return func(_ judgement, message string) bool { return strings.Contains(message, part) }
}

func unforeseeable(j judgement) bool {
	for _, r := range j.Refused {
		for _, known := range notForeseen {
			if known.is(j, r.Message) {
				return true
			}
		}
	}
	return false
}

// kserveFinalizers are those that KServe's controllers write, as under pkg/controller of v0.20.0, and OpenDataHub's.
var kserveFinalizers = []string{
	"inferenceservice.finalizers", "odh.inferenceservice.finalizers", "trainedmodel.finalizer",
	"localmodel.kserve.io/finalizer", "localmodelnamespacecache.kserve.io/finalizer", "serving.kserve.io/llmisvc-finalizer",
	"serving.kserve.io/llmisvcconfig-finalizer",
}

// settled takes out of a stored object what others than the user write to it: Argo CD and kubectl their annotations,
// KServe's controllers their finalizers. A manifest that says so too changes nothing.
func settled(stored map[string]any) map[string]any {
	metadata, _ := stored["metadata"].(map[string]any)
	if metadata == nil {
		return stored // a mutating webhook refuses it
	}
	annotations, _ := metadata["annotations"].(map[string]any)
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	delete(annotations, "argocd.argoproj.io/tracking-id")
	finalizers, _ := metadata["finalizers"].([]any)
	finalizers = slices.DeleteFunc(finalizers, func(f any) bool { return slices.Contains(kserveFinalizers, text(f)) })
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	if metadata["finalizers"] = finalizers; len(finalizers) == 0 {
		delete(metadata, "finalizers")
	}
	return stored
}
