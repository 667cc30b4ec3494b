package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/terminal"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// update makes the tests write their golden files.
var update = os.Getenv("UPDATE_GOLDEN") != ""

// The sample's files: an awkward path, text that needs escaping, and a rendered object with a known origin.
const (
	plainPath = "apps/irène & co/50%:isvc.yaml"
	plain     = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: iris
  namespace: ml
  # argocd-kserve-plugin/ignore: KS105: the team | <b>keeps</b> it
  labels: {a: b}
  finalizers: [kserve.io/protect] # why
spec: # \u0009
  exec: {command: [test, "$A"]}
  items: [long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, text]
`
	rendered = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: iris-predictor, namespace: ml}\n"
)

// rule makes a rule that reports a finding in each object of a kind.
func rule(r transform.Rule, kind string, finding transform.Report, edits ...yamldoc.Edit) *transform.Rule {
	r.Doc, r.Example = "It breaks.\n\nSo **repair** it.\n", "x"
	r.Kinds = []transform.GroupKind{{Group: "serving.kserve.io", Kind: "InferenceService"},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}}
	r.Run = func(p *transform.Pass) {
		if p.Object.Kind == kind && p.Object.Get(finding.At...) != nil {
			f := finding
			f.Edits = p.Object.Edits(edits...)
			p.Report(f)
		}
	}
	return &r
}

// sample is a report with findings of all severities, with and without a repair, and accepted ones.
func sample() Report {
	const service, autoscaler = "InferenceService", "HorizontalPodAutoscaler"
	at := func(steps ...any) yamldoc.Path { return steps }
	rules := []*transform.Rule{
		rule(transform.Rule{ID: "KS101", Name: "exec-probe", Title: "An exec probe", Severity: transform.Error}, service,
			transform.Report{At: at("spec", "items"), Needs: "default-deployment-mode",
				Message: "the command `test \"$A\" <x>,\ny` can't run in the agent"}),
		rule(transform.Rule{ID: "KS202", Name: "autoscaler-name", Title: "A name of KServe's", Severity: transform.Warning},
			autoscaler, transform.Report{At: at("metadata", "labels"), Message: "not reported"}),
		rule(transform.Rule{ID: "KS203", Name: "finalizer", Title: "A finalizer", Severity: transform.Warning, Restarts: true},
			service, transform.Report{At: at("metadata", "finalizers"), Message: "KServe drops a finalizer"},
			yamldoc.Rename(at("spec", "exec"), "httpGet"), yamldoc.Set(at("spec", "exec"), yamldoc.Map{{Key: "port", Value: 8080}}),
			yamldoc.Delete(at("metadata", "finalizers"))),
		rule(transform.Rule{ID: "KS204", Name: "autoscaler-owner", Title: "No owner", Severity: transform.Advice},
			service, transform.Report{At: at("spec"), Message: "ask @team about #12 or https://example.com/a_b_"}),
		rule(transform.Rule{ID: "KS105", Name: "surprise-agent", Title: "An agent", Severity: transform.Advice},
			service, transform.Report{At: at("metadata", "labels"), Message: "no storageUri"}),
		rule(transform.Rule{ID: "KS205", Name: "autoscaler-target", Title: "A target", Severity: transform.Warning}, autoscaler,
			transform.Report{At: at("metadata", "namespace"), Message: "KServe deletes an autoscaler of this name"},
			yamldoc.Delete(at("metadata", "namespace"))),
		rule(transform.Rule{ID: "KS206", Name: "old", Title: "An old problem", Severity: transform.Error}, autoscaler,
			transform.Report{At: at("metadata", "name"), Message: "an old problem"}),
	}
	result, err := transform.Run(context.Background(), []transform.File{
		{Path: plainPath, Data: []byte(plain)},
		{Path: "overlays/prod", Data: []byte(rendered), Renderer: "kustomize", FindOrigin: func() string { return "base/hpa.yaml" }},
	}, transform.Config{Rules: rules, Ignore: "argocd-kserve-plugin/ignore"})
	if err != nil {
		panic(err)
	}
	findings := result.Findings()
	last := len(findings) - 1
	known := findings[last]
	known.Accepted = &transform.Acceptance{By: ByBaseline, Reason: "it was there"}
	lines := strings.Split(strings.ReplaceAll(plain, `\u0009`, "\x1b[31m"), "\n")
	return Report{
		Findings: findings[:last], Accepted: append(result.Accepted, known),
		Version: "v1.2.3", Objects: 14, Rules: rules, Width: 80,
		Restarts: []string{"InferenceService ml/iris"}, Tail: "14 objects\n",
		Path:     func(path string) string { return path },
		Distinct: func(findings []transform.Finding) []transform.Finding { return findings },
		Fails:    func(f transform.Finding) bool { return f.Severity.AtLeast(transform.Warning) },
		Diff:     func() (string, error) { return "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-```@team\n+::error::\x1b[31m\n", nil },
		Place: func(f transform.Finding) Place {
			if f.Object.Kind == autoscaler {
				return Place{Path: "base/hpa.yaml"}
			}
			return Place{Path: plainPath, Line: f.Line, Col: f.Col, EndCol: f.Col + 4, Text: lines[f.Line-1]}
		},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run make golden\n got: %s\nwant: %s", path, got, want)
	}
}

