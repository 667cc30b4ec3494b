package transform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// named returns a service with a name.
func named(name string) string { return strings.Replace(service, "churn", name, 1) }

// only makes a rule report nothing about services with other names.
func only(r *Rule, names ...string) *Rule {
	all := r.Run
	r.Run = func(p *Pass) {
		if slices.Contains(names, p.Object.Name) {
			all(p)
		}
	}
	return r
}

// again returns a rule that reports the same of services after its repair.
func again(id string) *Rule {
	return rule(id, func(p *Pass) {
		at := yamldoc.Path{"metadata", "labels", "seen"}
		p.Report(Report{At: at, Message: "not seen", Edits: []Edit{{Object: p.Object, Edit: yamldoc.Set(at, "again")}}})
	}, services)
}

// follows returns a rule that renames the service old, and what refers to it by the annotation ref.
func follows(id, old, name string) *Rule {
	return rule(id, func(p *Pass) {
		if p.Object.Name != old {
			return
		}
		at := yamldoc.Path{"metadata", "name"}
		edits := []Edit{{Object: p.Object, Edit: yamldoc.Set(at, name)}}
		for _, o := range p.Snapshot.Objects(services) {
			if o.Annotation("ref") == old {
				edits = append(edits, Edit{Object: o, Edit: yamldoc.Set(yamldoc.Path{"metadata", "annotations", "ref"}, name)})
			}
		}
		p.Report(Report{At: at, Message: "rename", Edits: edits})
	}, services)
}

func referring(name, to string) string {
	return strings.Replace(named(name), "  name:", "  annotations: {ref: "+to+"}\n  name:", 1)
}

// turn returns a report that changes the class from one value to another, without edits if it has another one.
func turn(p *Pass, from, to string) Report {
	at := yamldoc.Path{"metadata", "annotations", "class"}
	r := Report{At: at, Message: "not " + to}
	if p.Object.Annotation("class") == from {
		r.Edits = p.Object.Edits(yamldoc.Set(at, to))
	}
	return r
}

