package transform

import (
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestDistinct renders a source twice, as for two Applications, and says how many findings people see.
func TestDistinct(t *testing.T) {
	owner := wants("KS901", "owner", "us", services)
	says := func(message, value string) *Rule {
		return rule("KS901", func(p *Pass) {
			if p.Object.Annotation("owner") == "" {
				at := yamldoc.Path{"metadata", "annotations", "owner"}
				p.Report(Report{At: at, Message: message, Edits: p.Object.Edits(yamldoc.Set(at, value))})
			}
		}, services)
	}
	at := func(key string) *Rule {
		return rule("KS901", func(p *Pass) {
			p.Report(Report{At: yamldoc.Path{"metadata", key}, Message: "it is missing"})
		}, services)
	}
	text := named("iris")
	live := "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n" +
		"metadata: {name: iris, uid: a, resourceVersion: b}\n"
	for _, tc := range []struct {
		name           string
		first, second  *Rule
		one, other     File
		findings, same int
	}{
		{"alike", owner, owner, File{}, File{}, 1, 1},
		{"another text", owner, says("it needs an owner", "us"), File{}, File{}, 2, 0},
		{"another repair", says("no owner", "us"), says("no owner", "them"), File{}, File{}, 2, 0},
		{"another field of the line", at("labels"), at("finalizers"), File{}, File{}, 2, 0},
		{"another file", owner, owner, File{}, File{Path: "b.yaml"}, 2, 0},
		{"another object of a file", owner, owner, File{}, File{Data: []byte(named("rose"))}, 1, 1},
		{"another rendered object", owner, owner, File{Renderer: "helm"},
			File{Renderer: "helm", Data: []byte(named("rose"))}, 2, 0},
		{"the same rendered object", owner, owner, File{Renderer: "helm"}, File{Renderer: "helm"}, 1, 1},
		{"live objects", at("labels"), at("labels"), File{Live: true, Data: []byte(live)},
			File{Live: true, Data: []byte(live)}, 2, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var findings []Finding
			for i, file := range []File{tc.one, tc.other} {
				if file.Path == "" {
					file.Path = "a.yaml"
				}
				if file.Data == nil {
					file.Data = []byte(text)
				}
				file.Application = []string{"one", "two"}[i]
				result, err := Run(t.Context(), []File{file}, Config{Rules: []*Rule{[]*Rule{tc.first, tc.second}[i]}})
				if err != nil {
					t.Fatal(err)
				}
				findings = append(findings, result.Findings()...)
			}
			before := slices.Clone(findings)
			distinct := Distinct(findings)
			if len(findings) != 2 || len(distinct) != tc.findings || len(distinct[0].Same) != tc.same {
				t.Errorf("%v of %v, also for %v", distinct, findings, distinct[0].Same)
			}
			if tc.same == 1 && distinct[0].Same[0] != findings[1].Object {
				t.Errorf("it stands for %v", distinct[0].Same[0])
			}
			for i := range findings {
				if findings[i].Object != before[i].Object || findings[i].Same != nil {
					t.Error("the findings that it was given are not what they were")
				}
			}
		})
	}
}
