package pairs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/golden"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// pair is a change of an app.
type pair struct {
	name      string
	kind      string // a row of the page
	old, new  []*unstructured.Unstructured
	namespace string    // that both are in
	failed    []string  // what the control plane says goes wrong, in the words of who says so
	anew      []string  // what it says of the new manifests alone, if the pair goes through against an error
	announced []finding // the errors of check --previous
	arisen    []finding // those of them that check does not report of the old manifests
	warned    []finding // the warnings of check --previous
	advised   []finding // and its advice
}

// TestPairs asks the control plane and check --previous about each pair.
func TestPairs(t *testing.T) {
	all := collect(t)
	result := section{}
	for batch := range slices.Chunk(all, batchSize) {
		batch = judge(t, batch)
		for _, p := range batch {
			switch v, _ := p.verdict(); v {
			case missed:
				t.Logf("fails, unannounced: %s: %q; check says %q and %q", p.name, p.failed, p.announced, p.warned)
			case alarmed:
				t.Logf("announced, and goes through: %s: %q", p.name, p.arisen)
			}
		}
		t.Logf("%d of %d pairs", len(result.pairs)+len(batch), len(all))
		result.pairs = append(result.pairs, batch...)
	}
	fmt.Printf("KServe %s\n\n%s\n", *versionFlag, result.String())
	if nothing := result.nothing(); nothing != "" && *pairFlag == "" {
		t.Error(nothing)
	}
	syncPage(t, result.String())
}

// batchSize is how many pairs are in one run of the control plane, each in a namespace of its own.
const batchSize = 50

// collect returns all pairs: the golden cases of changes, what the plugin makes of manifests that KServe publishes, and
// mutants of both, as the plugin makes them. With -pair it returns those of the name.
func collect(t *testing.T) (all []*pair) {
	t.Helper()
	name, err := regexp.Compile(*pairFlag)
	if err != nil {
		t.Fatal(err)
	}
	other := func(p *pair) bool { return !name.MatchString(p.name) }
	goldens, err := golden.Find()
	if err != nil {
		t.Fatal(err)
	}
	cases := append(goldens, samples(t)...)
	changes, bases := make([][]*pair, len(cases)), make([]*pair, len(cases))
	t.Run("cases", func(t *testing.T) {
		for i, g := range cases {
			t.Run(g.Name, func(t *testing.T) {
				t.Parallel()
				changes[i], bases[i] = ofCase(t, g)
			})
		}
	})
	all = slices.DeleteFunc(slices.Concat(changes...), other)
	wanted := map[*pair][]*pair{}
	for _, base := range bases {
		if base != nil {
			wanted[base] = slices.DeleteFunc(base.mutants(), other)
		}
	}
	var mutated []*pair
	for _, base := range sound(t, slices.DeleteFunc(bases, func(p *pair) bool { return len(wanted[p]) == 0 })) {
		mutated = append(mutated, wanted[base]...)
	}
	// Any order that a change of one case leaves as it is.
	slices.SortStableFunc(mutated, func(a, b *pair) int { return cmp.Compare(hash(a.name), hash(b.name)) })
	taken := 0
	for _, p := range mutated {
		if taken < *mutantsFlag && p.apart() {
			all, taken = append(all, p), taken+1
		}
	}
	if len(all) == 0 {
		t.Fatalf("-pair %s: no pair has such a name", name)
	}
	return sound(t, all)
}

// mutants are the changes of the app's new manifests.
func (p *pair) mutants() (all []*pair) {
	for _, m := range mutants(p.new) {
		all = append(all, &pair{name: p.name + ": " + m.what, kind: "mutants", old: p.new, new: m.manifests})
	}
	return all
}

