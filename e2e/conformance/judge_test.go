package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// judgement is a line that a judge prints. judge/judge.go tells what it means.
type judgement struct {
	Kind, Name string
	Judged     bool
	Pruned     []string
	Refused    []struct{ By, Message string }
	Changes    []struct {
		Path          string
		Before, After json.RawMessage
		Drifts        bool
	}
	Stored map[string]any
}

func (j judgement) drifts() bool {
	for _, change := range j.Changes {
		if change.Drifts {
			return true
		}
	}
	return false
}

// repaired is an object before and after a repair.
type repaired struct {
	where         string
	before, after map[string]any
	drift         bool // only drift rules, KS601 and up, have changed it
}

// TestJudge asks KServe's own defaulters and validators about its samples and about the golden cases, before and after
// the repair. It runs for the releases that -kserve-version names and that have a program in judge.
func TestJudge(t *testing.T) {
	chosen, err := chosenSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range chosen {
		program := filepath.Join("judge", "kserve-"+source.version)
		if _, err := os.Stat(program); source.module != kserveModule || err != nil {
			continue
		}
		t.Run(source.name, func(t *testing.T) {
			sources, err := moduleDir(source.module, source.version)
			if err != nil {
				t.Fatal(err)
			}
			binary := filepath.Join(t.TempDir(), "judge")
			build := exec.Command("go", "build", "-o", binary, ".")
			build.Dir = program
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, mode := range []string{"Standard", "Knative"} {
				t.Run(mode, func(t *testing.T) {
					pairs := append(sampleRepairs(t, source, mode), goldenRepairs(t, source, mode)...)
					compareJudgements(t, judge{binary, sources, mode}, pairs, source.name+" "+mode)
				})
			}
		})
	}
}

// judge is a release's program and what it is given.
type judge struct{ binary, sources, mode string }

func (j judge) run(objects []map[string]any) ([]judgement, error) {
	var in, stderr bytes.Buffer
	for _, object := range objects {
		data, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&in, "---\n%s\n", data)
	}
	cmd := exec.Command(j.binary, "-kserve", j.sources, "-mode", j.mode)
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

// sampleRepairs are KServe's own manifests and what fix makes of them.
func sampleRepairs(t *testing.T, source source, mode string) (pairs []repaired) {
	t.Helper()
	apps, _, err := source.read()
	if err != nil {
		t.Fatal(err)
	}
	for _, app := range apps {
		if !app.concerns() {
			continue
		}
		r := &run{app: app, source: source.name}
		r.plugin = plugin{t.TempDir(), []string{
			"--source=directory", "--directory-recurse", "--allow-empty",
			"--kserve-version=" + strings.TrimPrefix(source.version, "v"), "--default-deployment-mode=" + mode,
		}}
		if err := app.write(r.plugin.dir); err != nil {
			t.Fatal(err)
		}
		r.refuse(t)
		findings, _, err := r.plugin.check(".")
		if err != nil {
			t.Fatal(err)
		}
		must(t)(r.plugin.run(nil, "fix", "."))
		after := r.read(t)
		for _, path := range r.app.paths() {
			drift := true
			for _, f := range findings {
				drift = drift && (f.File != path || !f.Repair || driftRule(f.Rule))
			}
			pairs = append(pairs, pair(t, source.name+" "+path, r.app.files[path], after[path], drift)...)
		}
	}
	return pairs
}

// goldenRepairs are the golden cases for the release, or for an unknown one, that may have this default mode.
func goldenRepairs(t *testing.T, source source, mode string) (pairs []repaired) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "rules", "*", "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		input, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		settings := settingsOf(path, input)
		const modeFlag = "--default-deployment-mode="
		otherMode := slices.ContainsFunc(settings, func(flag string) bool {
			return strings.HasPrefix(flag, modeFlag) && flag != modeFlag+mode
		})
		release := minor(versionIn(settings))
		if otherMode || release != "" && release != minor(source.version) {
			continue
		}
		a, err := plugin{filepath.Dir(path), settings}.run(nil, "generate", filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		if a.code != 0 {
			continue // a case about what the plugin refuses
		}
		rule := filepath.Base(filepath.Dir(filepath.Dir(path)))
		pairs = append(pairs, pair(t, path, input, a.stdout, driftRule(rule))...)
	}
	return pairs
}

