package transform

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/internal/scan"
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
	e := &engine{Config: Config{Kinds: kinds}}
	screen := e.newScreen(nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		sources, err := yamldoc.Split(data)
		if err != nil {
			return
		}
		for _, source := range sources {
			tree, err := yamldoc.Parse(source.Body)
			if err != nil {
				continue
			}
			parsed := &document{file: &File{}, source: source, tree: tree}
			parsed.collect("")
			concerned := slices.ContainsFunc(parsed.objects, func(o *Object) bool {
				return slices.Contains(kinds, o.GroupKind()) || o.Group() == whole.Group
			})
			read, err := e.newDocument(&File{}, scan.Document{Document: source}, screen)
			if concerned && err == nil && read.content == object && read.tree == nil {
				t.Errorf("not selected:\n%s", source.Body)
			}
			if concerned && !screen.Selects(source.Body) {
				t.Errorf("the screen says no:\n%s", source.Body)
			}
		}
	})
}