// TestNotRepaired gives rules some of whose repairs fail the proof: these alone are left out.
func TestNotRepaired(t *testing.T) {
	panics := func(id string) *Rule { return rule(id, func(p *Pass) { _ = p.Object.Get("spec").Items[7] }, services) }
	// spoils reports something new about one service once another has an annotation.
	spoils := func(id, name, other string) *Rule {
		return rule(id, func(p *Pass) {
			if p.Object.Name == name && slices.ContainsFunc(p.Snapshot.Objects(services), func(o *Object) bool {
				return o.Name == other && o.Annotation("seen") != ""
			}) {
				p.Report(Report{Message: "spoilt"})
			}
		}, services)
	}
	seen := func() *Rule { return wants("KS901", "seen", "yes", services) }
	inTurn := rule("KS901", func(p *Pass) { // repairs a service once the one that it refers to is repaired
		at, ref := yamldoc.Path{"metadata", "annotations", "seen"}, p.Object.Annotation("ref")
		if p.Object.Annotation("seen") == "" &&
			(ref == "" || p.Snapshot.Object(services, "", ref).Annotation("seen") != "") {
			p.Report(Report{At: at, Message: "not seen", Edits: p.Object.Edits(yamldoc.Set(at, "yes"))})
		}
	}, services)
	chain, links := []string{named("s0")}, []int{0}
	for i := range 20 {
		chain, links = append(chain, referring(fmt.Sprint("s", i+1), fmt.Sprint("s", i))), append(links, i+1)
	}
	for _, tc := range []struct {
		name      string
		rules     []*Rule
		documents []string
		edited    []int  // indexes of the documents that are edited
		failed    []int  // and of those with a finding of notRepaired
		want      string // in the message
	}{
		{"rules that disagree", []*Rule{wants("KS901", "class", "gold", services),
			only(wants("KS902", "class", "silver", services), "b")},
			[]string{named("a"), named("b"), named("c")}, []int{0, 2}, []int{1},
			"rules KS901 and KS902 disagree on metadata.annotations.class"},
		{"edits that contradict each other", []*Rule{seen(), only(rule("KS902", func(p *Pass) {
			at := yamldoc.Path{"metadata", "annotations", "class"}
			p.Report(Report{At: at, Message: "no class",
				Edits: p.Object.Edits(yamldoc.Set(at, "gold"), yamldoc.Set(at, "silver"))})
		}, services), "b")}, []string{named("a"), named("b")}, []int{0, 1}, []int{1},
			"the edits of rule KS902 contradict each other at metadata.annotations.class"},
		{"a value that can't be written", []*Rule{seen(), only(rule("KS902", func(p *Pass) {
			at := yamldoc.Path{"spec", "share"}
			p.Report(Report{At: at, Message: "no share", Edits: p.Object.Edits(yamldoc.Set(at, 0.5))})
		}, services), "b"), wants("KS903", "class", "gold", services)},
			[]string{named("a"), named("b")}, []int{0, 1}, []int{1}, "spec.share: values of type float64 can't be written"},
		{"an edit that removes an object", []*Rule{seen(), only(rule("KS902", func(p *Pass) {
			at := yamldoc.Path{"kind"}
			p.Report(Report{At: at, Message: "no list", Edits: p.Object.Edits(yamldoc.Set(at, "List"))})
		}, services), "b"), wants("KS903", "class", "gold", services)},
			[]string{named("a"), named("b")}, []int{0, 1}, []int{1}, "the edits add or remove objects"},
		{"a repair that does not help", []*Rule{seen(), only(again("KS902"), "b")},
			[]string{named("a"), named("b"), named("c")}, []int{0, 1, 2}, []int{1},
			"KS902 comes up again after the repair: not seen"},
		{"a finding that the repair makes fatal", []*Rule{only(seen(), "a", "c"), only(rule("KS902", func(p *Pass) {
			p.Report(Report{Message: "left to people", Severity: Advice, Fatal: p.Object.Annotation("class") != ""})
		}, services), "b"), only(wants("KS903", "class", "gold", services), "b")},
			[]string{named("a"), named("b"), named("c")}, []int{0, 2}, nil,
			"the repair would lead to KS902: left to people"},
		{"a second finding of a rule after the repair", []*Rule{seen(), only(rule("KS902", func(p *Pass) {
			if p.Object.Annotation("class") != "" {
				p.Report(Report{Message: "left to people"})
				p.Report(Report{Message: "new"})
				return
			}
			p.Report(Report{Message: "class",
				Edits: p.Object.Edits(yamldoc.Set(yamldoc.Path{"metadata", "annotations", "class"}, "gold"))})
		}, services), "b")}, []string{named("a"), named("b")}, []int{0, 1}, []int{1},
			"KS902 comes up again after the repair: new"},
		{"a panic", []*Rule{seen(), only(panics("KS902"), "b")},
			[]string{named("a"), named("b"), named("c")}, []int{0, 1, 2}, []int{1},
			"rule KS902: panic: runtime error: index out of range"},
		{"a panic after the repair", []*Rule{seen(), only(rule("KS902", func(p *Pass) {
			if p.Object.Annotation("seen") != "" {
				panic("seen")
			}
		}, services), "b")}, []string{named("a"), named("b"), named("c")}, []int{0, 2}, []int{1}, "rule KS902: panic: seen"},
		{"a panic at a document without edits", []*Rule{only(seen(), "a"), rule("KS902", func(p *Pass) {
			if p.Object.Name == "b" && p.Snapshot.Objects(services)[0].Annotation("seen") != "" {
				panic("seen")
			}
		}, services)}, []string{named("a"), named("b")}, nil, []int{1}, "rule KS902: panic: seen"},
		{"two failures", []*Rule{seen(), only(again("KS902"), "b"), only(panics("KS903"), "c")},
			[]string{named("a"), named("b"), named("c")}, []int{0, 1, 2}, []int{1, 2}, "KS902"},
		{"all of them", []*Rule{again("KS902")}, []string{named("a"), named("b")}, nil, []int{0, 1}, "KS902"},
		{"edits in several documents", []*Rule{follows("KS901", "a", "z"),
			only(wants("KS902", "class", "gold", services), "b", "d"),
			only(wants("KS903", "class", "silver", services), "b")},
			[]string{named("a"), referring("b", "a"), referring("c", "a"), named("d")}, []int{0, 1, 2, 3}, []int{1},
			"rules KS902 and KS903"},
		{"what depends on them", []*Rule{follows("KS901", "a", "z"), only(again("KS902"), "b"),
			// c gets an annotation that it may not have while it refers to a
			rule("KS903", func(p *Pass) {
				if o := p.Object; o.Name == "c" && o.Annotation("ref") == "a" && o.Annotation("seen") != "" {
					p.Report(Report{Message: "seen too early"})
				}
			}, services), only(wants("KS904", "seen", "yes", services), "c")},
			[]string{named("a"), referring("b", "a"), referring("c", "a")}, []int{0, 1, 2}, []int{1}, "KS902"},
		{"an edit that spoils another document",
			[]*Rule{only(seen(), "a"), wants("KS902", "class", "gold", services), spoils("KS903", "c", "a")},
			[]string{named("a"), named("b"), strings.Replace(named("c"), "  name:", "  annotations: {class: gold}\n  name:", 1)},
			[]int{0, 1}, nil, "KS901: no seen; not repaired: the repair would lead to KS903: spoilt"},
		{"a repair that reveals a warning", []*Rule{seen(), rule("KS902", func(p *Pass) {
			if p.Object.Annotation("seen") != "" {
				p.Report(Report{Message: "revealed", Severity: Warning})
			}
		}, services)}, []string{named("a")}, []int{0}, nil, "KS902: revealed"},
		{"a repair that succeeds once the others are repaired", []*Rule{seen(),
			only(wants("KS902", "class", "gold", services), "b"),
			only(rule("KS903", func(p *Pass) {
				if p.Snapshot.Objects(services)[0].Annotation("seen") == "" {
					at := yamldoc.Path{"metadata", "annotations", "class"}
					p.Report(Report{At: at, Message: "silver", Edits: []Edit{{Object: p.Object, Edit: yamldoc.Set(at, "silver")}}})
				}
			}, services), "b")},
			[]string{named("a"), named("b")}, []int{0, 1}, nil, "KS903: silver; the other repairs solve this"},
		{"rules that chase each other", []*Rule{seen(),
			only(rule("KS902", func(p *Pass) { p.Report(turn(p, "gold", "silver")) }, services), "b"),
			only(rule("KS903", func(p *Pass) { p.Report(turn(p, "silver", "gold")) }, services), "b")},
			[]string{named("a"), strings.Replace(named("b"), "  name:", "  annotations: {class: gold}\n  name:", 1)},
			[]int{0, 1}, []int{1}, "the rules KS902 and KS903 undo each other's repairs"},
		{"a repair that never ends, beside many that wait for each other", []*Rule{inTurn,
			only(rule("KS902", func(p *Pass) {
				at, long := yamldoc.Path{"metadata", "annotations", "long"}, p.Object.Annotation("long")+"x"
				p.Report(Report{At: at, Category: long, Message: "too short", Edits: p.Object.Edits(yamldoc.Set(at, long))})
			}, services), "s1")}, chain, links, []int{1}, "the repair of rule KS902 never ends"},
		{"repairs of one place, one after the other", []*Rule{only(rule("KS901", func(p *Pass) {
			at := yamldoc.Path{"metadata", "annotations", "done"}
			done := p.Object.Annotation("done")
			for i := range 20 {
				if step := string(rune('a' + i)); !strings.Contains(done, step) {
					p.Report(Report{At: at, Category: step, Message: "no " + step,
						Edits: p.Object.Edits(yamldoc.Set(at, done+step))})
				}
			}
		}, services), "a")}, []string{named("a"), named("b")}, []int{0}, nil, "no t"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			input := File{Path: "app.yaml", Data: []byte(strings.Join(tc.documents, "---\n"))}
			result, err := Run(t.Context(), []File{input}, Config{Rules: tc.rules, NotRepaired: notRepaired})
			if err != nil {
				t.Fatal(err)
			}
			after, err := yamldoc.Split(result.Files()[0].After)
			if err != nil {
				t.Fatal(err)
			}
			var edited, failed []int
			var messages strings.Builder
			for i, d := range after {
				if string(d.Body) != tc.documents[i] {
					edited = append(edited, i)
				}
				for _, f := range result.Findings() {
					line := 1 + strings.Count(strings.Join(tc.documents[:i], "---\n"), "\n") + min(i, 1)
					within := f.Line >= line && f.Line < line+strings.Count(tc.documents[i], "\n")
					if f.Rule == notRepaired && within {
						failed = append(failed, i)
						messages.WriteString(f.String() + "\n")
					}
				}
			}
			if !slices.Equal(edited, tc.edited) || !slices.Equal(failed, tc.failed) {
				t.Errorf("edited %v, failed %v, want %v and %v; findings:\n%s\n%s", edited, failed, tc.edited, tc.failed,
					result.Findings(), result.Files()[0].After)
			}
			if len(tc.failed) == 0 && !strings.Contains(fmt.Sprint(result.Findings()), tc.want) {
				t.Errorf("findings: %s, want %s", result.Findings(), tc.want)
			}
			text := messages.String()
			if len(tc.failed) > 0 && (!strings.Contains(text, tc.want) || !strings.Contains(text, ": KS000: ") ||
				!strings.Contains(text, "; not repaired: the repair is left out; please report this\n")) {
				t.Errorf("findings:\n%s\nwant %q", text, tc.want)
			}
			once := result.Files()[0].After
			result, err = Run(t.Context(), []File{{Path: "app.yaml", Data: once}}, Config{Rules: tc.rules, NotRepaired: notRepaired})
			if err != nil || !bytes.Equal(result.Files()[0].After, once) || len(result.Repaired()) > 0 {
				t.Errorf("the output changes when it is repaired again: %v\n%s", err, result.Files()[0].After)
			}
		})
	}
}

