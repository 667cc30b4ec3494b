package health

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// upstreamStep is a change of Argo CD's own check of InferenceService.
type upstreamStep struct {
	name  string
	check Check
	tests healthTests // that the step adds
	tree  fs.FS
}

// upstreamSteps returns the steps in hack/upstream/argo-cd. The tests of Argo CD itself run in the suite health of e2e.
func upstreamSteps(t *testing.T) []upstreamStep {
	t.Helper()
	folders, err := filepath.Glob("../../hack/upstream/argo-cd/[1-9]-*")
	if err != nil || len(folders) != 4 {
		t.Fatalf("%v, %v", folders, err)
	}
	var steps []upstreamStep
	for _, folder := range folders {
		step := upstreamStep{name: filepath.Base(folder), tree: os.DirFS(folder)}
		source, err := fs.ReadFile(step.tree, "health.lua")
		if err != nil {
			t.Fatal(err)
		}
		if step.check, err = Compile(step.name, string(source), true); err != nil {
			t.Fatal(err)
		}
		tests, err := fs.ReadFile(step.tree, "health_test.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(append([]byte("tests:\n"), tests...), &step.tests); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		steps = append(steps, step)
	}
	return steps
}

// TestUpstreamSteps runs the tests of each step on it and on all later ones. Each shows what its step changes.
func TestUpstreamSteps(t *testing.T) {
	steps := upstreamSteps(t)
	bundled, _, err := Bundled("3.5.7")
	if err != nil {
		t.Fatal(err)
	}
	before := bundled["InferenceService"]
	for i, from := range steps {
		for _, test := range from.tests.Tests {
			var object Object
			loadYAML(t, from.tree, test.InputPath, &object)
			for _, step := range steps[i:] {
				got := step.check.Assess(object, today)
				if want := (Verdict{test.HealthStatus.Status, test.HealthStatus.Message}); got != want {
					t.Errorf("%s on %s:\n got %v\nwant %v", step.name, test.InputPath, got, want)
				}
			}
			if before.Assess(object, today).Status == test.HealthStatus.Status {
				t.Errorf("%s: the check before %s says so already", test.InputPath, from.name)
			}
			for _, path := range [][]string{{"metadata", "uid"}, {"metadata", "resourceVersion"}, {"spec"}, {"status"}} {
				if At(object, path...) == nil {
					t.Errorf("%s: not a whole object, it lacks %v", test.InputPath, path)
				}
			}
		}
		before = from.check
	}
}

// TestUpstreamAgrees compares the last step with our check.
func TestUpstreamAgrees(t *testing.T) {
	steps := upstreamSteps(t)
	last, ours := steps[len(steps)-1].check, mustOurs(t)["InferenceService"]
	agreed := 0
	for name, object := range serviceStatuses(t) {
		got, want := last.Assess(object, today), ours.Assess(object, today)
		if got.Status == want.Status {
			agreed++
		} else if !intended(object, got, want) {
			t.Errorf("%s: %v, ours says %v", name, got, want)
		}
	}
	if agreed < 80 {
		t.Errorf("they agree on %d statuses only", agreed)
	}
}

// serviceStatuses are the InferenceServices of the test cases, and those that KServe's controllers wrote into
// statuses.yaml.
func serviceStatuses(t *testing.T) map[string]Object {
	t.Helper()
	all := map[string]Object{}
	folder := filepath.Join(checksDir, "InferenceService")
	files, err := filepath.Glob(filepath.Join(folder, "testdata", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, filepath.Join(folder, "statuses.yaml")) {
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) || strings.HasPrefix(filepath.Base(path), "hostile-") {
			continue // the API server accepts nothing hostile
		}
		for i, document := range strings.Split(string(data), "\n---\n") {
			var object Object
			if err := errors.Join(err, yaml.Unmarshal([]byte(document), &object)); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if object != nil {
				all[fmt.Sprintf("%s, document %d", path, i)] = object
			}
		}
	}
	return all
}

// intended reports whether the form for Argo CD shall differ from our check.
func intended(object Object, theirs, ours Verdict) bool {
	annotations, _ := At(object, "metadata", "annotations").(map[string]any)
	for name := range annotations {
		if strings.HasPrefix(name, "argocd-kserve-plugin/") {
			return true // only ours reads them
		}
	}
	var names []string
	conditions, _ := At(object, "status", "conditions").([]any)
	for _, condition := range conditions {
		name := StringAt(condition, "type")
		if slices.Contains(names, name) {
			return true // ours takes the last one
		}
		if name == "LatestDeploymentReady" && StringAt(condition, "reason") == "RevisionFailed" {
			return true // KServe does not write that
		}
		names = append(names, name)
	}
	stop, _ := annotations["serving.kserve.io/stop"].(string)
	switch {
	case theirs.Status == Suspended: // asked to resume
		return !strings.EqualFold(stop, "true")
	case strings.HasPrefix(ours.Message, "no progress since"): // theirs knows no grace period,
		return theirs.Status == Progressing
	case strings.HasPrefix(ours.Message, "model is InvalidSpec: "): // and keeps the verdict that Argo CD has now
		return theirs.Status == Degraded && ours.Status == Progressing
	case strings.HasPrefix(ours.Message, "waiting for KServe to stop"): // it is over in a moment
		return theirs.Status == Healthy
	}
	return false
}
