package transform

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

const (
	group = "apiVersion: serving.kserve.io/v1beta1\n"
	kind  = "kind: InferenceService\n"
	meta  = "metadata: {name: a}\n"
	decoy = "metadata: {name: a, annotations: {b: \"\nkind: ConfigMap\n\"}}" // a line that looks like the kind
)

// hidden are documents with an object of a rule's kind that Argo CD would apply, in forms that hide it.
var hidden = []struct{ name, document string }{
	{"a group over two lines", "apiVersion:\n  \"serving.kserve.\\\n  io/v1beta1\"\n" + kind + meta},
	{"a group over three lines", "apiVersion: \"serving.\\\n  kserve.\\\n  io/v1beta1\"\n" + kind + meta},
	{"a group over two lines with CRLF", "apiVersion:\r\n  \"serving.kserve.\\\r\n  io/v1beta1\"\r\n" + kind + meta},
	{"a kind over two lines", "apiVersion: autoscaling/v2\nkind:\n  \"HorizontalPod\\\n  Autoscaler\"\n" + meta},
	{"a tag on a key", group + decoy + "\n!!str " + kind},
	{"a question mark before each key", "? apiVersion\n: serving.kserve.io/v1beta1\n? kind\n: InferenceService\n" +
		"? metadata\n: {name: a}\n"},
	{"a question mark before one key", group + decoy + "\n? kind\n: InferenceService\n"},
	{"a binary kind", "apiVersion: autoscaling/v2\nkind: !!binary SG9yaXpvbnRhbFBvZEF1dG9zY2FsZXI=\n" + meta},
	{"a binary group", "apiVersion: !!binary c2VydmluZy5rc2VydmUuaW8vdjFiZXRhMQ==\n" + kind + meta},
	{"a binary group with a long tag",
		"apiVersion: !<tag:yaml.org,2002:binary> c2VydmluZy5rc2VydmUuaW8vdjFiZXRhMQ==\n" + kind + meta},
	{"another kind in a quoted text", group + decoy + "\n\"kind\": InferenceService\n"},
	{"another kind in a quoted text of an indented document", "  " + group + "  " + kind + "  " + decoy + "\n"},
	{"another kind in a flow mapping",
		"{metadata: {name: a, owner: {\nkind: ConfigMap\n}}, apiVersion: serving.kserve.io/v1beta1, " +
			"kind: InferenceService}\n"},
	{"a space before the colon", group + decoy + "\nkind : InferenceService\n"},
	{"a merge key", group + decoy + "\n<<: {kind: InferenceService}\n"},
	{"a line break of YAML 1.1", group + decoy + "\u0085" + kind},
	{"a carriage return", strings.ReplaceAll(group+kind+meta, "\n", "\r")},
	{"items of another kind", "apiVersion: v1\nkind: ConfigMap\n" + meta +
		"items:\n- apiVersion: serving.kserve.io/v1beta1\n  kind: InferenceService\n  metadata: {name: a}\n"},
}

// seeds adds hidden documents and the cases of the rules.
func seeds(f *testing.F) {
	for _, tc := range hidden {
		f.Add([]byte(tc.document))
	}
	cases := filepath.Join("..", "testdata", "rules")
	err := filepath.WalkDir(cases, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".diff" {
			return err
		}
		data, err := os.ReadFile(path)
		f.Add(data)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

// FuzzScreen compares the screen with the parser: it selects every document in which the parser finds an object of a
// kind that a rule names.
func FuzzScreen(f *testing.F) {
	seeds(f)
	whole := GroupKind{"http.keda.sh", AnyKind}
	kinds := []GroupKind{services, hpas, {"keda.sh", "ScaledObject"}, {"", "Secret"}, whole}
	screen := newScreen([]*Rule{rule("KS901", func(*Pass) {}, kinds...)}, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		sources, err := yamldoc.Split(data)
		if err != nil {
			return
		}
		for _, source := range sources {
			parsed := &document{file: &File{}, source: &source, trees: &trees{}}
			if parsed.parse("") != nil {
				continue
			}
			concerned := slices.ContainsFunc(parsed.objects, func(o *Object) bool {
				return slices.Contains(kinds, o.GroupKind()) || o.Group() == whole.Group
			})
			examined := &document{file: &File{}, source: &source, trees: &trees{}}
			err := examined.examine(screen, "")
			if concerned && err == nil && examined.content == object && !examined.selected {
				t.Errorf("not selected:\n%s", source.Body)
			}
			if concerned && !screen.document(source.Body) {
				t.Errorf("the screen says no:\n%s", source.Body)
			}
		}
	})
}

// FuzzPassing compares the screen of a text with that of its documents: if the text passes, yamldoc.Split finds no
// fault, and each document passes.
func FuzzPassing(f *testing.F) {
	seeds(f)
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for _, after := range []string{
		"", "---\n", "...\n", "...\n# end\n", "...\n  data: {}\n", "---\n# nothing\n", "--- # next\n", "----\n",
		"\ufeff---\n", "data:\u0085---\n", "data:\u0085...\nb: c\n", "data:\r---\r\n", "%YAML 1.1\n",
		"---\n%YAML 1.1\n", "\x00", "\xff", "kind: ConfigMap\n", "---\n\n  a: b\n", "---\n{}\n", "items: []\n",
		"data: {a: {{ .Values.a }}}\n", "data: !!binary aaaa\n", "data: \"\\x41\"\n", "data: serving.kserve.io\n",
	} {
		f.Add([]byte(object + after))
		f.Add([]byte(object + after + object))
		f.Add([]byte(object + after + "---\n" + object))
	}
	screen := newScreen([]*Rule{rule("KS901", func(*Pass) {}, services, hpas)}, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		count := screen.passing(data)
		if count == 0 {
			return
		}
		sources, err := yamldoc.Split(data)
		if err != nil || len(sources) != count {
			t.Fatalf("%d documents, want %d: %v\n%q", len(sources), count, err, data)
		}
		for _, source := range sources {
			if !screen.passes(source.Body) {
				t.Errorf("%q passes, but not\n%q", data, source.Body)
			}
		}
	})
}