// TestIf has a rule whose repair is not worth a restart: it is made where another one restarts the pods.
func TestIf(t *testing.T) {
	restarts := only(wants("KS901", "seen", "yes", services), "a", "b", "c")
	restarts.Restarts = true
	idle := only(wants("KS902", "owner", "us", services), "d")
	companion := rule("KS903", func(p *Pass) {
		if at := (yamldoc.Path{"metadata", "annotations", "class"}); p.Object.Annotation("class") == "" {
			p.Report(Report{At: at, If: func(plan *Plan) bool { return plan.Restarts(p.Object) }, Edits: p.Object.Edits(yamldoc.Set(at, "gold"))})
		}
	}, services)
	companion.Restarts = true
	panics := rule("KS904", func(p *Pass) {
		if p.Object.Name == "b" {
			panic("b")
		}
	}, services)
	stored := only(rule("KS905", func(p *Pass) {
		if at := (yamldoc.Path{"metadata", "annotations", "mode"}); p.Object.Annotation("mode") == "" {
			p.Report(Report{At: at, AsStored: true, Edits: p.Object.Edits(yamldoc.Set(at, "Standard"))})
		}
	}, services), "e")
	stored.Restarts = true
	input := strings.Join([]string{
		named("a"), // repaired, and so is what the companion finds
		named("b"), // left as it came
		strings.Replace(named("c"), "  name:", "  annotations: {argocd-kserve-plugin/ignore: \"KS901: known\"}\n  name:", 1),
		named("d"), // its repair restarts nothing
		named("e"), // and neither does one that writes what is stored
	}, "---\n")
	config := Config{Rules: []*Rule{restarts, idle, companion, panics, stored}, Ignore: testIgnore, NotRepaired: notRepaired}
	result, err := Run(t.Context(), []File{{Path: "app.yaml", Data: []byte(input)}}, config)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Findings() {
		got = append(got, fmt.Sprintf("%s %s %d", f.Rule.ID, f.Object.Name, len(f.Edits)))
	}
	want := []string{"KS901 a 1", "KS901 b 1", "KS902 d 1", "KS903 a 1", "KS903 b 1", "KS905 e 1", "KS000 b 0"}
	if !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
	once := result.Files()[0].After
	result, err = Run(t.Context(), []File{{Path: "app.yaml", Data: once}}, config)
	if err != nil || !bytes.Equal(result.Files()[0].After, once) {
		t.Errorf("the output changes when it is repaired again: %v", err)
	}
}