// ofCase returns the changes that a case is, and what the plugin makes of it, nil for one that it does not read.
func ofCase(t *testing.T, g golden.Case) (changes []*pair, base *pair) {
	manifests, err := g.Manifests()
	if err != nil || g.Settings["kserve-version"] != "" ||
		!slices.Contains([]string{"", "Standard"}, g.Settings["default-deployment-mode"]) {
		return nil, nil
	}
	if data, err := os.ReadFile(strings.TrimSuffix(g.Path, filepath.Ext(g.Path)) + ".previous.yaml"); err == nil {
		previous, err := objects.ParseItems(data)
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, &pair{name: g.Name, kind: "golden cases of changes", old: previous, new: manifests})
	}
	stdout, _, code := run(t, g.Args("generate")...)
	repaired, err := objects.ParseItems(stdout)
	if code != 0 || err != nil {
		return changes, nil
	}
	if g.Rule == golden.Together {
		changes = append(changes, &pair{name: g.Name, kind: "published manifests, repaired", old: manifests, new: repaired})
	}
	return changes, &pair{name: g.Name, old: repaired, new: repaired}
}

func hash(name string) uint64 {
	sum := fnv.New64a()
	fmt.Fprint(sum, name)
	return sum.Sum64()
}

// samples are the manifests that the release publishes.
func samples(t *testing.T) (all []golden.Case) {
	t.Helper()
	source, err := toolchain.KServeManager("v" + *versionFlag).Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"docs/samples", "test"} {
		found, err := golden.Published(source, folder)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// apart reports whether the pair can be in a namespace of its own: with names, each once, and no object of all
// namespaces, which would count for the others. What a placeholder becomes is not known.
func (p *pair) apart() bool {
	for _, manifests := range [][]*unstructured.Unstructured{p.old, p.new} {
		seen := map[string]bool{}
		namespaces := map[string]bool{}
		for _, o := range manifests {
			id := o.GroupVersionKind().GroupKind().String() + " " + o.GetName()
			namespaces[o.GetNamespace()] = true
			text, _ := o.MarshalJSON()
			if o.GetName() == "" || seen[id] || bytes.Contains(text, []byte("${")) || len(namespaces) > 1 ||
				strings.HasPrefix(o.GetKind(), "Cluster") || strings.HasPrefix(o.GetKind(), "LocalModel") ||
				slices.Contains([]string{"Namespace", "CustomResourceDefinition"}, o.GetKind()) {
				return false
			}
			seen[id] = true
		}
	}
	return len(p.old) > 0 && len(p.new) > 0
}

// place puts the objects into a namespace.
func (p *pair) place(namespace string) {
	p.namespace = namespace
	moved := func(manifests []*unstructured.Unstructured) (all []*unstructured.Unstructured) {
		for _, o := range manifests {
			o = o.DeepCopy()
			o.SetNamespace(namespace)
			all = append(all, o)
		}
		return all
	}
	p.old, p.new = moved(p.old), moved(p.new)
}

// said is what plan says as JSON, as far as it is about failures.
type said struct {
	Services []struct {
		Namespace, Kind, Name string
		Stuck                 bool
		Problems              []struct{ By, Message string }
	}
	Refused []struct {
		Object  struct{ Namespace, Kind, Name string }
		Message string
	}
}

// faults are what goes wrong, by namespace.
func (s said) faults() map[string][]string {
	all := map[string][]string{}
	for _, r := range s.Refused {
		all[r.Object.Namespace] = append(all[r.Object.Namespace], "refused: "+r.Message)
	}
	for _, service := range s.Services {
		at := service.Namespace
		for _, problem := range service.Problems {
			if problem.By == "controller" || problem.By == "never settles" {
				all[at] = append(all[at], problem.By+": "+problem.Message)
			}
		}
		if service.Stuck && len(all[at]) == 0 {
			all[at] = append(all[at], "it ends without a workload")
		}
	}
	return all
}

// plan returns what plan says, or what it complains about.
func plan(t *testing.T, args ...string) (s said, complaint string) {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"plan", "--source=directory", "--without-repairs", "-o", "json",
		"--timeout=20m", "--max-memory=4Gi"}, args...)...)
	if code > 1 {
		return s, stderr
	}
	if err := json.Unmarshal(stdout, &s); err != nil {
		t.Fatal(err)
	}
	return s, ""
}

