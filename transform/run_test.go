package transform

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const service = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: churn\nspec: {predictor: {}}\n"

// generate is what the command of that name does with the files.
func generate(t *testing.T, files ...File) ([]byte, error) {
	t.Helper()
	result, err := Run(t.Context(), files, Options{})
	if err != nil {
		return nil, err
	}
	pieces, err := result.Stream()
	return bytes.Join(pieces, nil), err
}

// TestBrokenInput gives inputs in which a document that rules concern can't be read, or read in one way only.
func TestBrokenInput(t *testing.T) {
	bomb := service + "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("x%d: &x%d [%s*x%d]\n", i, i, strings.Repeat(fmt.Sprintf("*x%d, ", i-1), 9), i-1)
	}
	tests := []struct {
		name, input string
		at          string // line:col, or its beginning
		want        string // part of the message
	}{
		{"bad indentation", service + "metadata:\n   a: 1\n  b: 2\n", "", ""},
		{"a tab", "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n\tname: churn\n", "4:", "token"},
		{"an open bracket", service + "status: {conditions: [\n", "", ""},
		{"an open quote", service + "status: \"\n", "", ""},
		{"a key twice", strings.Replace(service, "  name: churn\n", "  name: churn\n  name: fraud\n", 1), "5:3", "name"},
		{"a key twice in another spelling", service + "\"spec\": {}\n", "6:1", "spec"},
		{"an unknown anchor", service + "status: *none\n", "6:9", "none"},
		{"aliases that expand without end", bomb, "", ""},
		{"nesting without end", service + "status: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "\n", "", ""},
		{"a broken second document", service + "---\n" + service + "---\n" + service + "status: [}\n", "18:", ""},
		{"broken JSON", "{\"apiVersion\": \"serving.kserve.io/v1beta1\",\n \"kind\": \"InferenceService\",\n \"metadata\": {\"name\": \"churn\",}\n \"spec\": }\n", "", ""},
		{"UTF-16", "\xff\xfea\x00:\x00", "1:1", "UTF-16"},
		{"UTF-16 without a mark", "a\x00:\x00 \x001\x00", "", ""},
		{"NUL", service + "status: \x00\n", "6:9", ""},
		{"no UTF-8", service + "status: \xc3\x28\n", "6:9", "UTF-8"},
		{"content on the separator's line", service + "--- {a: b}\n", "", ""},
		{"a document after its end", service + "...\n" + service, "", ""},
		{"a directive in between", service + "---\n%YAML 1.2\n---\n" + service, "", ""},
	}
	position := regexp.MustCompile(`^app/isvc\.yaml:(\d+:\d+): \S`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			output, err := generate(t, File{Path: "app/isvc.yaml", Data: []byte(tt.input)})
			if err == nil {
				t.Fatalf("no error, but this output:\n%s", output)
			}
			m := position.FindStringSubmatch(err.Error())
			switch {
			case m == nil || len(output) > 0:
				t.Errorf("error %q with %d bytes of output, want path:line:col: message and no output", err, len(output))
			case !strings.HasPrefix(m[1], tt.at):
				t.Errorf("error %q, want one at %s", err, tt.at)
			case !strings.Contains(err.Error(), tt.want):
				t.Errorf("error %q, want one about %s", err, tt.want)
			}
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("error %q is not one line of text", err)
			}
		})
	}
}

// TestForeignInput gives documents that no rule concerns: whatever is in them goes through as it is.
func TestForeignInput(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, foreign := range []string{
		head + "data: {a: [1, 2\n",
		head + "data: {a: 1, a: 2}\n",
		head + "data:\n\ta: 1\n",
		head + "data: &a {a: *b}\n",
		head + "data: {yes: no, octal: 0777, big: 12345678901234567890, when: 2026-01-01, float: 1e3}   # spaces   \n",
		head + "data:\n  a: |+\n    text\n\n\n",
		head + "data:\n  a: \"x\\\n    y\"\n  b: {{ .Values.b }}\n",
		strings.ReplaceAll(head, "\n", "\r\n") + "data: {a: 1}\n",
	} {
		for _, input := range []string{foreign + "---\n" + service, service + "---\n" + foreign + "---\n" + service} {
			output, err := generate(t, File{Path: "all.yaml", Data: []byte(input)})
			if err != nil || !bytes.Contains(output, []byte(foreign)) {
				t.Errorf("%v: the foreign document changed:\n%s\nbecame\n%s", err, input, output)
			}
			if bytes.Count(output, []byte("health-conditions")) != strings.Count(input, "InferenceService") {
				t.Errorf("its neighbours were not repaired:\n%s", output)
			}
		}
	}
}