// driftRule reports whether a rule's edits make Git equal what is stored, and so change nothing live.
func driftRule(rule string) bool { return strings.HasPrefix(rule, "KS6") }

// pair decodes KServe's objects of a file before and after its repair.
func pair(t *testing.T, where string, before, after []byte, drift bool) (pairs []repaired) {
	t.Helper()
	was, is := kserveObjects(t, before), kserveObjects(t, after)
	if len(was) != len(is) {
		t.Fatalf("%s: %d objects became %d", where, len(was), len(is))
	}
	for i := range was {
		pairs = append(pairs, repaired{where, was[i], is[i], drift})
	}
	return pairs
}

func kserveObjects(t *testing.T, data []byte) (all []map[string]any) {
	t.Helper()
	values, err := decode(data)
	if err != nil {
		return nil // a case about what Kubernetes can't read
	}
	for _, value := range values {
		if !manifest(value) {
			continue
		}
		for _, object := range objects(value) {
			if strings.HasPrefix(text(object["apiVersion"]), "serving.kserve.io/") {
				all = append(all, object)
			}
		}
	}
	return all
}

// compareJudgements asserts what a repair may never do, and prints what drifts before and after it.
func compareJudgements(t *testing.T, j judge, pairs []repaired, title string) {
	var was, is []map[string]any
	for _, p := range pairs {
		was, is = append(was, p.before), append(is, p.after)
	}
	before, err := j.run(was)
	if err != nil {
		t.Fatal(err)
	}
	after, err := j.run(is)
	if err != nil {
		t.Fatal(err)
	}
	var judged, refused, refusedAfter, newly, restarted int
	for i, p := range pairs {
		if !before[i].Judged {
			continue
		}
		judged++
		if len(before[i].Refused) > 0 {
			refused++
		}
		if len(after[i].Refused) > 0 {
			refusedAfter++
		}
		if len(before[i].Refused) == 0 && len(after[i].Refused) > 0 {
			newly++
			t.Errorf("%s: %s %s: newly refused: %v", p.where, after[i].Kind, after[i].Name, after[i].Refused)
		}
		if p.drift && !reflect.DeepEqual(before[i].Stored, after[i].Stored) {
			restarted++
			t.Errorf("%s: %s %s: a drift repair changes what is stored", p.where, before[i].Kind, before[i].Name)
		}
	}
	if judged == 0 {
		t.Error("nothing was judged")
	}
	fmt.Printf("%s: %d objects judged; refused: %d, after repair %d, newly %d; "+
		"drift repairs that change the stored object: %d\n", title, judged, refused, refusedAfter, newly, restarted)
	printDrift(before, after)
}

var index = regexp.MustCompile(`\[\d+\]`)

// printDrift prints how many objects drift, and in what way, before and after repair.
func printDrift(before, after []judgement) {
	was, is := driftKinds(before), driftKinds(after)
	names := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(is))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(was[b], was[a]), cmp.Compare(is[b], is[a]), strings.Compare(a, b))
	})
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "drift\tbefore\tafter repair")
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(w, "%s\t%d\t%d\n", name, was[name], is[name])
	}
	w.Flush()
}

// driftKinds counts the objects with each kind of drift, and all that drift.
func driftKinds(all []judgement) map[string]int {
	counts := map[string]int{}
	for _, j := range all {
		if j.drifts() {
			counts["any"]++
		}
		seen := map[string]bool{}
		for _, change := range j.Changes {
			if change.Drifts {
				seen[driftKind(j, change.Path, change.Before, change.After)] = true
			}
		}
		for kind := range seen {
			counts[kind]++
		}
	}
	return counts
}

// driftKind names a drift by its kind of object and path, and by what happens there.
func driftKind(j judgement, path string, before, after json.RawMessage) string {
	what := "changed"
	switch {
	case slices.ContainsFunc(j.Pruned, func(pruned string) bool { return pruned == path }):
		what = "pruned"
	case before == nil:
		what = "added"
	case after == nil:
		what = "removed"
	}
	return j.Kind + " " + index.ReplaceAllString(path, "[]") + " " + what
}
