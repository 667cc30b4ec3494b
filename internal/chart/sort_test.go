package chart

import (
	"reflect"
	"slices"
	"testing"

	release "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

// FuzzSort compares the order of the manifests with Helm's own, and the errors.
func FuzzSort(f *testing.F) {
	for _, text := range []string{
		"", "a: b", "--- ---\na: b", "---\n---\na: b", " \n---\n\n---  \nkind: Pod\n---kind: Service\n --- \nkind: Job",
		"kind: Zebra\n---\nkind: Namespace\n---\nkind: Apple\n---\nmetadata: {annotations: {a: b}}",
		"kind: Pod\nmetadata:\n  annotations:\n    helm.sh/hook: test\n---\nkind: Job\nmetadata: {annotations: {helm.sh/hook: other}}",
		"kind: Pod\nmetadata: {annotations: {a: 1}}", "Kind: Pod", "kind: 1", "kind: a\nkind: b", "- a", "# only", "a: [", "a: *b",
		"x: &a {kind: Pod}\n<<: *a\n", "metadata:\n", "kind: |\n  Pod\n---\nkind: \"Pod\"\n", "a: b\r\n---\r\nkind: Secret\r\n",
		"a: |+\n  text\n\n\n---\nb: c\u00a0\n---\u00a0\nc: d", "kind: Pod\n...\n---\nkind: Job", "a:\n\tb: c", "\"kind\": Pod",
		"metadata: {name: 1}", "? [a]\n: b", "%YAML 1.1\n---\nkind: Pod", "kind: yes", "a: 0x\n1: 2\ntrue: x\n~: y",
	} {
		f.Add(text, "kind: ConfigMap\n---\nkind: Unknown")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		files := map[string]string{"x/templates/a.yaml": a, "x/templates/b.yaml": b, "x/templates/_c.tpl": a}
		wantHooks, want, wantErr := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
		hooks, got, err := sortManifests(files)
		if (err != nil) != (wantErr != nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("got error %v, want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		var wanted []manifest
		for _, m := range want {
			wanted = append(wanted, manifest{m.Name, m.Head.Kind, m.Content})
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("got\n%q\nwant\n%q", got, wanted)
		}
		if !slices.EqualFunc(hooks, wantHooks, func(a, b *release.Hook) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("got hooks %v, want %v", hooks, wantHooks)
		}
		if split, wanted := splitManifests(a), releaseutil.SplitManifests(a); len(split) != len(wanted) {
			t.Errorf("got %q, want %q", split, wanted)
		}
	})
}
