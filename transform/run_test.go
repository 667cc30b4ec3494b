package transform

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const service = `apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: churn
spec: {predictor: {}}
`

var (
	services = GroupKind{"serving.kserve.io", "InferenceService"}
	hpas     = GroupKind{"autoscaling", "HorizontalPodAutoscaler"}
)

// rule returns a rule that Validate accepts.
func rule(id string, run func(*Pass), kinds ...GroupKind) *Rule {
	return &Rule{
		ID: id, Name: strings.ToLower(id), Title: "A problem", Doc: "What breaks.", Example: "broken",
		Severity: Error, Kinds: kinds, Run: run,
	}
}

// notRepaired and unusedIgnore are the rules of what Run itself finds.
var (
	notRepaired  = &Rule{ID: "KS000", Name: "not-repaired", Severity: Error}
	unusedIgnore = &Rule{ID: "KS001", Name: "unused-ignore", Severity: Warning}
)

const testIgnore = "argocd-kserve-plugin/ignore"

// testIndex is an index of one value.
type testIndex[T any] struct {
	snapshot *Snapshot
	value    T
}

func (i testIndex[T]) Snapshot() *Snapshot { return i.snapshot }

// wants returns a rule that sets an annotation where it has no value.
func wants(id, key, value string, kinds ...GroupKind) *Rule {
	return rule(id, func(p *Pass) {
		if p.Object.Annotation(key) == "" {
			at := yamldoc.Path{"metadata", "annotations", key}
			p.Report(Report{At: at, Message: "no " + key, Edits: []Edit{{Object: p.Object, Edit: yamldoc.Set(at, value)}}})
		}
	}, kinds...)
}

// generate returns the stream that the rules make of the files.
func generate(t *testing.T, rules []*Rule, files ...File) ([]byte, error) {
	t.Helper()
	result, err := Run(t.Context(), files, Config{Rules: rules, Ignore: testIgnore, NotRepaired: notRepaired})
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
		{"nesting without end",
			service + "status: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "\n", "", ""},
		{"a broken second document", service + "---\n" + service + "---\n" + service + "status: [}\n", "18:", ""},
		{"broken JSON", `{"apiVersion": "serving.kserve.io/v1beta1",
 "kind": "InferenceService",
 "metadata": {"name": "churn",}
 "spec": }
`, "", ""},
		{"UTF-16", "\xff\xfea\x00:\x00", "1:1", "UTF-16"},
		{"UTF-16 without a mark", "a\x00:\x00 \x001\x00", "", ""},
		{"NUL", service + "status: \x00\n", "6:9", ""},
		{"no UTF-8", service + "status: \xc3\x28\n", "6:9", "UTF-8"},
		{"content on the separator's line", service + "--- {a: b}\n", "", ""},
		{"a document after its end", service + "...\n" + service, "", ""},
		{"a directive in between", service + "---\n%YAML 1.2\n---\n" + service, "", ""},
	}
	catalogue := []*Rule{wants("KS901", "seen", "yes", services)}
	position := regexp.MustCompile(`^app/isvc\.yaml:(\d+:\d+): \S`)
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			output, err := generate(t, catalogue, File{Path: "app/isvc.yaml", Data: []byte(tc.input)})
			if err == nil {
				t.Fatalf("no error, but this output:\n%s", output)
			}
			m := position.FindStringSubmatch(err.Error())
			switch {
			case m == nil || len(output) > 0:
				t.Errorf("error %q with %d bytes of output, want path:line:col: message and no output", err, len(output))
			case !strings.HasPrefix(m[1], tc.at):
				t.Errorf("error %q, want one at %s", err, tc.at)
			case !strings.Contains(err.Error(), tc.want):
				t.Errorf("error %q, want one about %s", err, tc.want)
			}
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("error %q is not one line of text", err)
			}
		})
	}
}

// TestForeignInput gives documents that no rule concerns: whatever is in them goes through as it is.
func TestForeignInput(t *testing.T) {
	catalogue := []*Rule{wants("KS901", "seen", "yes", services)}
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, foreign := range []string{
		head + "data: {a: [1, 2\n",
		head + "data: {a: 1, a: 2}\n",
		head + "data:\n\ta: 1\n",
		head + "data: &a {a: *b}\n",
		head + "data: {yes: no, octal: 0777, big: 12345678901234567890, when: 2026-01-01, float: 1e3}   # spaces   \n",
		head + "data:\n  a: |+\n    text\n\n\n",
		head + "data:\n  a: \"x\\\n    y\"\n  b: |\n    {{ .Values.b }}\n",
		strings.ReplaceAll(head, "\n", "\r\n") + "data: {a: 1}\n",
	} {
		for _, input := range []string{foreign + "---\n" + service, service + "---\n" + foreign + "---\n" + service} {
			output, err := generate(t, catalogue, File{Path: "all.yaml", Data: []byte(input)})
			if err != nil || !bytes.Contains(output, []byte(foreign)) {
				t.Errorf("%v: the foreign document changed:\n%s\nbecame\n%s", err, input, output)
			}
			if bytes.Count(output, []byte("seen: ")) != strings.Count(input, "InferenceService") {
				t.Errorf("its neighbours were not repaired:\n%s", output)
			}
		}
	}
}

