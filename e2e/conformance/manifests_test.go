package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// settings are the combinations under which apps that concern rules are run; all others see only the first.
var settings = []struct {
	name, version string
	flags         []string
}{
	{"defaults", "", nil},
	{"0.11.2 Knative, no KS301", "0.11.2", []string{"--default-deployment-mode=Knative", "--rules=-KS301"}},
	{"0.13.1 Standard", "0.13.1", []string{"--default-deployment-mode=Standard", "--health-metadata=true"}},
	{"0.14.1 Standard, tcp", "0.14.1", []string{"--default-deployment-mode=Standard", "--probes=tcp", "--rules=-KS301"}},
	{"0.15.2 Standard", "0.15.2", []string{"--default-deployment-mode=Standard"}},
	{"0.17.0 Standard, rewrite", "0.17.0", []string{
		"--default-deployment-mode=Standard", "--deployment-mode-rewrite=always",
	}},
	{"0.20.0 Standard, always", "0.20.0", []string{
		"--default-deployment-mode=Standard", "--probes=always", "--health-metadata=true", "--shared-runtimes=edit",
		"--progress-deadline-seconds=1800",
	}},
	{"0.20.0 Knative", "0.20.0", []string{"--default-deployment-mode=Knative"}},
}

// TestManifests runs every command over the manifests that KServe and Argo CD publish.
func TestManifests(t *testing.T) {
	table := &table{}
	t.Cleanup(table.print)
	chosen, err := chosenSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range chosen {
		apps, unreadable, err := source.read()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(source.name, func(t *testing.T) {
			t.Run("unreadable", func(t *testing.T) {
				t.Parallel()
				checkUnreadable(t, source, unreadable, table)
			})
			for _, app := range apps {
				for i := range settings {
					if i == 0 || app.concerns() {
						t.Run(settings[i].name+"/"+app.name, func(t *testing.T) {
							t.Parallel()
							r := run{
								app: app, source: source.name, setting: i,
								counts: counts{rules: map[string]int{}, left: map[string]int{}},
							}
							r.check(t)
							table.add(source.name, settings[i].name, r.counts)
						})
					}
				}
			}
		})
	}
}

// checkUnreadable runs files that Kubernetes can't read: what the plugin can't read either, it names.
func checkUnreadable(t *testing.T, source source, files app, table *table) {
	dir := t.TempDir()
	if err := files.write(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range files.paths() {
		a, err := plugin{dir, nil}.run(nil, "generate", "--allow-empty", path)
		if err != nil {
			t.Error(err)
			continue
		}
		c := counts{files: 1, unreadable: 1}
		if a.code == 2 {
			if at, err := a.refused(); err != nil || at != path {
				t.Errorf("%s: %v %s", path, err, a.stderr)
			}
			t.Logf("refused: %s", a.stderr)
			c.refused = 1
		}
		table.add(source.name, settings[0].name, c)
	}
}

// run is an app under some settings.
type run struct {
	app     app
	source  string
	setting int
	plugin  plugin
	counts  counts
}

func (r *run) check(t *testing.T) {
	always := []string{"--source=directory", "--directory-recurse", "--allow-empty"}
	r.plugin = plugin{t.TempDir(), append(always, settings[r.setting].flags...)}
	if v := settings[r.setting].version; v != "" {
		r.plugin.settings = append(r.plugin.settings, "--kserve-version="+v)
	}
	if err := r.app.write(r.plugin.dir); err != nil {
		t.Fatal(err)
	}
	r.counts.files = len(r.app.files)
	generated := r.refuse(t)
	findings, _, err := r.plugin.check(".")
	if err != nil {
		t.Fatal(err)
	}
	diff := must(t)(r.plugin.run(nil, "diff", "."))
	r.untouched(t, "diff")
	after := r.applied(t, diff.stdout)
	must(t)(r.plugin.run(nil, "fix", "."))
	r.report(t, findings)
	pairs := r.pairs(t, findings, after)
	r.compare(t, pairs)
	r.fixed(t, pairs)
	r.stream(t, generated.stdout, pairs)
	r.again(t, generated.stdout)
}

// report counts what is found and left to people.
func (r *run) report(t *testing.T, findings []finding) {
	for _, f := range findings {
		if !f.Repair {
			r.counts.left[f.Rule]++
			t.Logf("left: %s:%d: %s: %s", f.File, f.Line, f.Rule, f.Message)
		}
	}
}

func must(t *testing.T) func(answer, error) answer {
	return func(a answer, err error) answer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if a.code == 2 {
			t.Fatalf("exit code 2: %s", a.stderr)
		}
		return a
	}
}

