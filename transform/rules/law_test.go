package rules_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve/kservetest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// loss is a value that a repair takes away or overwrites.
type loss struct {
	before, after *yamldoc.Node   // the object
	objects       []*yamldoc.Node // all that are in the output
	at            yamldoc.Path    // of the value, from the object
	value         *yamldoc.Node
}

// TestLaw proves the law of repairs in docs/developers/development.md for the whole catalogue: each value that is gone from the
// output is one that a rule may take, by the table lawful. One that is empty counts too, because scheduler: {} means
// something. The inputs are those of all cases and mutants of them. A case runs with its own settings, and all run with
// the whole catalogue and the defaults.
func TestLaw(t *testing.T) {
	cases, err := suite.Find(false)
	if err != nil {
		t.Fatal(err)
	}
	law := law{t, map[*taking]bool{}}
	for _, c := range cases {
		files, config, err := suite.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		release := "0.20.0"
		if dir := c.Dirs()[len(c.Dirs())-1]; dir != "unknown" && dir[0] == '0' {
			release = dir
		}
		settings, _, _ := strings.Cut(string(files[0].Data), "\n")
		law.check(c.Name, files, config, settings)
		law.check(c.Name+" by the whole catalogue", files, byDefault(t, release), "")
		if testing.Short() {
			continue
		}
		for i := range 4 {
			name := fmt.Sprintf("mutant %d of %s", i, c.Name)
			mutated := mutant(name, files)
			law.check(name, mutated, config, settings)
			law.check(name+" by the whole catalogue", mutated, byDefault(t, release), "")
		}
	}
	if testing.Short() {
		return
	}
	for i := range lawful {
		if row := &lawful[i]; !law.used[row] {
			t.Errorf("%s takes nothing at %s: remove the row", row.rule, row.place)
		}
	}
}

// TestLawOfPublished proves the same for the manifests of KServe in the module cache, and for mutants of them.
func TestLawOfPublished(t *testing.T) {
	if testing.Short() {
		return
	}
	all := kservetest.Manifests(t)
	if len(all) == 0 {
		t.Skip("the module cache has no manifests of KServe: make conformance downloads them")
	}
	t.Logf("%d manifests of KServe are in the module cache", len(all))
	law := law{t, map[*taking]bool{}}
	for name, sample := range all {
		files := []transform.File{{Path: "sample.yaml", Data: sample.Data}}
		law.check(name, files, byDefault(t, sample.Release), "")
		law.check("mutant of "+name, mutant(name, files), byDefault(t, sample.Release), "")
	}
}

// byDefault is the configuration for a release with the defaults of all settings that are no facts.
func byDefault(t *testing.T, release string) transform.Config {
	t.Helper()
	config, _, err := rules.Options{KServeVersion: release, DefaultDeploymentMode: "Standard"}.Config()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// law is a check of the table, which notes the rows that it needs.
type law struct {
	*testing.T
	used map[*taking]bool
}

// check repairs files and compares what is gone with the table. The settings are the first line of a case. Input that
// can't be parsed is skipped.
func (t law) check(name string, files []transform.File, config transform.Config, settings string) {
	t.Helper()
	result, err := transform.Run(t.Context(), files, config)
	if err != nil || result.Fatal() {
		return
	}
	findings, objects := result.Findings(), outputs(t.T, result)
	for _, f := range result.Files() {
		before, after := documents(t.T, f.Before), documents(t.T, f.After)
		for i := range before {
			if bytes.Equal(before[i], after[i]) {
				continue
			}
			for _, l := range losses(t.T, before[i], after[i]) {
				l.objects = objects
				row := lawfully(findings, l, settings)
				for _, at := range moved(findings, l.at) { // a later repair may take what an earlier one moved
					if row < 0 {
						later := l
						later.at = at
						row = lawfully(findings, later, settings)
					}
				}
				if row < 0 {
					t.Errorf("%s: %s: %q is gone, by %v", name, l.at, l.value.Value, takers(findings, l))
				} else {
					t.used[&lawful[row]] = true
				}
			}
		}
	}
}

// lawfully returns the index of the row that allows a loss, or -1.
func lawfully(findings []transform.Finding, l loss, settings string) int {
	takers := takers(findings, l)
	return slices.IndexFunc(lawful, func(row taking) bool {
		takes := func(f transform.Finding) bool {
			return f.Rule.ID == row.rule && (f.Severity == transform.Error || !row.needsError())
		}
		return slices.ContainsFunc(takers, takes) && strings.Contains(settings, row.asked) && row.allows(l)
	})
}

// moved returns where findings put what was at a place: those that delete it, or what it is in, and set something.
func moved(findings []transform.Finding, at yamldoc.Path) (to []yamldoc.Path) {
	for _, f := range findings {
		for _, gone := range f.Edits {
			if gone.Op != yamldoc.OpDelete || len(gone.Path) > len(at) || !gone.Path.Overlaps(at) {
				continue
			}
			for _, set := range f.Edits {
				if set.Op == yamldoc.OpSet {
					to = append(to, set.Path.With(at[len(gone.Path):]...))
				}
			}
		}
	}
	return to
}

// takers returns the findings with edits at, above or below a lost value.
func takers(findings []transform.Finding, l loss) []transform.Finding {
	takes := func(e transform.Edit) bool {
		return (isOf(e.Object, l.before) || isOf(e.Object, l.after)) && wholeLists(e.Path).Overlaps(wholeLists(l.at))
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f transform.Finding) bool {
		return !slices.ContainsFunc(f.Edits, takes)
	})
}

