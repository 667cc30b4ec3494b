package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// find runs two rules over one document and returns the IDs of those that found something.
func find(t *testing.T, manifest string) ([]string, error) {
	t.Helper()
	result, err := runOver(t, manifest, Config{})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range result.Findings() {
		ids = append(ids, f.Rule.ID)
	}
	return ids, nil
}

// runOver runs two rules over one document. KS203 removes finalizers, and KS202 finds nothing.
func runOver(t *testing.T, manifest string, config Config) (*Result, error) {
	t.Helper()
	finalizer := rule("KS203", func(p *Pass) {
		at := yamldoc.Path{"metadata", "finalizers", 0}
		if p.Object.Get(at...) != nil {
			p.Report(Report{At: at, Message: "a finalizer", Edits: p.Object.Edits(yamldoc.Delete(at[:2]))})
		}
	}, hpas)
	config.Ignore, config.UnusedIgnore = testIgnore, unusedIgnore
	config.Rules = []*Rule{rule("KS202", func(*Pass) {}, hpas), finalizer}
	return Run(t.Context(), []File{{Path: "app.yaml", Data: []byte(manifest)}}, config)
}

func TestSuppress(t *testing.T) {
	const (
		head  = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:"
		above = `
  name: a
  finalizers:
  # argocd-kserve-plugin/ignore: KS203: the team keeps it
  - kserve.io/protect
`
	)
	tests := []struct {
		name     string
		metadata string
		want     []string
	}{
		{"nothing", `
  name: a
  finalizers:
  - kserve.io/protect
`, []string{"KS203"}},
		{"by annotation", `
  name: a
  annotations:
    argocd-kserve-plugin/ignore: 'KS203: the team keeps it'
  finalizers: [kserve.io/protect]
`, nil},
		{"by annotation with an escape", `
  name: a
  annotations:
    "argocd\u002dkserve-plugin/ignore": 'KS203: the team keeps it'
  finalizers: [kserve.io/protect]
`, nil},
		{"several by annotation", `
  name: a
  annotations:
    argocd-kserve-plugin/ignore: 'KS202: old; KS203: the team keeps it'
  finalizers: [kserve.io/protect]
`, nil},
		{"another rule by annotation", `
  name: a
  annotations:
    argocd-kserve-plugin/ignore: 'KS202: the team keeps it'
  finalizers: [kserve.io/protect]
`, []string{"KS203"}},
		{"on the line", `
  name: a
  finalizers:
  - kserve.io/protect # argocd-kserve-plugin/ignore: KS203: the team keeps it
`, nil},
		{"on the line above", above, nil},
		{"with CRLF", strings.ReplaceAll(above, "\n", "\r\n"), nil},
		{"two lines above", `
  # argocd-kserve-plugin/ignore: KS203: the team keeps it
  name: a
  finalizers:
  - kserve.io/protect
`, []string{"KS203"}},
		{"behind the key of a block", `
  name: a
  finalizers: # argocd-kserve-plugin/ignore: KS203: the team keeps it
  - kserve.io/keep
  - kserve.io/protect
`, nil},
		{"in a value of several lines", `
  name: a
  finalizers: [ # argocd-kserve-plugin/ignore: KS203: the team keeps it
    kserve.io/protect]
`, nil},
		{"behind another key of the line above", `
  finalizers:
  - kserve.io/protect
  name: a # argocd-kserve-plugin/ignore: KS203: of something else
`, []string{"KS203"}},
		{"on the line below", `
  finalizers:
  - kserve.io/protect
  - kserve.io/keep # argocd-kserve-plugin/ignore: KS203: of something else
  name: a
`, []string{"KS203"}},
		{"above the document", "\n  name: a\n  finalizers:\n  - kserve.io/protect\n", nil},
		{"above the list", `
  name: a
  # argocd-kserve-plugin/ignore: KS203: the team keeps it
  finalizers:
  - kserve.io/protect
`, nil},
		{"above the list, with more comments and blank lines between", `
  name: a
  # argocd-kserve-plugin/ignore: KS203: the team keeps it
  # until March

  # argocd-kserve-plugin/ignore: KS202: so it does
  finalizers:

  - kserve.io/protect
`, nil},
		{"above what contains the list", "# above", nil},
		{"above the next key", `
  finalizers:
  - kserve.io/protect
  # argocd-kserve-plugin/ignore: KS203: of something else
  name: a
`, []string{"KS203"}},
		{"below everything", `
  name: a
  finalizers:
  - kserve.io/protect
# argocd-kserve-plugin/ignore: KS203: of something else
`, []string{"KS203"}},
		{"in a text", `
  name: a
  annotations:
    note: |
      # argocd-kserve-plugin/ignore: everything
    other: "# argocd-kserve-plugin/ignore: everything"
  finalizers:
  - kserve.io/protect
`, []string{"KS203"}},
		{"another rule on the line", `
  name: a
  finalizers:
  - kserve.io/protect # argocd-kserve-plugin/ignore: KS202: the team keeps it
`, []string{"KS203"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			manifest := head + tc.metadata + "spec: {maxReplicas: 2}\n"
			switch tc.name {
			case "above the document":
				manifest = "# argocd-kserve-plugin/ignore: KS203: the team keeps it\n" + manifest
			case "above what contains the list":
				manifest = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n" +
					"# argocd-kserve-plugin/ignore: KS203: the team keeps it\n" +
					"metadata:\n  name: a\n  finalizers:\n  - kserve.io/protect\n"
			}
			got, err := find(t, manifest)
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("found %v (%v), want %v", got, err, tc.want)
			}
		})
	}
}