// sound puts the pairs into namespaces of their own, and returns those that begin with something that works.
func sound(t *testing.T, all []*pair) (working []*pair) {
	t.Helper()
	all = slices.DeleteFunc(all, func(p *pair) bool { return !p.apart() })
	for i, p := range all {
		p.place(fmt.Sprintf("pair-%05d", i))
	}
	for batch := range slices.Chunk(all, batchSize) {
		batch, said := planned(t, batch, func(batch []*pair) []string { return []string{write(t, "old", batch, old)} })
		faults := said.faults()
		for _, p := range batch {
			if len(faults[p.namespace]) == 0 {
				working = append(working, p)
			}
		}
	}
	return working
}

func old(p *pair) []*unstructured.Unstructured     { return p.old }
func changed(p *pair) []*unstructured.Unstructured { return p.new }

// planned runs plan without the pairs that it can't take: it takes none where it can't take one. It returns the others.
func planned(t *testing.T, batch []*pair, args func([]*pair) []string) ([]*pair, said) {
	t.Helper()
	for len(batch) > 0 {
		said, complaint := plan(t, args(batch)...)
		if complaint == "" {
			return batch, said
		}
		left := slices.DeleteFunc(slices.Clone(batch), func(p *pair) bool { return strings.Contains(complaint, p.namespace) })
		if len(left) == len(batch) {
			t.Fatal(complaint)
		}
		batch = left
	}
	return nil, said{}
}

// judge asks both about the pairs, and returns those that plan takes.
func judge(t *testing.T, batch []*pair) []*pair {
	t.Helper()
	var before, after string
	batch, said := planned(t, batch, func(batch []*pair) []string {
		before, after = write(t, "old", batch, old), write(t, "new", batch, changed)
		return []string{"--previous", before, after}
	})
	faults := said.faults()
	byNamespace := map[string]*pair{}
	for _, p := range batch {
		p.failed, byNamespace[p.namespace] = faults[p.namespace], p
	}
	known := map[string]bool{}
	for _, f := range check(t, before) {
		known[f.Fingerprint] = known[f.Fingerprint] || f.Severity == "error"
	}
	for _, f := range check(t, "--previous", before, after) {
		p := byNamespace[f.Namespace]
		switch {
		case p == nil:
		case f.Severity == "error":
			p.announced = append(p.announced, f)
			if !known[f.Fingerprint] {
				p.arisen = append(p.arisen, f)
			}
		case f.Severity == "warning":
			p.warned = append(p.warned, f)
		default:
			p.advised = append(p.advised, f)
		}
	}
	askAnew(t, batch)
	return batch
}

// askAnew asks the control plane about the new manifests of pairs that go through against an error.
func askAnew(t *testing.T, batch []*pair) {
	t.Helper()
	alarms := slices.DeleteFunc(slices.Clone(batch), func(p *pair) bool { v, _ := p.verdict(); return v != alarmed })
	alarms, said := planned(t, alarms, func(batch []*pair) []string { return []string{write(t, "anew", batch, changed)} })
	faults := said.faults()
	for _, p := range alarms {
		p.anew = faults[p.namespace]
	}
}

// finding is a finding of check.
type finding struct{ Rule, Severity, Namespace, Message, Fingerprint string }

func (f finding) String() string { return f.Rule + ": " + f.Message }

func check(t *testing.T, args ...string) []finding {
	t.Helper()
	var report struct{ Findings []finding }
	command := []string{"check", "--source=directory", "-o", "json", "--timeout=20m"}
	stdout, stderr, code := run(t, append(command, args...)...)
	if code > 1 {
		t.Fatalf("check %q: exit %d: %s", args, code, stderr)
	}
	if err := json.Unmarshal(stdout, &report); err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

// write writes the manifests of pairs into a folder, a file for each.
func write(t *testing.T, name string, batch []*pair, of func(*pair) []*unstructured.Unstructured) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range batch {
		var file bytes.Buffer
		for _, o := range of(p) {
			data, err := json.Marshal(o.Object)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&file, "---\n%s\n", data)
		}
		if err := os.WriteFile(filepath.Join(dir, p.namespace+".yaml"), file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
