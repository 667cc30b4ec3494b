package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGoldens validates what the rules' golden cases expect against what they are given.
func TestGoldens(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join("..", "..", "testdata", "rules", "*", "*", "*.golden"))
	if err != nil || len(goldens) == 0 {
		t.Fatal("no golden cases: ", err)
	}
	var sum verdict
	for _, golden := range goldens {
		stem := strings.TrimSuffix(golden, ".golden")
		for _, extension := range []string{".yaml", ".yml", ".json"} {
			input, err := os.ReadFile(stem + extension)
			if err != nil {
				continue // kustomize cases have a folder
			}
			output, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			validateCase(t, stem, versionOf(golden, input), input, output, &sum)
		}
	}
	fmt.Printf("golden cases: %d validations, %d outputs valid, %d better than the input, %d worse\n", sum.objects, sum.valid, sum.better, sum.worse)
	if sum.objects == 0 {
		t.Error("nothing was validated")
	}
}

var versionSetting = regexp.MustCompile(`\A# settings: .*kserve-version=(\S+)`)

// versionOf is the release that a case is about: its settings' or its folder's.
func versionOf(path string, input []byte) string {
	if m := versionSetting.FindSubmatch(input); m != nil {
		return string(m[1])
	}
	return filepath.Base(filepath.Dir(path))
}

func validateCase(t *testing.T, name, version string, input, output []byte, sum *verdict) {
	t.Helper()
	if len(output) == 0 {
		return // refused
	}
	before, err := decode(input)
	if err != nil {
		return // a case about what Kubernetes can't read
	}
	after, err := decode(output)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	before = slices.DeleteFunc(before, func(v any) bool { return !manifest(v) })
	if len(before) != len(after) {
		t.Errorf("%s: %d manifests became %d", name, len(before), len(after))
		return
	}
	for i := range before {
		was, is := objects(before[i]), objects(after[i])
		for n := range was {
			worse, err := sum.compare(version, was[n], is[n])
			if err != nil || len(worse) > 0 {
				t.Errorf("%s: %s: less valid than before: %v %v", name, text(was[n]["kind"]), worse, err)
			}
		}
	}
}

// objects are those of a manifest: itself, or the items of a list.
func objects(value any) []map[string]any {
	object, _ := value.(map[string]any)
	items, _ := object["items"].([]any)
	if len(items) == 0 || !strings.HasSuffix(text(object["kind"]), "List") {
		return []map[string]any{object}
	}
	var all []map[string]any
	for _, item := range items {
		all = append(all, objects(item)...)
	}
	return all
}
