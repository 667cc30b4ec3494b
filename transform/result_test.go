package transform

import (
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestProblems has a rule that enriches each service, one with three places in one service, of which one is not
// repaired, and one that repairs what it can.
func TestProblems(t *testing.T) {
	enriches := wants("KS901", "owner", "us", services)
	enriches.Enriches = true
	together := only(rule("KS902", func(p *Pass) {
		for _, key := range []string{"a", "b", "c"} {
			at := yamldoc.Path{"metadata", "labels", key}
			f := Report{At: at, Message: "set it"}
			if p.Object.Get(at...) != nil {
				continue
			}
			if key != "b" {
				f.Edits = p.Object.Edits(yamldoc.Set(at, "1"))
			}
			p.Report(f)
		}
	}, services), "rose")
	together.Together = true
	file := File{Path: "all.yaml", Data: []byte(named("iris") + "---\n" + named("rose"))}

	for _, tc := range []struct {
		repaired bool // only what is repaired is enriched
		findings int
		enriched string
	}{{false, 5, "iris rose"}, {true, 4, "rose"}} {
		result, err := Run(t.Context(), []File{file}, Config{
			Rules: []*Rule{enriches, together}, EnrichRepaired: tc.repaired,
		})
		if err != nil {
			t.Fatal(err)
		}
		problems, left := result.Problems(), result.Left()
		if n := len(result.Findings()); n != tc.findings || len(problems) != 2 || len(left) != 1 {
			t.Fatalf("%v: %d findings, problems %v, left %v", tc.repaired, n, problems, left)
		}
		if f := problems[0]; f.Text() != "set it; also at metadata.labels.c" || len(f.Edits) != 2 ||
			f.Identity() != (Identity{"KS902", f.Object.String(), "", ""}) {
			t.Errorf("%v: %+v", f, f.Identity())
		}
		if f := left[0]; f.At.String() != "metadata.labels.b" || f.Also != nil {
			t.Errorf("%v", f)
		}
		var names []string
		for _, o := range result.Enriched() {
			names = append(names, o.Name)
		}
		if got := strings.Join(names, " "); got != tc.enriched || len(result.Repaired()) != 1 {
			t.Errorf("%v: enriched %s, want %s; repaired %v", tc.repaired, got, tc.enriched, result.Repaired())
		}
	}
}

// TestLineBreak edits a document that ends with a line break that only YAML has, before another one: the file can be
// read again.
func TestLineBreak(t *testing.T) {
	config := Config{Rules: []*Rule{rule("KS901", func(p *Pass) {
		if at := (yamldoc.Path{"status"}); p.Object.Get(at...) == nil {
			p.Report(Report{At: at, Message: "no status", Edits: p.Object.Edits(yamldoc.Set(at, "ready"))})
		}
	}, services)}}
	config.Rules = append(config.Rules, rule("KS902", func(p *Pass) {
		if at := (yamldoc.Path{"last"}); p.Object.Get(at...) != nil {
			p.Report(Report{At: at, Message: "last", Edits: p.Object.Edits(yamldoc.Delete(at))})
		}
	}, services))
	for _, first := range []string{
		strings.ReplaceAll(strings.TrimSuffix(service, "\n"), "\n", "\r") + "\r\n",
		service + "status: ready\u0085last: 1\n",
		service + "status: ready\u2028last: 1\n",
	} {
		result, err := Run(t.Context(), []File{{Path: "a.yaml", Data: []byte(first + "---\n" + named("b"))}}, config)
		if err != nil {
			t.Fatal(err)
		}
		once := result.Files()[0].After
		if len(result.Left()) > 0 {
			t.Errorf("%q: %v is left", first, result.Left())
		}
		result, err = Run(t.Context(), []File{{Path: "a.yaml", Data: once}}, config)
		if err != nil || len(result.Repaired()) > 0 || result.Objects() != 2 {
			t.Errorf("%q: %v, %v is repaired again", once, err, result)
		}
	}
}

// TestProveFile gives a file a document that reads as two: the edits there are withdrawn, and not those beside it.
func TestProveFile(t *testing.T) {
	e, err := newEngine(Config{Rules: []*Rule{wants("KS901", "seen", "yes", services)}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.load(t.Context(), []File{{Path: "a.yaml", Data: []byte(named("a") + "---\n" + named("b"))}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := e.analyze(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	r := e.newRepair(found)
	for after, want := range map[string]int{named("a") + "x: 1\n": 0, named("a") + "---\n" + named("a"): 1} {
		edited := *s.documents[0]
		edited.source.Body = []byte(after)
		beside := *s.documents[1]
		beside.source.Body = []byte(named("b") + "x: 1\n")
		guilty := verdict{}
		r.blameFiles(r.next(), []*document{&edited, &beside}, guilty)
		if len(guilty) != want {
			t.Errorf("%q: %d places are guilty, want %d", after, len(guilty), want)
		}
	}
}

// TestAlso names up to four places beside the first, and of more only three.
func TestAlso(t *testing.T) {
	for count, want := range map[int]string{
		0: "m", 1: "m; also at a", 4: "m; also at a, b, c, d", 5: "m; also at a, b, c and 2 more places",
	} {
		f := Finding{Report: Report{Message: "m"}, Rule: &Rule{}}
		for i := range count {
			f.Also = append(f.Also, yamldoc.Path{string(rune('a' + i))})
		}
		if got := f.Text(); got != want {
			t.Errorf("%d: %q, want %q", count, got, want)
		}
	}
}
