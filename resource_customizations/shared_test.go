package customizations

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// TestSharedLines compares the helpers of which several checks carry a copy.
func TestSharedLines(t *testing.T) {
	const (
		begin = "-- Shared lines: Argo CD loads each check alone, so each carries a copy, and a test compares them.\n"
		end   = "-- End of the shared lines.\n"
		first = "serving.kserve.io/InferenceService/health.lua"
	)
	shared := func(path string) []string {
		t.Helper()
		source, err := fs.ReadFile(Lua, path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(source), begin)
		lines, _, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s lacks the lines %q and %q", path, begin, end)
		}
		return slices.Collect(strings.Lines(lines))
	}
	want := shared(first)
	for _, kind := range []string{"InferenceGraph", "LLMInferenceService", "TrainedModel"} {
		path := "serving.kserve.io/" + kind + "/health.lua"
		got := shared(path)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("line %d of the shared lines in %s differs from %s; change it in every check", i+1, path, first)
				break
			}
		}
	}
}

// TestCaches compares the checks of the two kinds of caches, which differ in their first lines only.
func TestCaches(t *testing.T) {
	var bodies []string
	for _, kind := range []string{"LocalModelCache", "LocalModelNamespaceCache"} {
		source, err := fs.ReadFile(Lua, "serving.kserve.io/"+kind+"/health.lua")
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(source), "\n\n")
		bodies = append(bodies, body)
	}
	if bodies[0] != bodies[1] {
		t.Error("the checks of LocalModelCache and LocalModelNamespaceCache differ; change both")
	}
}