// TestFiles checks that objects of all files are seen together, and that each file keeps its own edits.
func TestFiles(t *testing.T) {
	const hpa = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: churn\nspec: {}\n"
	files := []File{
		{Path: "a/hpa.yaml", Data: []byte(hpa)},
		{Path: "a/readme.yaml", Data: []byte("just: values\n")},
		{Path: "b/isvc.yaml", Data: []byte(service)},
	}
	var seen int
	config := Config{
		Rules: []*Rule{wants("KS901", "seen", "yes", services, hpas)},
		Index: func(r *Snapshot) Index { seen = len(r.All()); return nil },
	}
	result, err := Run(t.Context(), files, config)
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
	if result.Objects() != 2 || len(result.Skipped()) != 1 || seen != 2 || len(result.Repaired()) != 2 {
		t.Errorf("%d objects, %d skipped, %d in the index, %d repaired, want 2, 1, 2 and 2",
			result.Objects(), len(result.Skipped()), seen, len(result.Repaired()))
	}
}

// TestAgreement runs two rules that want the same.
func TestAgreement(t *testing.T) {
	input := File{Path: "isvc.yaml", Data: []byte(service)}
	same := []*Rule{wants("KS901", "class", "gold", services), wants("KS902", "class", "gold", services)}
	if output, err := generate(t, same, input); err != nil || !bytes.Contains(output, []byte("class: gold\n")) {
		t.Errorf("%v\n%s", err, output)
	}
}

// TestWindows checks that a rule runs only on releases in one of its windows.
func TestWindows(t *testing.T) {
	windowed := wants("KS901", "seen", "yes", services)
	windowed.Windows = []Window{{Before: Release{0, 12, 0}}, {From: Release{0, 20, 0}}}
	for _, tc := range []struct {
		name     string
		releases []Release
		runs     bool
	}{
		{"nothing is known", nil, true},
		{"in the first window", []Release{{0, 11, 2}}, true},
		{"between the windows", []Release{{0, 12, 0}}, false},
		{"just before the second window", []Release{{0, 19, 0}}, false},
		{"in the second window", []Release{{0, 20, 0}}, true},
		{"one of several", []Release{{0, 19, 0}, {0, 20, 0}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			result, err := Run(t.Context(), []File{{Path: "isvc.yaml", Data: []byte(service)}},
				Config{Rules: []*Rule{windowed}, Releases: tc.releases})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(result.Findings()) > 0; got != tc.runs {
				t.Errorf("the rule ran: %v, want %v", got, tc.runs)
			}
		})
	}
}

