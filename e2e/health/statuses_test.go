package health_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var (
	kserveFlag = flag.String("kserve-version", "0.20.0,0.15.2", "releases of KServe, separated by commas, or all")
	updateFlag = flag.Bool("update", false, "write the statuses instead of comparing them; needs all releases")
)

// written is one line of what a release's test writes: an object as the controllers left it.
type written struct {
	Case, Situation, Right string
	Object                 map[string]any
}

// status is an object that controllers wrote, and in which cases.
type status struct {
	right string
	yaml  string
	cases []string // "<case> <situation>", in order
	by    map[string][]string
}

// TestStatuses lets KServe's controllers write statuses, and compares them with statuses.yaml beside the checks.
func TestStatuses(t *testing.T) {
	const module = "../../controlplane/kserve-v"
	folders, err := filepath.Glob(module + "*")
	if err != nil {
		t.Fatal(err)
	}
	var releases []string
	for _, folder := range folders {
		releases = append(releases, strings.TrimPrefix(folder, module))
	}
	chosen := releases
	if *kserveFlag != "all" {
		chosen = strings.Split(*kserveFlag, ",")
	}
	for _, release := range chosen {
		if !slices.Contains(releases, release) {
			t.Fatalf("-kserve-version: %q is not one of %s", release, strings.Join(releases, ", "))
		}
	}
	if *updateFlag && len(chosen) != len(releases) {
		t.Fatal("-update needs -kserve-version all")
	}
	kinds := map[string][]*status{}
	for _, release := range chosen {
		for _, w := range play(t, module+release) {
			kind := w.Object["kind"].(string)
			kinds[kind] = add(t, kinds[kind], release, w)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		path := filepath.Join(customizations, kind, "statuses.yaml")
		if *updateFlag {
			if err := os.WriteFile(path, []byte(document(kinds[kind])), 0o666); err != nil {
				t.Error(err)
			}
			continue
		}
		stored, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, path, chosen, entries(string(stored)), entries(document(kinds[kind])))
	}
}

// play runs the test that writes statuses in the folder of a release. make packed has packed what that needs.
func play(t *testing.T, folder string) []written {
	t.Helper()
	output := filepath.Join(t.TempDir(), "statuses")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-tags=disable_grpc_modules",
		"-run=^TestStatuses$", ".", "-statuses="+output)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", folder, err, out)
	}
	data, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	var all []written
	for decoder := json.NewDecoder(bytes.NewReader(data)); ; {
		var w written
		if err := decoder.Decode(&w); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
}

// add notes what a release wrote. Many releases and cases share an object, and must then share its verdict.
func add(t *testing.T, all []*status, release string, w written) []*status {
	t.Helper()
	data, err := yaml.Marshal(w.Object)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(s *status) bool { return s.yaml == string(data) })
	if at < 0 {
		at, all = len(all), append(all, &status{right: w.Right, yaml: string(data), by: map[string][]string{}})
	}
	s := all[at]
	if s.right != w.Right {
		t.Errorf("KServe %s, %s: the object is the same as in %s, but %s and not %s is right", release, w.Case, s.cases[0],
			w.Right, s.right)
	}
	name := w.Case + " " + w.Situation
	if len(s.by[name]) == 0 {
		s.cases = append(s.cases, name)
	}
	s.by[name] = append(s.by[name], release)
	return all
}

// document is the content of statuses.yaml. Its first comments are for people and for the tests.
func document(all []*status) string {
	var b strings.Builder
	b.WriteString("# What KServe's own controllers write, and the right verdict. `make statuses` writes this file.\n")
	for _, s := range all {
		fmt.Fprintf(&b, "---\n# right: %s\n", s.right)
		for _, name := range s.cases {
			name, situation, _ := strings.Cut(name, " ")
			fmt.Fprintf(&b, "# %s (%s): %s\n", name, strings.Join(s.by[name+" "+situation], " "), situation)
		}
		b.WriteString(s.yaml)
	}
	return b.String()
}

// entries maps "<release> <case>" to what is said of it, and the object.
func entries(content string) map[string]string {
	found := map[string]string{}
	for _, part := range strings.Split(content, "\n---\n")[1:] {
		right, rest, _ := strings.Cut(part, "\n")
		var cases []string
		for strings.HasPrefix(rest, "# ") {
			var line string
			line, rest, _ = strings.Cut(rest, "\n")
			cases = append(cases, strings.TrimPrefix(line, "# "))
		}
		for _, line := range cases {
			name, line, _ := strings.Cut(line, " (")
			by, situation, _ := strings.Cut(line, "): ")
			for _, release := range strings.Fields(by) {
				found[release+" "+name] = right + "\n# " + situation + "\n" + strings.TrimSuffix(rest, "\n")
			}
		}
	}
	return found
}

func compare(t *testing.T, path string, chosen []string, stored, produced map[string]string) {
	t.Helper()
	keys := maps.Clone(stored)
	maps.Copy(keys, produced)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		release, _, _ := strings.Cut(key, " ")
		if slices.Contains(chosen, release) && stored[key] != produced[key] {
			t.Errorf("%s is not up to date, run make statuses: KServe %s\nstored:\n%s\nwritten now:\n%s",
				path, key, stored[key], produced[key])
		}
	}
}