// refuse runs generate and takes those files out of the app that it rejects, each with a position, until it succeeds.
func (r *run) refuse(t *testing.T) answer {
	for {
		a, err := r.plugin.run(nil, "generate", ".")
		if err != nil {
			t.Fatal(err)
		}
		if a.code == 0 {
			return a
		}
		path, err := a.refused()
		if _, known := r.app.files[path]; err != nil || !known {
			t.Fatalf("%v: %q: %s", err, path, a.stderr)
		}
		t.Logf("refused: %s", a.stderr)
		r.counts.refused++
		if err := os.Remove(filepath.Join(r.plugin.dir, path)); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for p, data := range r.app.files {
			if p != path {
				files[p] = data
			}
		}
		r.app.files = files
	}
}

func (r *run) read(t *testing.T) map[string][]byte { return r.app.in(t, r.plugin.dir) }

// in returns the app's files in a folder.
func (a app) in(t *testing.T, dir string) map[string][]byte {
	files := map[string][]byte{}
	for path := range a.files {
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		files[path] = data
	}
	return files
}

func (r *run) untouched(t *testing.T, by string) {
	for path, data := range r.read(t) {
		if !bytes.Equal(data, r.app.files[path]) {
			t.Errorf("%s: written by %s", path, by)
		}
	}
}

// applied returns the files that the diff makes.
func (r *run) applied(t *testing.T, diff []byte) map[string][]byte {
	dir := t.TempDir()
	if err := r.app.write(dir); err != nil {
		t.Fatal(err)
	}
	if len(diff) > 0 {
		apply := exec.Command("git", "apply", "-p1", "--whitespace=nowarn")
		apply.Dir, apply.Stdin = dir, bytes.NewReader(diff)
		apply.Env = []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), "PATH=" + os.Getenv("PATH")}
		if out, err := apply.CombinedOutput(); err != nil {
			t.Fatalf("the diff does not apply: %v %s", err, out)
		}
	}
	return r.app.in(t, dir)
}

// pair is a document before and after the diff, and the rules of its findings that are to be repaired.
type pair struct {
	path          string
	before, after document
	rules         []string
}

// pairs reads the documents of all files.
func (r *run) pairs(t *testing.T, findings []finding, after map[string][]byte) (all []pair) {
	for _, path := range r.app.paths() {
		before, err := read(r.app.files[path])
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		now := before
		if !bytes.Equal(r.app.files[path], after[path]) {
			now, err = read(after[path])
		}
		if err != nil || len(now) != len(before) {
			t.Fatalf("%s: %d documents became %d: %v", path, len(before), len(now), err)
		}
		rules := make([][]string, len(before))
		for _, f := range findings {
			if f.File == path && f.Repair {
				n := at(before, f.Line)
				rules[n] = append(rules[n], f.Rule)
			}
		}
		for i := range before {
			all = append(all, pair{path, before[i], now[i], rules[i]})
		}
	}
	return all
}

// enrichments are the rules whose annotations come without a finding.
var enrichments = []string{"KS204", "KS301"}

// compare checks each document: identical, or changed as the rules of its findings mean it.
func (r *run) compare(t *testing.T, pairs []pair) {
	renamed := map[string]string{}
	for _, p := range pairs {
		r.counts.documents += len(p.before.values)
		for n, value := range p.before.values {
			was, is := objects(value), objects(p.after.values[n])
			for o := range was {
				if name(was[o]) != name(is[o]) {
					renamed[name(was[o])] = name(is[o])
				}
			}
		}
	}
	for _, p := range pairs {
		if bytes.Equal(p.before.body, p.after.body) {
			if len(p.rules) > 0 {
				t.Errorf("%s:%d: nothing is changed for %v", p.path, p.before.line, p.rules)
			}
			continue
		}
		var behind []string
		for n, value := range p.before.values {
			rules := slices.Concat(p.rules, enrichments)
			behind = append(behind, r.compareValue(t, p.path, value, p.after.values[n], rules, renamed)...)
		}
		slices.Sort(behind)
		for _, rule := range p.rules {
			if !slices.Contains(behind, rule) {
				t.Errorf("%s:%d: %s is said to be repaired, but nothing it means has changed", p.path, p.before.line, rule)
			}
		}
		r.counts.touched++
		for _, rule := range slices.Compact(behind) {
			r.counts.rules[rule]++
			if rule != "KS301" {
				t.Logf("touched: %s:%d: %s", p.path, p.before.line, rule)
			}
		}
	}
}