// TestKinds checks that a rule on any kind runs, and only for that kind in that group.
func TestKinds(t *testing.T) {
	for _, tc := range []struct {
		name, manifest string
		kind           GroupKind
		runs           bool
	}{
		{"a kind of a new group",
			"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n", GroupKind{"example.com", "Widget"}, true},
		{"in any version",
			"apiVersion: example.com/v2alpha1\nkind: Widget\nmetadata: {name: a}\n", GroupKind{"example.com", "Widget"}, true},
		{"a kind of the core group",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", GroupKind{"", "ConfigMap"}, true},
		{"in a List",
			"apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: a}\n",
			GroupKind{"example.com", "Widget"}, true},
		{"the kind of another group",
			"apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: a}\n", GroupKind{"example.com", "Widget"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catalogue := []*Rule{wants("KS901", "seen", "yes", tc.kind)}
			output, err := generate(t, catalogue, File{Path: "a.yaml", Data: []byte(tc.manifest)})
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(output, []byte("seen: ")); got != tc.runs {
				t.Errorf("the rule ran: %v, want %v:\n%s", got, tc.runs, output)
			}
		})
	}
}

// TestFatal checks that a fatal result has no stream and leaves the files as they are.
func TestFatal(t *testing.T) {
	fatal := rule("KS902", func(p *Pass) { p.Report(Report{Fatal: true, Message: "broken"}) }, services)
	result, err := Run(t.Context(), []File{{Path: "isvc.yaml", Data: []byte(service)}},
		Config{Rules: []*Rule{wants("KS901", "seen", "yes", services), fatal}})
	if err != nil {
		t.Fatal(err)
	}
	if pieces, err := result.Stream(); !errors.Is(err, ErrFatal) || pieces != nil {
		t.Errorf("stream %q and error %v, want ErrFatal", pieces, err)
	}
	if file := result.Files()[0]; string(file.After) != service {
		t.Errorf("the file changed:\n%s", file.After)
	}
}

// TestInputError checks that a fault of the input tells its place.
func TestInputError(t *testing.T) {
	catalogue := []*Rule{wants("KS901", "seen", "yes", services)}
	for _, tc := range []struct {
		name, input string
		line, col   int
	}{
		{"in a document", "---\n" + service + "status: *none\n", 7, 9},
		{"in a stream", service + "...\n" + service, 7, 1},
		{"in an annotation", strings.Replace(service, "  name: churn", "  annotations: {"+testIgnore+": x}", 1), 4, 17},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := generate(t, catalogue, File{Path: "isvc.yaml", Data: []byte(tc.input)})
			var fault *InputError
			if !errors.As(err, &fault) || fault.Path != "isvc.yaml" || fault.Line != tc.line || fault.Col != tc.col {
				t.Errorf("error %v, want an InputError at isvc.yaml:%d:%d", err, tc.line, tc.col)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	catalogue := []*Rule{wants("KS901", "a", "1", services), wants("KS902", "b", "2", services)}
	for _, tc := range []struct {
		names []string
		want  []string // IDs
		err   string
	}{
		{nil, []string{"KS901", "KS902"}, ""},
		{[]string{"KS902"}, []string{"KS902"}, ""},
		{[]string{"-KS902"}, []string{"KS901"}, ""},
		{[]string{"KS901", "KS902", "-KS901"}, []string{"KS902"}, ""},
		{[]string{"KS999"}, nil, `rules: unknown rule "KS999"`},
		{[]string{"-KS999"}, nil, `rules: unknown rule "KS999"`},
	} {
		files := []File{{Path: "isvc.yaml", Data: []byte(service)}}
		result, err := Run(t.Context(), files, Config{Rules: catalogue, Select: tc.names})
		if tc.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tc.err) {
				t.Errorf("%v: error %v, want %s", tc.names, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, f := range result.Findings() {
			ids = append(ids, f.Rule.ID)
		}
		if !slices.Equal(ids, tc.want) {
			t.Errorf("%v: %v ran, want %v", tc.names, ids, tc.want)
		}
	}
}

// TestAliases gives documents whose aliases stand for little in each of them, but for too much together.
func TestAliases(t *testing.T) {
	aliases := func(text string, n int) []byte {
		return []byte(service + "x: &x [" + text + "]\ny: [" + strings.Repeat("*x, ", n) + "]\n")
	}
	for _, tc := range []struct {
		name  string
		files []File
		max   int
		want  string // the error, or empty
	}{
		{"nodes", []File{{Path: "a.yaml", Data: aliases(strings.Repeat("a, ", 1000), 900)},
			{Path: "b.yaml", Data: aliases("a", 9)},
			{Path: "c.yaml", Data: aliases(strings.Repeat("a, ", 1000), 900)}}, 0,
			"c.yaml:1:1: the aliases of this and earlier documents expand to more than 1000000 nodes"},
		{"bytes", []File{{Path: "a.yaml", Data: bytes.Join([][]byte{aliases(strings.Repeat("a", 1000), 9),
			aliases(strings.Repeat("a", 1000), 9)}, []byte("---\n"))}}, 17_999,
			"a.yaml:9:1: the aliases of this and earlier documents expand to more than 17999 bytes"},
		{"bytes within the limit", []File{{Path: "a.yaml", Data: aliases(strings.Repeat("a", 1000), 9)},
			{Path: "b.yaml", Data: aliases(strings.Repeat("a", 1000), 9)}}, 18_000, ""},
		{"no limit", []File{{Path: "a.yaml", Data: aliases(strings.Repeat("a", 100_000), 900)}}, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Run(t.Context(), tc.files, Config{Rules: []*Rule{rule("KS901", func(*Pass) {}, services)}, MaxExpanded: tc.max})
			var input *InputError
			if tc.want == "" && err != nil || tc.want != "" && (!errors.As(err, &input) || err.Error() != tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
