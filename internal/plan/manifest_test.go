package plan_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/plan"
)

// What kubectl prints of a cluster is one List. The values of a Secret stay here, and so does what only a live object has.
func TestReadLive(t *testing.T) {
	live, err := plan.ReadLive([]byte(`apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata: {name: keys, namespace: kserve, uid: "1", resourceVersion: "2"}
  data: {token: c2VjcmV0}
  stringData: {password: secret}
- apiVersion: example.com/v1
  kind: Other
  metadata: {name: other}
  status: {phase: Ready}
- apiVersion: v1
  kind: Node
  metadata: {name: one, uid: "2"}
  status: {phase: Running}
---
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntimeList
items:
- metadata: {name: mine}
`), "live.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got []plan.Object
	for _, m := range live {
		got = append(got, m.Object)
	}
	if place := live[1].Place; place != "live.yaml:9" {
		t.Errorf("the second is at %s", place)
	}
	want := []plan.Object{
		{
			"apiVersion": "v1", "kind": "Secret", "metadata": plan.Object{"name": "keys", "namespace": "kserve"},
			"data": plan.Object{"token": "c2VjcmV0"}, "stringData": plan.Object{"password": "secret"},
		},
		{"apiVersion": "example.com/v1", "kind": "Other", "metadata": plan.Object{"name": "other"}},
		{
			"apiVersion": "v1", "kind": "Node", "metadata": plan.Object{"name": "one"},
			"status": plan.Object{"phase": "Running"},
		},
		{
			"apiVersion": "serving.kserve.io/v1alpha1", "kind": "ClusterServingRuntime",
			"metadata": plan.Object{"name": "mine"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A List is parsed once, and not for each of its items.
func TestReadGrows(t *testing.T) {
	bytesFor := func(items int) uint64 {
		list := []byte("apiVersion: v1\nkind: List\nitems:\n" +
			strings.Repeat("- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n", items))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, _, err := plan.Read(list, list, "a.yaml"); err != nil {
			t.Error(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := bytesFor(20), bytesFor(200); many > 30*few {
		t.Errorf("it takes %d bytes for 20 items, %d for 200", few, many)
	}
}

// A file that is broken or empty is not the same as no file.
func TestReadLiveFails(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n"
	for data, want := range map[string]string{
		"":                                      "live.yaml: no objects",
		"apiVersion: v1\nkind: List\nitems: []": "live.yaml: no objects",
		head + "a: [\n":                         "live.yaml:5:1: did not find expected node content",
		head + "a: 1\na: 2\n":                   "live.yaml:6:1: ",
		head + "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: 5}\n": "live.yaml:8: Secret: " +
			"metadata.name is no string: quote it",
	} {
		if _, err := plan.ReadLive([]byte(data), "live.yaml"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

// The names of two objects may run together to the same letters.
func TestUnique(t *testing.T) {
	manifest := func(namespace, name, version string) plan.Manifest {
		metadata := map[string]any{"name": name}
		if namespace != "" {
			metadata["namespace"] = namespace
		}
		return plan.Manifest{Place: name + ".yaml:1", Object: plan.Object{
			"apiVersion": "serving.kserve.io/" + version, "kind": "InferenceService", "metadata": metadata,
		}}
	}
	different := []plan.Manifest{manifest("team", "alpha", "v1beta1"), manifest("teama", "lpha", "v1beta1")}
	if err := plan.Unique(different, "default"); err != nil {
		t.Error(err)
	}
	same := []plan.Manifest{manifest("", "iris", "v1beta1"), manifest("default", "iris", "v1alpha1")}
	const want = "iris.yaml:1: InferenceService iris is at iris.yaml:1 too: leave one of the two out"
	if err := plan.Unique(same, "default"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Read leaves out what Argo CD neither applies nor prunes, and says what is broken.
func TestRead(t *testing.T) {
	const file = `apiVersion: v1
kind: ConfigMap
metadata: {name: skipped, annotations: {argocd.argoproj.io/hook: "PreSync, Skip"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: run, annotations: {argocd.argoproj.io/hook: PostSync}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: broken
`
	all, broken, err := plan.Read([]byte(file), []byte(file), "a.yaml")
	if err != nil || len(all) != 1 || all[0].Given != "ConfigMap run" || len(broken) != 1 ||
		broken[0] != "a.yaml:9: plan leaves this out, because it is not YAML" {
		t.Errorf("%v, %q, %v", all, broken, err)
	}
}