// fixed checks what fix wrote: what the diff says where something is repaired, and nothing where the diff only adds
// annotations.
func (r *run) fixed(t *testing.T, pairs []pair) {
	files := r.read(t)
	documents := map[string][]document{}
	for _, p := range pairs {
		if documents[p.path] == nil {
			read, err := read(files[p.path])
			if err != nil {
				t.Fatalf("%s: %v", p.path, err)
			}
			documents[p.path] = read
		}
		got := documents[p.path][0]
		documents[p.path] = documents[p.path][1:]
		switch {
		case len(p.rules) == 0:
			if !bytes.Equal(got.body, p.before.body) {
				t.Errorf("%s:%d: fix writes what repairs nothing", p.path, p.before.line)
			}
		case bytes.Equal(got.body, p.after.body):
		default: // several objects
			for n, value := range got.values {
				was, is := objects(p.before.values[n]), objects(p.after.values[n])
				for i, object := range objects(value) {
					repaired := reflect.DeepEqual(object, is[i])
					if len(was) == 1 && !repaired || !repaired && !reflect.DeepEqual(object, was[i]) {
						t.Errorf("%s: %s: the diff says something else than fix", p.path, name(object))
					}
				}
			}
		}
	}
}

// compareValue checks one manifest and returns the rules behind its changes.
func (r *run) compareValue(
	t *testing.T, path string, before, after any, rules []string, renamed map[string]string,
) (behind []string) {
	was, is := objects(before), objects(after)
	if len(was) != len(is) {
		t.Errorf("%s: %d objects became %d", path, len(was), len(is))
		return nil
	}
	for i := range was {
		expected := was[i]
		if slices.Contains(rules, "KS601") {
			if object, done := withModel(was[i], is[i]); done {
				expected, behind = object, append(behind, "KS601")
			}
		}
		found := changes(nil, expected, is[i])
		by, err := intended(expected, found, rules, renamed)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		behind = append(behind, by...)
		if !reflect.DeepEqual(was[i], is[i]) {
			worse, err := r.counts.schema.compare(settings[r.setting].version, expected, is[i])
			if err != nil || len(worse) > 0 {
				t.Errorf("%s: %s %s: less valid than before: %v %v", path, was[i]["kind"], name(was[i]), worse, err)
			}
		}
	}
	return behind
}

// stream checks what generate wrote: every manifest of the repaired files, in order, byte for byte, and nothing else.
func (r *run) stream(t *testing.T, generated []byte, pairs []pair) {
	var want, written [][]byte
	var values []any
	for _, p := range pairs {
		d := p.after
		if slices.ContainsFunc(d.values, manifest) {
			want = append(want, bytes.TrimRight(d.body, "\n"))
			values = append(values, d.values...)
		}
	}
	got, err := decode(generated)
	if err != nil || !reflect.DeepEqual(got, values) {
		t.Errorf("generate wrote %d manifests, the files hold %d, or they differ: %v", len(got), len(values), err)
	}
	for _, d := range split(generated) {
		if !d.blank() {
			written = append(written, bytes.TrimRight(d.body, "\n"))
		}
	}
	if !slices.EqualFunc(written, want, bytes.Equal) {
		t.Error("generate and diff write other bytes")
	}
}

// again checks that what was repaired stays as it is.
func (r *run) again(t *testing.T, generated []byte) {
	findings, _, err := r.plugin.check(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Repair {
			t.Errorf("%s:%d: %s is to be repaired again: %s", f.File, f.Line, f.Rule, f.Message)
		}
	}
	flags := slices.DeleteFunc(slices.Clone(r.plugin.settings), func(flag string) bool {
		return strings.HasPrefix(flag, "--source") || strings.HasPrefix(flag, "--directory")
	})
	twice := must(t)(plugin{r.plugin.dir, flags}.run(generated, "generate", "-"))
	if !bytes.Equal(twice.stdout, generated) {
		t.Error("generate changes its own output")
	}
}