// isOf reports whether an object is the one in the document.
func isOf(o *transform.Object, document *yamldoc.Node) bool {
	return o.Kind == document.Get("kind").Str() && o.Name == document.Get("metadata", "name").Str()
}

// wholeLists returns a path with the first item for every item of a list, since an equal one may be the one that goes.
func wholeLists(path yamldoc.Path) yamldoc.Path {
	path = slices.Clone(path)
	for i, step := range path {
		if _, isItem := step.(int); isItem {
			path[i] = 0
		}
	}
	return path
}

func documents(t *testing.T, data []byte) (bodies [][]byte) {
	t.Helper()
	split, err := yamldoc.Split(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range split {
		bodies = append(bodies, d.Body)
	}
	return bodies
}

// outputs returns all objects of the output that can be parsed.
func outputs(t *testing.T, result *transform.Result) (all []*yamldoc.Node) {
	for _, f := range result.Files() {
		for _, body := range documents(t, f.After) {
			if tree, err := yamldoc.Parse(body); err == nil {
				all = append(append(all, tree.Root), tree.Root.Get("items").List()...)
			}
		}
	}
	return all
}

func root(t *testing.T, body []byte) *yamldoc.Node {
	t.Helper()
	tree, err := yamldoc.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Root
}

// losses returns the values of a document that are gone afterwards. Those of a List are as if its items were documents.
func losses(t *testing.T, before, after []byte) (all []loss) {
	t.Helper()
	b, a := root(t, before), root(t, after)
	if items := b.Get("items").List(); strings.HasSuffix(b.Get("kind").Str(), "List") && len(items) > 0 {
		for i := range items {
			one := loss{before: items[i].Get(), after: a.Get("items", i)}
			all = append(all, one.below(nil, items[i], a.Get("items", i))...)
		}
		return all
	}
	return loss{before: b, after: a}.below(nil, b, a)
}

// below returns the losses in a value, and in what it has become.
func (l loss) below(at yamldoc.Path, before, after *yamldoc.Node) (all []loss) {
	before = before.Get()
	switch {
	case before == nil || before.IsNull() || before.Equal(after) || isEmpty(before) && after != nil:
	case isEmpty(before):
		l.at, l.value = at, before
		all = append(all, l)
	case before.Kind == yamldoc.Mapping:
		for step, child := range before.Children() {
			all = append(all, l.below(at.With(step), child, after.Get(step))...)
		}
	case before.Kind == yamldoc.Sequence:
		for i, counterpart := range counterparts(before.Items, after.List()) {
			all = append(all, l.below(at.With(i), before.Items[i], counterpart)...)
		}
	default:
		l.at, l.value = at, before
		all = append(all, l)
	}
	return all
}

// counterparts returns what each item of a list has become: if there are as many, the item at its place, else an equal
// one, else one of the same name. It is nil for an item that is gone.
func counterparts(before, after []*yamldoc.Node) []*yamldoc.Node {
	if len(before) == len(after) {
		return after
	}
	found, rest := make([]*yamldoc.Node, len(before)), slices.Clone(after)
	for _, alike := range []func(a, b *yamldoc.Node) bool{
		func(a, b *yamldoc.Node) bool { return a.Equal(b) },
		func(a, b *yamldoc.Node) bool { return a.Get("name") != nil && a.Get("name").Equal(b.Get("name")) },
	} {
		for i, item := range before {
			if j := slices.IndexFunc(rest, func(n *yamldoc.Node) bool { return alike(item, n) }); found[i] == nil && j >= 0 {
				found[i] = rest[j]
				rest = slices.Delete(rest, j, j+1)
			}
		}
	}
	return found
}

// mutant returns files with one change in one document: a value or a key becomes another one, an entry goes, or a copy
// of it comes in another object. The name decides which.
func mutant(name string, files []transform.File) []transform.File {
	hash := fnv.New64()
	hash.Write([]byte(name))
	r := rand.New(rand.NewPCG(hash.Sum64(), 0))
	files = slices.Clone(files)
	f := &files[r.IntN(len(files))]
	split, err := yamldoc.Split(f.Data)
	if err != nil || len(split) == 0 {
		return files
	}
	changed := r.IntN(len(split))
	var out []byte
	for i, d := range split {
		body := d.Body
		if i == changed {
			body = mutantBody(r, body)
		}
		out = append(append(out, d.Head...), body...)
	}
	f.Data = out
	return files
}

func mutantBody(r *rand.Rand, body []byte) []byte {
	tree, err := yamldoc.Parse(body)
	if err != nil || tree.Root == nil || tree.Root.Kind != yamldoc.Mapping {
		return body
	}
	var entries, objects []yamldoc.Path
	var values []*yamldoc.Node
	tree.Root.Walk(nil, func(at *yamldoc.Trail, n *yamldoc.Node) {
		path := at.Path()
		if n.Kind == yamldoc.Mapping {
			objects = append(objects, path)
		}
		for _, e := range n.Entries {
			entries, values = append(entries, path.With(e.Key.Value)), append(values, e.Value.Get())
		}
	})
	i := r.IntN(len(entries))
	at, object := entries[i], objects[r.IntN(len(objects))]
	content := any("mutant")
	if values[i].Value != "" {
		content = values[i].Value
	}
	edit := []yamldoc.Edit{
		yamldoc.Set(at, "mutant"), yamldoc.Set(at, 7), yamldoc.Rename(at, "mutant"), yamldoc.Delete(at),
		yamldoc.Set(object.With(at[len(at)-1]), content), yamldoc.Set(object.With("mutant"), content),
	}[r.IntN(6)]
	if mutated, err := tree.Apply([]yamldoc.Edit{edit}); err == nil {
		return mutated.Bytes()
	}
	return body
}
