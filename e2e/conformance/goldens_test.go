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

// TestGoldens validates what the plugin makes of the rules' golden cases against what it is given.
func TestGoldens(t *testing.T) {
	expectations, err := filepath.Glob(filepath.Join("..", "..", "testdata", "rules", "*", "*", "*.diff"))
	if err != nil || len(expectations) == 0 {
		t.Fatal("no golden cases: ", err)
	}
	var sum verdict
	for _, expectation := range expectations {
		stem := strings.TrimSuffix(expectation, ".diff")
		for _, extension := range []string{".yaml", ".yml", ".json"} {
			path := stem + extension
			input, err := os.ReadFile(path)
			if err != nil {
				continue // kustomize cases have a folder
			}
			settings := settingsOf(path, input)
			a, err := plugin{filepath.Dir(path), settings}.run(nil, "generate", filepath.Base(path))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			validateCase(t, stem, versionIn(settings), input, a.stdout, &sum)
		}
	}
	fmt.Printf("golden cases: %d validations, %d outputs valid, %d better than the input, %d worse\n",
		sum.objects, sum.valid, sum.better, sum.worse)
	if sum.objects == 0 {
		t.Error("nothing was validated")
	}
}

var settingsLine = regexp.MustCompile(`\A# settings: (.*)`)

// settingsOf returns the settings of a case as flags: from its folders, of which the inner is a KServe version and the
// outer a rule or "together", and from its first line.
func settingsOf(path string, input []byte) []string {
	version := filepath.Dir(path)
	flags := []string{"--kserve-version=" + filepath.Base(version)}
	if rule := filepath.Base(filepath.Dir(version)); rule != "together" {
		flags = append(flags, "--rules="+rule)
	}
	if m := settingsLine.FindSubmatch(input); m != nil {
		for setting := range strings.FieldsSeq(string(m[1])) {
			flags = append(flags, "--"+setting)
		}
	}
	return flags
}

// versionIn returns the KServe version that the flags set last.
func versionIn(flags []string) string {
	version := ""
	for _, flag := range flags {
		if value, ok := strings.CutPrefix(flag, "--kserve-version="); ok {
			version = value
		}
	}
	return version
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
