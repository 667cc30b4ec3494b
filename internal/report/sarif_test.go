package report

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/rules"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// TestSARIFSchema checks the logs against the schema of the standard, and against what GitHub asks for beyond it.
func TestSARIFSchema(t *testing.T) {
	against := schema(t, filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	for _, name := range []string{"report.sarif", "empty.sarif"} {
		for _, fault := range githubFaults(valid(t, against, name)) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// TestSARIFRules checks the rules of the catalogue in the same way.
func TestSARIFRules(t *testing.T) {
	log := written(t, func(b *bytes.Buffer) error {
		return SARIF(b, Report{Rules: rules.Documented, Distinct: sample().Distinct})
	})
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t, filepath.Join("testdata", "sarif-schema-2.1.0.json")).Validate(value); err != nil {
		t.Error(err)
	}
	for _, fault := range githubFaults(value.(map[string]any)) {
		t.Error(fault)
	}
}

// githubFaults checks what code scanning asks for (docs.github.com, "SARIF support for code scanning"), as the rules
// GH1001 to GH2012 of microsoft/sarif-sdk@a4dbd24 do.
func githubFaults(log map[string]any) (faults []string) {
	fault := func(text string, wrong bool) {
		if wrong {
			faults = append(faults, text)
		}
	}
	list := func(v any) []any { all, _ := v.([]any); return all }
	get := func(v any, steps ...string) any {
		for _, step := range steps {
			m, _ := v.(map[string]any)
			v = m[step]
		}
		return v
	}
	text := func(v any, steps ...string) string { s, _ := get(v, steps...).(string); return s }

	fault("$schema names no final schema", !strings.HasSuffix(text(log, "$schema"), "2.1.0.json"))
	fault("version is not 2.1.0", text(log, "version") != "2.1.0")
	runs := list(log["runs"])
	fault("not one run", len(runs) != 1)
	for _, run := range runs {
		driver := get(run, "tool", "driver")
		fault("no name of the tool", text(driver, "name") == "")
		fault("no rules", get(driver, "rules") == nil)
		fault("no results", get(run, "results") == nil)
		rules := list(get(driver, "rules"))
		fault("more than 1000 rules", len(rules) > 1000)
		for _, rule := range rules {
			id := text(rule, "id")
			fault("a rule without id", id == "")
			fault(id+": a name over 255 characters", len(text(rule, "name")) > 255)
			for _, field := range []string{"shortDescription", "fullDescription", "help"} {
				fault(id+": no "+field, text(rule, field, "text") == "")
				fault(id+": "+field+" over 1024 characters", field != "help" && len([]rune(text(rule, field, "text"))) > 1024)
			}
			fault(id+": no help in Markdown", text(rule, "help", "markdown") == "")
			fault(id+": more than 20 tags", len(list(get(rule, "properties", "tags"))) > 20)
		}
		for _, result := range list(get(run, "results")) {
			id := text(result, "ruleId")
			number, err := get(result, "ruleIndex").(json.Number)
			index := -1
			if err {
				n, _ := number.Int64()
				index = int(n)
			}
			fault(id+": ruleIndex is not that of the rule",
				index < 0 || index >= len(rules) || text(rules[max(index, 0)], "id") != id)
			fault(id+": no message", text(result, "message", "text") == "")
			fault(id+": no fingerprint", text(result, "partialFingerprints", "primaryLocationLineHash") == "")
			locations := list(get(result, "locations"))
			fault(id+": not one location", len(locations) != 1)
			for _, location := range locations {
				address := text(location, "physicalLocation", "artifactLocation", "uri")
				parsed, err := url.Parse(address)
				fault(id+": no relative URI: "+address,
					address == "" || err != nil || parsed.IsAbs() || strings.HasPrefix(address, "/"))
				for _, field := range []string{"startLine", "startColumn", "endLine", "endColumn"} {
					fault(id+": no "+field, get(location, "physicalLocation", "region", field) == nil)
				}
			}
		}
	}
	return faults
}

// TestGitHubFaults checks that the checks find something.
func TestGitHubFaults(t *testing.T) {
	log := map[string]any{"$schema": "x", "version": "2.0", "runs": []any{map[string]any{"tool": map[string]any{
		"driver": map[string]any{"rules": []any{map[string]any{}}}}, "results": []any{
		map[string]any{"ruleId": "KS1", "locations": []any{map[string]any{"physicalLocation": map[string]any{
			"artifactLocation": map[string]any{"uri": "file:///x"}}}}}}}}}
	if got := len(githubFaults(log)); got != 16 {
		t.Errorf("%d faults: %q", got, githubFaults(log))
	}
}

// TestSARIFFixes makes the replacements in the files and compares with the repair.
func TestSARIFFixes(t *testing.T) {
	const head, manifest = "# irène\n---\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: é}\nspec:\n  a: old\n  b:\n  - 1\n  c: lést"
	at := yamldoc.Path{"spec"}
	rule := &transform.Rule{ID: "KS991", Name: "pods", Title: "Pods", Doc: "Pods.", Severity: transform.Error,
		Example: "x", Kinds: []transform.GroupKind{{Kind: "Pod"}}, Run: func(p *transform.Pass) {
			if p.Object.Get("spec", "b") == nil {
				return
			}
			p.Report(transform.Report{At: at, Message: "old", Edits: p.Object.Edits(
				yamldoc.Set(at.With("a"), "new"), yamldoc.Delete(at.With("b")), yamldoc.Set(at.With("c"), "first"),
				yamldoc.Set(at.With("d"), 1))})
		}}
	result, err := transform.Run(context.Background(), []transform.File{{Path: "a b.yaml", Data: []byte(head + manifest)}},
		transform.Config{Rules: []*transform.Rule{rule}})
	if err != nil || len(result.Findings()) != 1 {
		t.Fatal(result.Findings(), err)
	}
	r := Report{Path: func(path string) string { return path }}
	budget := 1
	fixes := r.sarifFixes(result.Findings()[0], &budget)
	if again := r.sarifFixes(result.Findings()[0], &budget); again != nil {
		t.Errorf("%d fixes beyond the budget", len(again))
	}
	if len(fixes) != 1 || len(fixes[0].Changes) != 1 || fixes[0].Changes[0].Artifact.URI != "a%20b.yaml" {
		t.Fatalf("fixes %+v", fixes)
	}
	before := head + manifest
	offset := func(line, col int) int {
		at := 0
		for range line - 1 {
			at += strings.IndexByte(before[at:], '\n') + 1
		}
		return at + len(string([]rune(before[at:])[:col-1]))
	}
	after, done := "", 0
	for _, c := range fixes[0].Changes[0].Replacements {
		after += before[done:offset(c.Deleted.StartLine, c.Deleted.StartColumn)]
		if c.Inserted != nil {
			after += c.Inserted.Text
		}
		done = offset(c.Deleted.EndLine, c.Deleted.EndColumn)
	}
	after += before[done:]
	if want := string(result.Files()[0].After); after != want {
		t.Errorf("got\n%s\nwant\n%s", after, want)
	}
}

// TestTwins checks a report of two findings with one identity, in a Secret, whose message has what SARIF takes for a link.
func TestTwins(t *testing.T) {
	rule := &transform.Rule{ID: "KS991", Name: "twins", Title: "Twins", Doc: "Twins.", Severity: transform.Error,
		Example: "x", Kinds: []transform.GroupKind{{Kind: "Secret"}}, Run: func(p *transform.Pass) {
			for i := 0; i < 2 && p.Object.Get("type") == nil; i++ {
				p.Report(transform.Report{Message: "see [a](b)", Edits: p.Object.Edits(yamldoc.Set(yamldoc.Path{"type"}, "Opaque"))})
			}
		}}
	result, err := transform.Run(t.Context(), []transform.File{{Path: "a.yaml",
		Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {key: hunter2}\n")}},
		transform.Config{Rules: []*transform.Rule{rule}})
	if err != nil {
		t.Fatal(err)
	}
	r := sample()
	r.Findings, r.Accepted, r.Rules = result.Findings(), nil, []*transform.Rule{rule}
	r.Place = func(transform.Finding) Place { return Place{Path: "a.yaml", Line: 2, Col: 7, EndCol: 3} }
	sarif := string(written(t, func(b *bytes.Buffer) error { return SARIF(b, r) }))
	for part, want := range map[string]int{
		`:1"`: 1, `:2"`: 1, "[a] (b)": 2, "[a](b)": 0, `"endColumn": 7`: 2, `"fixes"`: 0, "hunter2": 0,
	} {
		if got := strings.Count(sarif, part); got != want {
			t.Errorf("%q is there %d times, not %d:\n%s", part, got, want, sarif)
		}
	}
	junit := string(written(t, func(b *bytes.Buffer) error { return JUnit(b, r) }))
	if strings.Count(junit, ` (2)"`) != 1 {
		t.Errorf("two cases have one name:\n%s", junit)
	}
}
