package transform

import (
	"strings"
	"testing"
)

func TestValidateNil(t *testing.T) {
	if err := Validate([]*Rule{nil}); err == nil || !strings.Contains(err.Error(), "rule 0 is nil") {
		t.Errorf("error %v, want one about the nil rule", err)
	}
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Rule)
		want   string
	}{
		{"nothing wrong", func(*Rule) {}, ""},
		{"the ID of another rule", func(r *Rule) { r.ID = "KS901" }, "KS901 is the ID or name of another rule"},
		{"the name of another rule", func(r *Rule) { r.Name = "ks901" }, "ks901 is the ID or name of another rule"},
		{"no ID", func(r *Rule) { r.ID = "" }, "the ID is not letters followed by digits"},
		{"an ID in lower case", func(r *Rule) { r.ID = "ks902" }, "the ID is not letters followed by digits"},
		{"a name with spaces", func(r *Rule) { r.Name = "my rule" }, `the name "my rule"`},
		{"no documentation", func(r *Rule) { r.Doc = "\n" }, "title or documentation is missing"},
		{"no title", func(r *Rule) { r.Title = "" }, "title or documentation is missing"},
		{"an unknown severity", func(r *Rule) { r.Severity = "fatal" }, `the severity "fatal"`},
		{"no kinds", func(r *Rule) { r.Kinds = nil }, "kinds is missing"},
		{"no Run", func(r *Rule) { r.Run = nil }, "each of Run, Removed and Changed"},
		{"only Removed", func(r *Rule) { r.Run, r.Removed = nil, r.Run }, ""},
		{"a resource for a kind",
			func(r *Rule) { r.Kinds = []GroupKind{{"apps", "deployments"}} }, `no API server has a kind "deployments"`},
		{"a version in the group",
			func(r *Rule) { r.Kinds = []GroupKind{{"apps/v1", "Deployment"}} }, `in a group "apps/v1"`},
		{"all kinds of a group", func(r *Rule) { r.Kinds = []GroupKind{{"batch.example.com", AnyKind}} }, ""},
		{"all kinds of a group without a dot",
			func(r *Rule) { r.Kinds = []GroupKind{{"apps", AnyKind}} }, `no API server has a kind "*" in a group "apps"`},
		{"all kinds", func(r *Rule) { r.Kinds, r.Mentions = []GroupKind{{AnyKind, AnyKind}}, []string{"owner"} }, ""},
		{"all kinds without a mention",
			func(r *Rule) { r.Kinds = []GroupKind{{AnyKind, AnyKind}} }, "all kinds without Mentions"},
		{"a list", func(r *Rule) { r.Kinds = []GroupKind{{"", "ConfigMapList"}} }, "the kind ConfigMapList is a list"},
		{"a kind twice", func(r *Rule) { r.Kinds = []GroupKind{services, services} }, "is listed twice"},
		{"an empty mention", func(r *Rule) { r.Mentions = []string{""} }, "an empty word among Mentions"},
		{"an empty window",
			func(r *Rule) { r.Windows = []Window{{Release{0, 15, 0}, Release{0, 15, 0}}} }, "contains no release"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first, second := wants("KS901", "a", "1", services), wants("KS902", "b", "2", services)
			tc.change(second)
			err := Validate([]*Rule{first, second})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			if _, err := Run(t.Context(), nil, Config{Rules: []*Rule{first, second}}); (err == nil) != (tc.want == "") {
				t.Errorf("Run: %v", err)
			}
		})
	}
}
