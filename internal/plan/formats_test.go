package plan_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// changed is a plan with services that change, each with a diff of some lines, and one that is refused.
func changed(services, lines int) *plan.Plan {
	p := &plan.Plan{Release: "0.20.0", For: "0.19.0", Compared: true, Services: []plan.Service{}}
	for i := range services {
		name := fmt.Sprintf("iris-%d", i)
		p.Services = append(p.Services, plan.Service{
			Node: plan.Node{
				Reference: plan.Reference{Kind: "InferenceService", Namespace: "default", Name: name}, Effect: plan.Changed,
				Children: []plan.Node{{
					Reference: plan.Reference{APIVersion: "apps/v1", Kind: "Deployment", Name: name + "-predictor"},
					Effect:    plan.Changed, Facts: []string{"1 replica"}, Diff: strings.Repeat("+a: b\n", lines),
					Restarts: []string{"spec.template.spec"},
				}},
			},
			Place: "iris.yaml:1", Stuck: true,
			Problems: []plan.Problem{{Object: plan.Reference{Kind: "Pod", Name: "x"}, By: "controller", Message: "no"}},
		})
	}
	p.Refused = []plan.Problem{{Object: plan.Reference{Kind: "InferenceService", Name: "no"}, Verdict: plan.IsRefused,
		By: "API server", Message: "no"}}
	return p
}

// A comment on GitHub has at most 65,536 characters. What has no room is counted.
func TestMarkdownFits(t *testing.T) {
	for _, tc := range []struct{ services, lines, diffs, shown, left int }{
		{3, 10, 3, 3, 0},
		{3, 3000, 1, 3, 0},
		{1000, 0, 0, 298, 702},
	} {
		var b strings.Builder
		if err := plan.Markdown(&b, changed(tc.services, tc.lines)); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		diffs, shown := strings.Count(text, "<details>"), strings.Count(text, "**InferenceService default/iris-")
		rest := fmt.Sprintf("\nThe comment has no room for %d more; run `plan` to see all.\n", tc.left)
		if len(text) > 65536 || diffs != tc.diffs || shown != tc.shown || strings.HasSuffix(text, rest) != (tc.left > 0) {
			t.Errorf("%d services, %d lines: %d characters, %d diffs, %d services, ends with %q", tc.services, tc.lines, len(text),
				diffs, shown, text[len(text)-80:])
		}
	}
}

// A service has no effect where there is no change to compare with.
func TestMarkdownHead(t *testing.T) {
	made := objects(t, service+"}, status: {url: iris.example.com}}")
	for effect, previous := range map[string]*plan.State{"": nil, " unchanged": {Objects: made}} {
		answer := &plan.Answer{Release: "0.20.0", State: plan.State{Objects: made}, Previous: previous}
		p := plan.New(answer, nil, []plan.Manifest{{Object: made[0], Place: "iris.yaml:1"}}, "default")
		var b strings.Builder
		if err := plan.Markdown(&b, p); err != nil {
			t.Fatal(err)
		}
		if want := "\n**InferenceService a/iris**" + effect + ": iris.example.com iris.yaml:1\n"; !strings.Contains(b.String(), want) {
			t.Errorf("without %q:\n%s", want, &b)
		}
	}
}

func TestJSONSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "plan.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := changed(2, 1)
	all.Warnings, all.Later = all.Refused, all.Services
	for _, p := range []*plan.Plan{all, changed(0, 0), plan.New(&plan.Answer{Release: "0.20.0"}, nil, nil, "")} {
		var b bytes.Buffer
		if err := plan.JSON(&b, p); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Error(err)
		}
	}
}

// The output yaml is what other programs read: each object as it was, without what only a live one has.
func TestYAML(t *testing.T) {
	data := plan.Object{
		"on": "on", "number": "1e3", "empty": "", "lines": "a: 1\n---\n- b\n", "date": "2020-01-01", "quote": "'\"\\", "space": " x ",
		"control": "a\x1b[31m\u2028", "null": "null",
	}
	objects := []plan.Object{
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": plan.Object{"name": "a", "uid": "1"}, "data": data},
		{"apiVersion": "v1", "kind": "Service", "metadata": plan.Object{"name": "b"}, "spec": plan.Object{
			"ports": []any{plan.Object{"port": 80.0}}, "clusterIP": "10.0.0.1"}, "status": plan.Object{}},
	}
	var b strings.Builder
	if err := plan.YAML(&b, plan.New(&plan.Answer{State: plan.State{Objects: objects}}, nil, nil, "")); err != nil {
		t.Fatal(err)
	}
	documents, err := yamldoc.Split([]byte(b.String()))
	if err != nil || len(documents) != len(objects) {
		t.Fatalf("%d documents, %v:\n%s", len(documents), err, &b)
	}
	for i, want := range []plan.Object{
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": plan.Object{"name": "a"}, "data": data},
		{"apiVersion": "v1", "kind": "Service", "metadata": plan.Object{"name": "b"}, "spec": plan.Object{
			"ports": []any{plan.Object{"port": 80.0}}}},
	} {
		var got plan.Object
		if err := yaml.UnmarshalStrict(documents[i].Body, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v; %v", got, want, err)
		}
	}
}
