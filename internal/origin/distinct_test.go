package origin_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/origin"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/paths"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestDistinct has a finding in each of two sources, and says how many people see, and about what.
func TestDistinct(t *testing.T) {
	owner := transform.Report{At: yamldoc.Path{"metadata", "annotations", "owner"}, Message: "no owner"}
	set := func(report transform.Report, owner string) transform.Report {
		report.Edits = []transform.Edit{{Edit: yamldoc.Set(report.At, owner)}}
		return report
	}
	says := func(text string) transform.Report { return transform.Report{At: owner.At, Message: text} }
	of := func(app, name string) transform.File {
		return transform.File{Path: "a.yaml", Application: app, Data: []byte(manifest(name, ""))}
	}
	rendered := func(file transform.File) transform.File {
		file.Renderer = "helm"
		return file
	}
	overlay := func(name string, line int) transform.File {
		return transform.File{
			Path: name + "/kustomization.yaml", Data: []byte(manifest(name+"-iris", name)), Renderer: "kustomize",
			FindAffixes: func() transform.Affixes { return transform.Affixes{Prefix: name + "-"} },
			FindSource:  func(yamldoc.Path, int) transform.Source { return transform.Source{Path: "base.yaml", Line: line} },
		}
	}
	everywhere := overlay("old", 3)
	everywhere.Data = []byte(manifest("old-iris", ""))
	in := func(app string, file transform.File) transform.File {
		file.Application = app
		return file
	}
	live := of("", "iris")
	live.Live, live.Data = true, []byte(manifest("iris, uid: a, resourceVersion: b", ""))
	for _, tc := range []struct {
		name          string
		file, other   transform.File
		report, again transform.Report
		subjects      []string
	}{
		{"two applications", of("one", "iris"), of("two", "iris"), set(owner, "us"), set(owner, "us"),
			[]string{"InferenceService iris (applications one, two)"}},
		{"another text", of("one", "iris"), of("two", "iris"), owner, says("it needs an owner"),
			[]string{"InferenceService iris (application one)", "InferenceService iris (application two)"}},
		{"another repair", of("one", "iris"), of("two", "iris"), set(owner, "us"), set(owner, "them"),
			[]string{"InferenceService iris (application one)", "InferenceService iris (application two)"}},
		{"a repair and none", of("one", "iris"), of("two", "iris"), set(owner, "us"), owner,
			[]string{"InferenceService iris (application one)", "InferenceService iris (application two)"}},
		{"another field of the line", of("one", "iris"), of("two", "iris"),
			transform.Report{At: yamldoc.Path{"metadata", "labels"}}, transform.Report{At: yamldoc.Path{"metadata", "finalizers"}},
			[]string{"InferenceService iris (application one)", "InferenceService iris (application two)"}},
		{"another severity", of("one", "iris"), of("two", "iris"), owner,
			transform.Report{At: owner.At, Message: owner.Message, Severity: transform.Advice},
			[]string{"InferenceService iris (application one)", "InferenceService iris (application two)"}},
		{"another file", of("one", "iris"), transform.File{Path: "b.yaml", Data: []byte(manifest("iris", ""))}, owner, owner,
			[]string{"InferenceService iris (application one)", "InferenceService iris"}},
		{"a rendered object", rendered(of("one", "iris")), rendered(of("two", "iris")), owner, owner,
			[]string{"InferenceService iris (applications one, two)"}},
		{"another rendered object", rendered(of("one", "iris")), rendered(of("two", "rose")), owner, owner,
			[]string{"InferenceService iris (application one)", "InferenceService rose (application two)"}},
		{"live objects", live, live, owner, owner, []string{"InferenceService iris", "InferenceService iris"}},
		{"overlays of a base", overlay("new", 3), overlay("old", 3), set(owner, "us"), set(owner, "us"),
			[]string{"InferenceService iris (overlays new, old)"}},
		{"an overlay of an application", in("one", overlay("new", 3)), overlay("old", 3), owner, owner,
			[]string{"InferenceService iris (application one, overlay old)"}},
		{"names of overlays", overlay("new", 3), overlay("old", 3),
			set(says("no owner of HPA new/new-iris"), "us"), set(says("no owner of HPA old/old-iris"), "us"),
			[]string{"InferenceService iris (overlays new, old)"}},
		{"an overlay without a namespace", overlay("new", 3), everywhere,
			set(says("no owner of httpGet /v2"), "us"), set(says("no owner of httpGet /v2"), "us"),
			[]string{"InferenceService iris (overlays new, old)"}},
		{"overlays that want different things", overlay("new", 3), overlay("old", 3), set(owner, "us"), set(owner, "them"),
			[]string{"InferenceService new/new-iris", "InferenceService old/old-iris"}},
		{"another line of the base", overlay("new", 3), overlay("old", 4), owner, owner,
			[]string{"InferenceService new/new-iris", "InferenceService old/old-iris"}},
		{"no line of the base", overlay("new", 0), overlay("old", 0), owner, owner,
			[]string{"InferenceService iris (overlays new, old)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			findings := append(found(t, tc.file, tc.report), found(t, tc.other, tc.again)...)
			distinct := origin.Of(paths.Dir(t.TempDir()), findings).Distinct(findings)
			var subjects []string
			for _, f := range distinct {
				subjects = append(subjects, f.Subject())
			}
			if !slices.Equal(subjects, tc.subjects) {
				t.Errorf("findings about %q, want %q", subjects, tc.subjects)
			}
			if len(findings) != 2 || findings[0].Same != nil {
				t.Errorf("the findings that it was given have become %v", findings)
			}
		})
	}
}

func manifest(name, namespace string) string {
	text := "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: %s, namespace: %q}\n"
	return fmt.Sprintf(text, name, namespace)
}

// found returns the findings of a rule that makes a report.
func found(t *testing.T, file transform.File, report transform.Report) []transform.Finding {
	t.Helper()
	rule := &transform.Rule{
		ID: "KS991", Name: "owner", Title: "No owner", Doc: "It breaks.", Example: "x", Severity: transform.Warning,
		Kinds: []transform.GroupKind{{Group: "serving.kserve.io", Kind: "InferenceService"}},
		Run: func(p *transform.Pass) {
			if p.Object.Get(report.At...) == nil {
				report := report
				if len(report.Edits) > 0 {
					report.Edits = p.Object.Edits(report.Edits[0].Edit)
				}
				p.Report(report)
			}
		},
	}
	result, err := transform.Run(t.Context(), []transform.File{file}, transform.Config{Rules: []*transform.Rule{rule}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Findings()
}