// TestFiles checks that objects of all files are seen together, and that each file keeps its own edits.
func TestFiles(t *testing.T) {
	files := []File{
		{Path: "a/hpa.yaml", Data: []byte("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: churn-predictor\nspec:\n  scaleTargetRef: {kind: Deployment, name: churn-predictor}\n")},
		{Path: "a/readme.yaml", Data: []byte("just: values\n")},
		{Path: "b/isvc.yaml", Data: []byte(service)},
	}
	result, err := Run(t.Context(), files, Options{Rules: []string{"KS201", "KS202"}})
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	for _, f := range result.Files() {
		if !bytes.Equal(f.Before, f.After) {
			changed = append(changed, f.File.Path)
		}
	}
	if want := []string{"a/hpa.yaml", "b/isvc.yaml"}; !slices.Equal(changed, want) {
		t.Errorf("changed %v, want %v", changed, want)
	}
	if result.Objects() != 2 || result.Skipped() != 1 {
		t.Errorf("%d objects, %d skipped, want 2 and 1", result.Objects(), result.Skipped())
	}
	if len(result.Repaired()) != 2 || len(result.Restarted()) != 1 {
		t.Errorf("%v repaired, %v restarted, want both and the service", result.Repaired(), result.Restarted())
	}
}

// TestConflict runs two rules that want different things.
func TestConflict(t *testing.T) {
	catalogue := Rules
	t.Cleanup(func() { Rules = catalogue })
	class := yamldoc.Path{"metadata", "annotations", "class"}
	wants := func(id, value string) *Rule {
		return &Rule{ID: id, Kinds: []string{"InferenceService"}, Run: func(p *Pass) {
			if p.Object.Annotation("class") == "" {
				p.Report(Finding{At: class, Edits: []Edit{{p.Object, yamldoc.Set(class, value)}}})
			}
		}}
	}
	input := File{Path: "isvc.yaml", Data: []byte(service)}

	Rules = []*Rule{wants("KS901", "gold"), wants("KS902", "gold")}
	if output, err := generate(t, input); err != nil || !bytes.Contains(output, []byte("class: gold\n")) {
		t.Errorf("two rules that want the same: %v\n%s", err, output)
	}
	Rules = []*Rule{wants("KS901", "gold"), wants("KS902", "silver")}
	output, err := generate(t, input)
	if want := "isvc.yaml: rules [KS901 KS902] disagree on metadata.annotations.class"; err == nil || !strings.HasPrefix(err.Error(), want) || output != nil {
		t.Errorf("two rules that disagree: %v, want %s", err, want)
	}
}

// TestUnrepaired runs a rule whose repair does not help: the engine must notice.
func TestUnrepaired(t *testing.T) {
	catalogue := Rules
	t.Cleanup(func() { Rules = catalogue })
	Rules = []*Rule{{ID: "KS901", Kinds: []string{"InferenceService"}, Run: func(p *Pass) {
		at := yamldoc.Path{"metadata", "labels", "seen"}
		p.Report(Finding{At: at, Edits: []Edit{{p.Object, yamldoc.Set(at, "again")}}})
	}}}
	if _, err := generate(t, File{Path: "isvc.yaml", Data: []byte(service)}); err == nil || !strings.Contains(err.Error(), "KS901") {
		t.Errorf("error %v, want one that names the rule", err)
	}
}

func TestOptions(t *testing.T) {
	tests := []struct {
		name string
		opts Options
		want string
	}{
		{"no such version", Options{KServeVersion: "latest"}, `"latest" is no KServe version`},
		{"too old a version", Options{KServeVersion: "0.10.2"}, "too old"},
		{"no such mode", Options{DefaultDeploymentMode: "raw"}, `default-deployment-mode: "raw" is none of`},
		{"no such rule", Options{Rules: []string{"KS999"}}, `"KS999" is no rule`},
		{"a finalizer that would not help", Options{KServeVersion: "0.15.2", Autoscaler: "finalizer"}, "0.13.0 to 0.15.0 only"},
		{"a finalizer for nobody knows what", Options{Autoscaler: "finalizer"}, "0.13.0 to 0.15.0 only"},
		{"a finalizer on a minor that has both", Options{KServeVersion: "0.15", Autoscaler: "finalizer"}, "0.13.0 to 0.15.0 only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Run(t.Context(), nil, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %s", err, tt.want)
			}
		})
	}
}
