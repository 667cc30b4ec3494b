package chart

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

var texts = []string{
	"", "--- ---\na: b", "---\n---\na: b", " \n---\n\n---  \nkind: Pod\n---kind: Service\n --- \nkind: Job",
	"kind: Zebra\n---\nkind: Namespace\n---\nkind: Apple\n---\nmetadata: {annotations: {a: b}}\n",
	"kind: Pod\nmetadata:\n  annotations:\n    helm.sh/hook: test\n---\nkind: Job\nmetadata: {annotations: {helm.sh/hook: other}}\n",
	"kind: Pod\nmetadata: {annotations: {a: 1}}\n", "Kind: Pod\n", "kind: 1\n", "kind: a\nkind: b\n", "- a\n", "# only\n", "a: [",
	"a: *b\n", "x: &a {kind: Pod}\n<<: *a\n", "metadata:\n", "kind: |\n  Pod\n---\nkind: \"Pod\"\n", "a: b\r\n---\r\nkind: Secret\r\n",
	"a: |+\n  text\n\n\n---\nb: c\u00a0\n---\u00a0\nc: d\n", "kind: Pod\n...\n---\nkind: Job\n", "a:\n\tb: c\n", "\"kind\": Pod\n",
	"metadata: {name: 1}\n", "? [a]\n: b\n", "%YAML 1.1\n---\nkind: Pod\n", "kind: yes\n", "kind: OFF\n", "a: 0x\n1: 2\ntrue: x\n~: y\n",
	"? a\n: ? a: b\n", "a: [<<: 1, 2]\n", "? a\n: <<: b\n", "date: 2001-01-01\n", "data:\n  k: \"\\u0041\"\n", "a: b: c\n",
}

var pieces = []string{
	"\n", "---", " ", ":", "- ", "#", "\"", "'", "{", "}", "[", "]", "&a ", "*a", "|", ">", "~", "null", "\t", "kind: ", "metadata:",
	"name: ", "annotations:", "%", "...", "!", "é", "\u00a0", "\r\n", "true", ",", "?", "@", "`", "\x00", "\ufeff", "<<: ",
}

// TestSort compares the manifests and their order with Helm's own, and whether there is an error, for texts and random
// changes of them.
func TestSort(t *testing.T) {
	for _, text := range texts {
		compare(t, text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	for range 3000 {
		text := pick(texts) + pick(texts)
		for range random.IntN(4) {
			i := random.IntN(len(text) + 1)
			text = text[:i] + pick(pieces) + text[min(len(text), i+random.IntN(2)):]
		}
		compare(t, text)
	}
}

func compare(t *testing.T, text string) {
	t.Helper()
	files := map[string]string{"x/a.yaml": text, "x/b.yaml": "kind: ConfigMap\n---\nkind: Unknown", "x/_c.tpl": text}
	wantHooks, others, wantErr := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	hooks, got, err := sortManifests(files)
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%q: got error %v, want %v", text, err, wantErr)
	}
	if err != nil {
		return
	}
	var want []manifest
	for _, m := range others {
		want = append(want, manifest{m.Name, m.Head.Kind, m.Content})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q: got\n%q\nwant\n%q", text, got, want)
	}
	if !slices.EqualFunc(hooks, wantHooks, func(a, b *release.Hook) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("%q: got hooks %v, want %v", text, hooks, wantHooks)
	}
	if split, all := splitManifests(text), releaseutil.SplitManifests(text); len(split) != len(all) {
		t.Errorf("%q: got %q, want %q", text, strings.Join(split, "|"), all)
	}
}