// A forbidden suppression hides nothing: the finding is reported and repaired, and says so.
func TestForbidSuppressions(t *testing.T) {
	const head = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: a\n"
	for _, tc := range []struct{ name, metadata, repaired string }{
		{"comment", "  # argocd-kserve-plugin/ignore: KS203: the team keeps it\n  finalizers: [kserve.io/protect]\n",
			"  # argocd-kserve-plugin/ignore: KS203: the team keeps it\n"},
		{"annotation", "  annotations:\n    argocd-kserve-plugin/ignore: 'KS203: the team keeps it'\n" +
			"  finalizers: [kserve.io/protect]\n",
			"  annotations:\n    argocd-kserve-plugin/ignore: 'KS203: the team keeps it'\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			result, err := runOver(t, head+tc.metadata, Config{IgnoreForbidden: "the setting suppressions forbids it"})
			if err != nil {
				t.Fatal(err)
			}
			const want = "a finalizer; argocd-kserve-plugin/ignore has no effect: the setting suppressions forbids it"
			if len(result.Findings()) != 1 || result.Findings()[0].Message != want {
				t.Errorf("findings %v, want %s", result.Findings(), want)
			}
			if got := string(result.Files()[0].After); got != head+tc.repaired {
				t.Errorf("got\n%s\nwant\n%s", got, head+tc.repaired)
			}
		})
	}
	_, err := runOver(t, head+"  labels: {a: b} # argocd-kserve-plugin/ignore: KS203\n", Config{IgnoreForbidden: "the setting suppressions forbids it"})
	if err == nil || !strings.Contains(err.Error(), "KS203 has no reason") {
		t.Errorf("error %v", err)
	}
}

func TestSuppressErrors(t *testing.T) {
	tests := []struct{ name, metadata, want string }{
		{"no reason", "annotations: {argocd-kserve-plugin/ignore: KS203}",
			"app.yaml:5:17: annotation argocd-kserve-plugin/ignore: " +
				`KS203 has no reason; write "KS203: why it is accepted"`},
		{"a blank reason", `annotations: {argocd-kserve-plugin/ignore: "KS203: "}`, "KS203 has no reason"},
		{"a reason missing in the second", `annotations: {argocd-kserve-plugin/ignore: "KS202: old; KS203:"}`,
			"KS203 has no reason"},
		{"an empty annotation", `annotations: {argocd-kserve-plugin/ignore: ""}`, `unknown rule ""`},
		{"a null annotation", "annotations: {argocd-kserve-plugin/ignore: }", `unknown rule ""`},
		{"no such rule", `annotations: {argocd-kserve-plugin/ignore: "KS999: because"}`, `unknown rule "KS999"`},
		{"a comment without a reason", "labels: {a: b} # argocd-kserve-plugin/ignore: KS203",
			`app.yaml:5:18: KS203 has no reason`},
		{"a comment for no rule", "labels: {a: b} # argocd-kserve-plugin/ignore: all: please",
			`app.yaml:5:18: unknown rule "all"`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			const head = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: a\n  "
			_, err := find(t, head+tc.metadata+"\n")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %s", err, tc.want)
			}
		})
	}
}

// TestAccepted says who accepted a finding, where and why.
func TestAccepted(t *testing.T) {
	const item = `  - apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: a, finalizers: [kserve.io/protect]}
`
	for _, tc := range []struct {
		name, manifest string
		want           Acceptance
		left           int
	}{
		{"comment", "apiVersion: v1\nkind: List\nitems:\n" + item +
			"  # argocd-kserve-plugin/ignore: KS203: the team; KS202: keeps it\n" + item,
			Acceptance{"comment", "the team", 7, 3}, 1},
		{"annotation", `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: a
  annotations:
    argocd-kserve-plugin/ignore: "KS203: keeps it: always"
  finalizers: [kserve.io/protect]
`, Acceptance{"annotation", "keeps it: always", 6, 5}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			result, err := runOver(t, tc.manifest, Config{})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Accepted) != 1 || len(result.Findings()) != tc.left {
				t.Fatalf("accepted %v, left %v", result.Accepted, result.Findings())
			}
			f := result.Accepted[0]
			if *f.Accepted != tc.want || len(f.Edits) > 0 {
				t.Errorf("accepted %+v with %d edits, want %+v with none", *f.Accepted, len(f.Edits), tc.want)
			}
		})
	}
}

// TestUnused reports what accepts nothing, except where nobody can tell.
func TestUnused(t *testing.T) {
	const (
		plain   = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: a\n"
		comment = plain + "spec: # argocd-kserve-plugin/ignore: KS203: the team\n  maxReplicas: 2\n"
	)
	for _, tc := range []struct {
		name, manifest string
		config         Config
		want           []string
	}{
		{"comment", comment, Config{}, []string{"app.yaml:5:7: HorizontalPodAutoscaler a: KS001: " +
			"this comment accepts KS203, which finds nothing here: remove it"}},
		{"annotation", plain + "  annotations:\n    argocd-kserve-plugin/ignore: \"KS202: old\"\n", Config{},
			[]string{"app.yaml:6:5: HorizontalPodAutoscaler a: KS001: " +
				"this annotation accepts KS202, which finds nothing here: remove it"}},
		{"used", plain + "  # argocd-kserve-plugin/ignore: KS203: the team\n  finalizers: [kserve.io/protect]\n",
			Config{}, nil},
		{"the rule is left out", comment, Config{Select: []string{"-KS203"}}, nil},
		{"forbidden", comment, Config{IgnoreForbidden: "the setting suppressions forbids it"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			result, err := runOver(t, tc.manifest, tc.config)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range result.Unused {
				got = append(got, f.String())
			}
			if !slices.Equal(got, tc.want) || len(result.Findings()) > 0 {
				t.Errorf("got %q and %v, want %q", got, result.Findings(), tc.want)
			}
		})
	}
}
