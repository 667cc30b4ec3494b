package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

// TestNoObject gives documents that are meant as objects and are none, and documents that Kubernetes cannot read.
func TestNoObject(t *testing.T) {
	for _, tc := range []struct {
		name, input string
		at          string // line:col
		want        string // part of the message
	}{
		{"a typo in metadata", "# the map\napiVersion: v1\nkind: ConfigMap\nmetdata: {name: a}\n", "4:1",
			"did you mean metadata instead of metdata?"},
		{"a typo in kind", "apiVersion: v1\nkin: ConfigMap\nmetadata: {name: a}\n", "2:1",
			"did you mean kind instead of kin?"},
		{"a capital", "apiVersion: v1\nkind: ConfigMap\nMetadata: {name: a}\n", "3:1",
			"did you mean metadata instead of Metadata?"},
		{"all in capitals", "ApiVersion: v1\nKind: ConfigMap\nMetadata: {name: a}\n", "1:1", "did you mean apiVersion"},
		{"two typos", "apiversion: v1\nkind: ConfigMap\nmetdata: {name: a}\n", "1:1", "did you mean apiVersion"},
		{"swapped letters", "apiVersion: v1\nknid: ConfigMap\nmetadata: {name: a}\n", "2:1", "did you mean kind"},
		{"a typo in JSON", `{"apiVersion": "v1", "kind": "ConfigMap", "metdata": {}}`, "1:43", "did you mean metadata"},
		{"no metadata", "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n", "1:1", "metadata is missing"},
		{"a longer key", "apiVersion: v1\nkind: ConfigMap\nmetadata:d  name: a\n", "1:1", "metadata is missing"},
		{"no kind", "apiVersion: v1\nmetadata: {name: a}\n", "1:1", "kind is missing"},
		{"a kind without value", "apiVersion: v1\nkind:\nmetadata: {name: a}\n", "1:1", "kind is missing"},
		{"no apiVersion", "---\n\nkind: ConfigMap\nmetadata: {name: a}\n", "3:1", "apiVersion is missing"},
		{"two objects without a separator",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n",
			"4:1", `duplicate key "apiVersion"`},
		{"an indented separator",
			"apiVersion: v1\nmetadata: {name: one}\nkind: ConfigMap\n ---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n",
			"5:1", `duplicate key "apiVersion"`},
		{"a text in a List", "apiVersion: v1\nkind: List\nitems:\n- foo\n", "4:3", "an item of a List that is no object"},
		{"null in a List", "apiVersion: v1\nkind: List\nitems: [null]\n", "3:9", "an item of a List that is no object"},
		{"no kind in a List", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  metadata: {name: a}\n", "4:3",
			"kind is missing in an item of a List"},
		{"a typo in a List in a List", "apiVersion: v1\nkind: \"List\"\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n" +
			"  - apiVersion: v1\n    kind: ConfigMap\n    metdata: {name: a}\n", "7:5", "metadata is missing in an item of a List"},
		{"no metadata in a typed list", "apiVersion: v1\nkind: ConfigMapList\nitems: [{}]\n", "3:9", "metadata is missing in an item"},
		{"a misspelt key of a List", "apiVersion: v1\nkind: List\nitem: []\n", "3:1", "did you mean items instead of item?"},
		{"a List without apiVersion", "kind: List\nmetadata: {}\nitems: []\n", "1:1", "apiVersion is missing"},
		{"a group of a rule without kind", "apiVersion: serving.kserve.io/v1beta1\nspec: {}\n", "1:1", "kind is missing"},
		{"the same in JSON", `{"spec": {}, "apiVersion": "serving.kserve.io/v1beta1"}`, "1:1", "kind is missing"},
		{"cut off after the kind", "apiVersion: v1\nkind: Config", "1:1", "metadata is missing"},
		{"cut off in quotes", "apiVersion: v1\nkind: \"Config", "", ""},
		{"cut off in a flow mapping", "a: {b: 1", "", ""},
		{"cut off JSON", `{"apiVersion": "v1", "kind": "Config`, "", "unexpected end of JSON"},
		{"broken JSON", `{"replicas" 3}`, "1:13", ""},
		{"a JSON array of objects", `[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}]`, "1:2",
			"an object in a list"},
		{"values beside an object", configMap + "---\n# of the chart\nreplicas: 3\n", "6:1",
			"not an object, in a file with objects"},
		{"values before an object", "replicas: 3\n---\n" + configMap, "1:1", "not an object, in a file with objects"},
		{"a text beside an object", configMap + "---\nreplicas\n", "5:1", "not an object, in a file with objects"},
		{"only a kind beside an object", configMap + "---\nkind: Service\n", "5:1", "not an object, in a file with objects"},

		{"a template", configMap + "data:\n  a: {{ .Values.a }}\n", "5:7", "{{ needs quotes"},
		{"a template in a list", configMap + "data:\n  a:\n  - {{ .Values.a }}\n", "6:6", "{{ needs quotes"},
		{"a template with statements", configMap + "{{- if .Values.a }}\ndata: {}\n{{- end }}\n", "4:1", ""},
		{"a mapping as key", configMap + "data: {{a: b}: c}\n", "4:8", "as a key"},
		{"a list as key of a service", service + "? [a]\n: b\n", "6:3", "as a key"},
		{"a null key of a service", service + "status: {~: a}\n", "6:10", "a null key"},
		{"a null key of an unclear document", "{apiVersion: v1, kind: ConfigMap, metadata: {null: a}}\n", "1:46",
			"a null key"},
		{"NaN in a service", service + "status: .nan\n", "6:9", ".nan is a number that Kubernetes refuses"},
		{"infinity in a service", service + "status: {a: [-.Inf]}\n", "6:14", "-.Inf is a number that Kubernetes refuses"},
		{"a merge of text", service + "<<: text\n", "6:5", "<< without a mapping"},
		{"a merge of a list of text", service + "<<: [text]\n", "6:5", "<< without a mapping"},
		{"a version directive", "%YAML 1.1\n---\n" + configMap, "1:1", "a directive"},
		{"a tag directive", "\ufeff# c\n%TAG ! tag:example.com,2000:\n---\n" + configMap, "2:1", "a directive"},
		{"content after JSON", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}} and more`, "1:59",
			"content after"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			catalogue := []*Rule{wants("KS901", "seen", "yes", services)}
			output, err := generate(t, catalogue, File{Path: "app/a.yaml", Data: []byte(tc.input)})
			var fault *InputError
			if !errors.As(err, &fault) || fault.Line == 0 || len(output) > 0 {
				t.Fatalf("error %v and output %q, want an InputError with a position", err, output)
			}
			if at := fmt.Sprintf("%d:%d", fault.Line, fault.Col); tc.at != "" && at != tc.at {
				t.Errorf("error %v, want it at %s", err, tc.at)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one about %q", err, tc.want)
			}
		})
	}
}

// TestSkipped gives documents that are for other tools, and documents that hold nothing. Of what a renderer made, the
// former are errors.
func TestSkipped(t *testing.T) {
	for _, tc := range []struct {
		name, input string
		objects     int
		skipped     []int // lines
	}{
		{"values of a chart", "replicas: 3\n", 0, []int{1}},
		{"after a comment", "\n# values\n\nreplicas: 3\n---\nimage: a\n", 0, []int{4, 6}},
		{"a chart", "apiVersion: v2\nname: a\nversion: 1.0.0\n", 0, []int{1}},
		{"a kustomization", "resources: [a.yaml]\n", 0, []int{1}},
		{"only a kind", "kind: Service\n", 0, []int{1}},
		{"only metadata", "metadata: {a: b}\nbind: 0.0.0.0\n", 0, []int{1}},
		{"a list", "- a\n- b\n", 0, []int{1}},
		{"a JSON array", "[1, 2]\n", 0, []int{1}},
		{"a text", "a\n", 0, []int{1}},
		{"comments", "# a\n---\n# b\n...\n", 0, nil},
		{"null", "null\n---\n~\n", 0, nil},
		{"null and comments beside an object", "# a\n---\n" + configMap + "---\nnull\n---\n", 1, nil},
		{"a List without metadata", "apiVersion: v1\nkind: List\nitems: []\n", 0, nil},
		{"an alias in a List", "apiVersion: v1\nkind: List\nitems:\n- &a {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n" +
			"- *a\n", 2, nil},
		{"Lists in a List",
			"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: []\n" +
				"- apiVersion: v1\n  kind: ConfigMapList\n  items: [{metadata: {name: a}}, {metadata: {name: b}}]\n", 2, nil},
		{"a kind that ends in List", "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\n", 1, nil},
		{"a typed list without metadata", "apiVersion: v1\nkind: ConfigMapList\nitems: null\n", 0, nil},
		{"metadata without value", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n", 1, nil},
		{"a template in a text",
			configMap + "data:\n  a: |\n    {{ if .a }}\n    b: {{ .c }}\n  b: \"{{ .d }}\"\n  c: e{{ .f }}\n", 1, nil},
		{"a tilde as value", configMap + "data: {a: ~}\n", 1, nil},
		{"dots that end nothing, where no rule looks", configMap + "...a\n", 1, nil},
		{"infinity in quotes", configMap + "data: {a: '.inf'}\n", 1, nil},
		{"merged mappings", service + "a: &a {b: 1}\nc: {<<: *a}\nd: {<<: [*a, {e: 1}]}\n", 1, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := Config{Rules: []*Rule{wants("KS901", "seen", "yes", services)}}
			result, err := Run(t.Context(), []File{{Path: "a.yaml", Data: []byte(tc.input)}}, config)
			if err != nil {
				t.Fatal(err)
			}
			var lines []int
			for _, place := range result.Skipped() {
				lines = append(lines, place.Line)
			}
			if !slices.Equal(lines, tc.skipped) || result.Objects() != tc.objects {
				t.Errorf("%d objects, skipped lines %v, want %d and %v", result.Objects(), lines, tc.objects, tc.skipped)
			}
			_, err = Run(t.Context(), []File{{Path: "a.yaml", Data: []byte(tc.input), Renderer: "helm"}}, config)
			if (err != nil) != (len(tc.skipped) > 0) {
				t.Errorf("what a renderer made: %v", err)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	if got := (Place{"a/b.yaml", 3}).String(); got != "a/b.yaml:3" {
		t.Errorf("got %s", got)
	}
}
