package health

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// kserveStatus is an object as KServe's own controllers left it, and the right verdict on it.
type kserveStatus struct {
	right string // a Status, or two of them: before and after the limits
	yaml  string
	cases []kserveCase
}

// kserveCase is a case in which some releases write an object.
type kserveCase struct {
	name, situation string
	releases        []string
}

func (c kserveCase) String() string {
	return fmt.Sprintf("%s (%s)", c.name, strings.Join(c.releases, " "))
}

func (s kserveStatus) object(t *testing.T) (object Object) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(s.yaml), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// loadStatuses reads statuses.yaml of a kind, which controlplane/statuses writes.
func loadStatuses(t *testing.T, kind string) []kserveStatus {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(checksDir, kind, "statuses.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []kserveStatus
	for _, document := range strings.Split(string(data), "\n---\n")[1:] {
		s := kserveStatus{yaml: document}
		var rest string
		s.right, rest, _ = strings.Cut(strings.TrimPrefix(document, "# right: "), "\n")
		for line := range strings.Lines(rest) {
			line, isComment := strings.CutPrefix(line, "# ")
			if !isComment {
				break
			}
			name, line, _ := strings.Cut(line, " (")
			releases, situation, _ := strings.Cut(line, "): ")
			s.cases = append(s.cases, kserveCase{name, strings.TrimSpace(situation), strings.Fields(releases)})
		}
		all = append(all, s)
	}
	return all
}

// kindsWithStatuses are those whose controllers controlplane/statuses runs. Real controllers on an API server wrote the test
// cases of LLMInferenceService.
func kindsWithStatuses() []string {
	return slices.DeleteFunc(slices.Clone(Kinds), func(kind string) bool { return kind == "LLMInferenceService" })
}

// says is what a check says of an object, before and after the limits, in the form of kserveStatus.right.
func says(check Check, object Object) string {
	created, _ := time.Parse(time.RFC3339, StringAt(object, "metadata", "creationTimestamp"))
	first, later := check.Assess(object, created.Add(time.Minute)).Status, check.Assess(object, today).Status
	if first == later {
		return string(first)
	}
	return fmt.Sprintf("%s, later %s", first, later)
}

// TestStatuses holds the checks to the right verdict on everything that KServe's controllers write.
func TestStatuses(t *testing.T) {
	ours := mustOurs(t)
	for _, kind := range kindsWithStatuses() {
		for _, s := range loadStatuses(t, kind) {
			object := s.object(t)
			if got := says(ours[kind], object); got != s.right {
				t.Errorf("%s %v: %s, want %s", kind, s.cases, got, s.right)
			}
			for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp"} {
				if At(object, "metadata", field) == nil {
					t.Errorf("%s %v lacks metadata.%s", kind, s.cases, field)
				}
			}
		}
	}
}