func written(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFormats compares what each format makes of the sample.
func TestFormats(t *testing.T) {
	for _, format := range Formats {
		golden(t, "report."+format.Name, written(t, func(b *bytes.Buffer) error { return format.Write(b, sample()) }))
	}
}

// TestEmpty compares what each format makes of a report without findings.
func TestEmpty(t *testing.T) {
	for _, format := range Formats {
		r := Report{Objects: 3, Version: "v1.2.3", Tail: "3 objects, no findings\n", Distinct: sample().Distinct}
		golden(t, "empty."+format.Name, written(t, func(b *bytes.Buffer) error { return format.Write(b, r) }))
	}
}

func TestColor(t *testing.T) {
	r := sample()
	r.Color = true
	got := written(t, func(b *bytes.Buffer) error { return Text(b, r) })
	golden(t, "color.text", got)
	plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAll(got, nil)
	if want := written(t, func(b *bytes.Buffer) error { return Text(b, sample()) }); !bytes.Equal(plain, want) {
		t.Errorf("without colours it is\n%s\nwant\n%s", plain, want)
	}
	if i := bytes.IndexByte(plain, '\x1b'); i >= 0 {
		t.Errorf("a control character of a manifest at %d", i)
	}
}

// TestCommands checks that no line of a report for people is a command of a CI system.
func TestCommands(t *testing.T) {
	r := sample()
	for i := range r.Findings {
		r.Findings[i].Message = strings.Repeat("::error::a ##[error]b ", 20)
	}
	for _, write := range []func(io.Writer, Report) error{Text, Compact, Markdown} {
		for line := range strings.Lines(string(written(t, func(b *bytes.Buffer) error { return write(b, r) }))) {
			if terminal.StartsCommand(line) || strings.Contains(line, "##[") {
				t.Errorf("a command: %s", line)
			}
		}
	}
}

// TestWidth checks that the lines fit, unless a word alone is longer.
func TestWidth(t *testing.T) {
	for _, width := range []int{40, 60, 100} {
		r := sample()
		r.Width = width
		got := written(t, func(b *bytes.Buffer) error { return Text(b, r) })
		for line := range strings.Lines(string(got)) {
			if n := utf8.RuneCountInString(line) - 1; n > width && strings.Contains(strings.TrimSpace(line), " ") &&
				!strings.Contains(line, " KS") && !strings.Contains(line, "(kustomize)") {
				t.Errorf("width %d: %d characters: %s", width, n, line)
			}
		}
	}
}

// schema compiles a JSON schema.
func schema(t *testing.T, path string) *jsonschema.Schema {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// valid checks a golden file against a schema, and returns it decoded.
func valid(t *testing.T, against *jsonschema.Schema, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := against.Validate(value); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return value.(map[string]any)
}

func TestJSONSchema(t *testing.T) {
	against := schema(t, filepath.Join("..", "..", "docs", "check.schema.json"))
	for _, name := range []string{"report.json", "empty.json"} {
		valid(t, against, name)
	}
	r := sample()
	for _, f := range r.Findings {
		f.Object.File.Application, f.Object.File.Values = "iris", "values-prod.yaml"
	}
	text := written(t, func(b *bytes.Buffer) error { return JSON(b, r) })
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err := errors.Join(err, against.Validate(value)); err != nil || !bytes.Contains(text, []byte(`"values": "values-prod.yaml"`)) {
		t.Errorf("%v in %s", err, text)
	}
	for _, wrong := range []string{
		`{}`, `{"version": 2, "program": "", "objects": 0, "counts": {}, "restarts": [], "findings": [], "accepted": []}`,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
		if err != nil {
			t.Fatal(err)
		}
		if against.Validate(value) == nil {
			t.Errorf("the schema accepts %s", wrong)
		}
	}
}

// TestMarkdownLimits cuts a long report where GitHub would refuse it, without leaving anything open.
func TestMarkdownLimits(t *testing.T) {
	r := sample()
	for i := range 500 {
		another := r.Findings[1]
		another.Message += fmt.Sprint(" ", i)
		r.Findings = append(r.Findings, another)
		r.Accepted = append(r.Accepted, r.Accepted[0])
		r.Restarts = append(r.Restarts, r.Restarts[0])
	}
	r.Diff = func() (string, error) { return strings.Repeat("+ `a` line of the diff\n", 5000), nil }
	got := string(written(t, func(b *bytes.Buffer) error { return Markdown(b, r) }))
	if len(got) > 65_536 {
		t.Errorf("%d bytes", len(got))
	}
	for range 2000 {
		r.Restarts = append(r.Restarts, r.Restarts[0])
	}
	r.Findings = r.Findings[:1]
	if n := len(written(t, func(b *bytes.Buffer) error { return Markdown(b, r) })); n > 65_536 {
		t.Errorf("%d bytes with many restarts", n)
	}
	for _, pair := range [][2]string{{"<details>", "</details>"}, {"```diff\n", "\n```\n"}} {
		if a, b := strings.Count(got, pair[0]), strings.Count(got, pair[1]); a != b || a == 0 {
			t.Errorf("%d times %q, %d times %q", a, pair[0], b, pair[1])
		}
	}
	if n := strings.Count(got, "line of the diff"); n < 1000 {
		t.Errorf("there is room for %d lines of the diff", n)
	}
	for _, want := range []string{"more\n", "The diff is longer"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