// TestInsideDeleted checks that an edit inside a value that another rule deletes is no conflict.
func TestInsideDeleted(t *testing.T) {
	list := yamldoc.Path{"spec", "list"}
	removes := rule("KS901", func(p *Pass) {
		if items := p.Object.Get(list...); len(items.Items) == 2 {
			p.Report(Report{At: list, Edits: []Edit{{Object: p.Object, Edit: yamldoc.Delete(list.With(1))}}})
		}
	}, services)
	changes := rule("KS902", func(p *Pass) {
		for i, item := range p.Object.Get(list...).Items {
			if at := list.With(i, "a"); item.Get("a").Str() != "new" {
				p.Report(Report{At: at, Edits: []Edit{{Object: p.Object, Edit: yamldoc.Set(at, "new")}}})
			}
		}
	}, services)
	input := strings.Replace(service, "spec: {predictor: {}}", "spec: {list: [{a: old}, {a: old}]}", 1)
	output, err := generate(t, []*Rule{removes, changes}, File{Path: "a.yaml", Data: []byte(input)})
	if err != nil || !bytes.Contains(output, []byte("spec: {list: [{a: new}]}\n")) {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestPanic checks that a panic outside of a rule is an error.
func TestPanic(t *testing.T) {
	files := []File{{Path: "a.yaml", Data: []byte(service)}}
	config := Config{
		Rules: []*Rule{wants("KS901", "seen", "yes", services)}, NotRepaired: notRepaired,
		Index: func(*Snapshot) Index { panic("no index") },
	}
	result, err := Run(t.Context(), files, config)
	if err == nil || !strings.Contains(err.Error(), "internal error, please report it: panic: no index") || result != nil {
		t.Errorf("error %v and result %v", err, result)
	}
	runs := 0
	config.Index = func(*Snapshot) Index { // of the repaired render
		if runs++; runs == 2 {
			panic("no index")
		}
		return nil
	}
	result, err = Run(t.Context(), files, config)
	if err != nil || string(result.Files()[0].After) != service || result.Findings()[1].Rule != notRepaired {
		t.Errorf("error %v and result %v", err, result)
	}
	err = parallel(t.Context(), 3, func(i int) error {
		if i == 1 {
			panic("one")
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "panic: one") {
		t.Errorf("parallel: %v", err)
	}
}

// TestStranger has a rule that names objects which are not in the snapshot: it reports nothing, and says why.
func TestStranger(t *testing.T) {
	at := yamldoc.Path{"metadata", "labels", "seen"}
	for name, report := range map[string]func(p *Pass, stranger *Object) Report{
		"a report":         func(_ *Pass, o *Object) Report { return Report{Object: o} },
		"an edit":          func(_ *Pass, o *Object) Report { return Report{Edits: o.Edits(yamldoc.Set(at, "yes"))} },
		"an edit of nil":   func(*Pass, *Object) Report { return Report{Edits: []Edit{{Edit: yamldoc.Set(at, "yes")}}} },
		"a restart":        func(_ *Pass, o *Object) Report { return Report{Restarts: []*Object{o}} },
		"a restart of nil": func(*Pass, *Object) Report { return Report{Restarts: []*Object{nil}} },
	} {
		for _, stranger := range []string{"of no file", "of another document"} {
			t.Run(name+" "+stranger, func(t *testing.T) {
				once := rule("KS901", func(p *Pass) {
					other := &Object{Kind: "ConfigMap", Name: "other"}
					if stranger == "of another document" {
						p.Snapshot.Search(func([]byte) bool { return true }, func(o *Object) {
							if o.Kind == "ConfigMap" {
								other = o
							}
						})
					}
					p.Report(report(p, other))
				}, services)
				other := strings.Replace(named("other"), "InferenceService", "ConfigMap", 1)
				files := []File{{Path: "app.yaml", Data: []byte(named("a") + "---\n" + other)}}
				result, err := Run(t.Context(), files, Config{Rules: []*Rule{once}, NotRepaired: notRepaired})
				if err != nil {
					t.Fatal(err)
				}
				found := result.Findings()
				if len(found) != 1 || found[0].Rule != notRepaired || !strings.Contains(found[0].Message, "is not in the input") {
					t.Errorf("findings %v", found)
				}
			})
		}
	}
}

// TestPanicAfterReport checks that what a rule reports before it panics does not count, and that the other rules run.
func TestPanicAfterReport(t *testing.T) {
	reports := func(id string) *Rule {
		return rule(id, func(p *Pass) {
			p.Report(Report{Message: "left to people"})
			if id == "KS902" && p.Object.Name == "a" {
				panic("a")
			}
		}, services)
	}
	config := Config{Rules: []*Rule{reports("KS901"), reports("KS902"), reports("KS903")}, NotRepaired: notRepaired}
	files := []File{{Path: "app.yaml", Data: []byte(named("a") + "---\n" + named("b"))}}
	result, err := Run(t.Context(), files, config)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Findings() {
		got = append(got, f.Rule.ID+" "+f.Object.Name)
	}
	want := []string{"KS901 a", "KS901 b", "KS902 b", "KS903 a", "KS903 b", "KS000 a"}
	if !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
}

// TestLost checks that a finding names the comments that its own edits take out, in whatever file, and none once its
// edits are withdrawn.
func TestLost(t *testing.T) {
	removes := func(id, name string, keys ...string) *Rule {
		return rule(id, func(p *Pass) {
			if p.Object.Name != name {
				return
			}
			f := Report{At: yamldoc.Path{"spec"}, Message: "remove"}
			for _, o := range p.Snapshot.Objects(services) {
				for _, key := range keys {
					if at := (yamldoc.Path{"spec", key}); o.Get(at...) != nil {
						f.Edits = append(f.Edits, o.Edits(yamldoc.Delete(at))...)
					}
				}
			}
			if len(f.Edits) > 0 {
				p.Report(f)
			}
		}, services)
	}
	input := func(name string) []byte {
		return []byte(strings.Replace(named(name), "spec: {predictor: {}}",
			"spec:\n  x: 1 # x\n  # above\n  y: 2 # y\n  z: 3 # z", 1))
	}
	files := []File{{Path: "a.yaml", Data: []byte("---\n" + string(input("a")))}, {Path: "b.yaml", Data: input("b")}}
	rules := []*Rule{removes("KS901", "b", "y", "x"), removes("KS902", "a", "z")}
	for _, tc := range []struct {
		renderer string
		extra    []*Rule
		want     []string
	}{
		{"", nil, []string{
			"remove; this loses the comments on line 7 of a.yaml, line 9 of a.yaml, line 6, line 8",
			"remove; this loses the comments on line 10, line 9 of b.yaml"}},
		{"kustomize", nil, []string{
			"remove; this loses comments of the rendered object", "remove; this loses comments of the rendered object"}},
		{"", []*Rule{only(rule("KS903", func(p *Pass) {
			at := yamldoc.Path{"spec", "x"}
			p.Report(Report{At: at, Message: "not 9", Edits: p.Object.Edits(yamldoc.Set(at, 9))})
		}, services), "b")}, []string{
			"remove; not repaired: see the finding KS000 at b.yaml:6",
			"remove; this loses the comments on line 10, line 9 of b.yaml"}},
	} {
		files[0].Renderer, files[1].Renderer = tc.renderer, tc.renderer
		result, err := Run(t.Context(), files, Config{Rules: slices.Concat(rules, tc.extra), NotRepaired: notRepaired})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tc.want {
			if got := result.Findings()[i].Text(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	}
}

// TestSolved checks which findings without edits the edits of others solve: not if these are left out, and not those of
// another object.
func TestSolved(t *testing.T) {
	unowned := rule("KS992", func(p *Pass) {
		if p.Object.Annotation("owner") == "" {
			p.Report(Report{Message: "nobody owns it"})
		}
	}, services)
	ours := only(wants("KS991", "owner", "us", services), "churn")
	theirs := wants("KS993", "owner", "them", services)
	files := []File{{Path: "a", Data: []byte(service)}, {Path: "b", Data: []byte(named("fraud"))}}
	for name, tc := range map[string]struct {
		rules []*Rule
		want  []string
	}{
		"solved": {[]*Rule{ours, unowned}, []string{"KS992 fraud"}},
		"alone":  {[]*Rule{unowned}, []string{"KS992 churn", "KS992 fraud"}},
		"conflict": {
			[]*Rule{ours, unowned, theirs},
			[]string{"KS991 churn", "KS992 churn", "KS993 churn", "KS000 churn"},
		},
	} {
		result, err := Run(t.Context(), files, Config{Rules: tc.rules, NotRepaired: notRepaired})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range result.Left() {
			got = append(got, f.Rule.ID+" "+f.Object.Name)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v are left, want %v", name, got, tc.want)
		}
	}
}

// TestMoveComesFirst moves a field to where another rule writes: the rule waits for it, whatever their order.
func TestMoveComesFirst(t *testing.T) {
	to := yamldoc.Path{"metadata", "annotations", "class"}
	moves := func(id string) *Rule {
		return rule(id, func(p *Pass) {
			from := yamldoc.Path{"metadata", "class"}
			if p.Object.Get(from...) != nil {
				p.Report(Report{At: from, Message: "misplaced",
					Edits: p.Object.Edits(yamldoc.Set(to, "silver"), yamldoc.Delete(from))})
			}
		}, services)
	}
	gold := func(id string) *Rule {
		return rule(id, func(p *Pass) {
			if p.Object.Annotation("class") != "gold" {
				p.Report(Report{At: to, Message: "not gold", Edits: p.Object.Edits(yamldoc.Set(to, "gold"))})
			}
		}, services)
	}
	for _, rules := range [][]*Rule{{gold("KS901"), moves("KS902")}, {moves("KS901"), gold("KS902")}} {
		in := strings.Replace(service, "  name:", "  class: silver\n  name:", 1)
		result, err := Run(t.Context(), []File{{Path: "in", Data: []byte(in)}}, Config{Rules: rules, NotRepaired: notRepaired})
		if err != nil {
			t.Fatal(err)
		}
		after := string(result.Files()[0].After)
		if strings.Contains(after, "silver") || !strings.Contains(after, "class: gold") ||
			slices.ContainsFunc(result.Findings(), func(f Finding) bool { return !f.Repaired() }) {
			t.Errorf("%s before %s: got %v in\n%s", rules[0].ID, rules[1].ID, result.Findings(), after)
		}
	}
}

// TestOrder has a rule that reports about several objects at once, after another one: the order is always the same.
func TestOrder(t *testing.T) {
	for _, repaired := range []bool{true, false} {
		after := only(rule("KS902", func(p *Pass) {
			for _, o := range p.Snapshot.Objects(services) {
				at := yamldoc.Path{"metadata", "annotations", "class"}
				if p.Object.Annotation("seen") == "" || o.Annotation("class") != "" {
					continue
				}
				r := Report{Object: o, At: at, Message: "no class", Severity: Warning}
				if repaired {
					r.Edits = o.Edits(yamldoc.Set(at, "gold"))
				}
				p.Report(r)
			}
		}, services), "s0")
		var documents []string
		want := []string{"KS901 s0"}
		for i := range 12 {
			documents = append(documents, named(fmt.Sprint("s", i)))
			want = append(want, fmt.Sprint("KS902 s", i))
		}
		result, err := Run(t.Context(), []File{{Path: "app.yaml", Data: []byte(strings.Join(documents, "---\n"))}},
			Config{Rules: []*Rule{only(wants("KS901", "seen", "yes", services), "s0"), after}, NotRepaired: notRepaired})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range result.Findings() {
			got = append(got, f.Rule.ID+" "+f.Object.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("repaired: %t: findings %q, want %q", repaired, got, want)
		}
	}
}
