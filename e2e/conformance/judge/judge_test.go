package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const toyDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: toys.test
  names: {kind: Toy}
  versions:
  - name: v1
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
          spec:
            type: object
            properties:
              size: {type: integer, default: 3}
              mode: {type: string}
              note: {type: string}
`

const toyConfig = `apiVersion: v1
kind: ConfigMap
metadata: {name: toy-config, namespace: toys}
data:
  deploy: '{"defaultDeploymentMode": "Serverless", "other": 1}'
`

// toys is a release whose mutating webhook reads the configuration as KServe's does.
var toys = Release{
	Standard: "RawDeployment",
	Knative:  "Serverless",
	Webhooks: func(Cluster) []Webhooks {
		toy := &unstructured.Unstructured{}
		toy.SetAPIVersion("toys.test/v1")
		toy.SetKind("Toy")
		return []Webhooks{{Object: toy, Defaulter: toyDefaulter{}, Handler: admission.HandlerFunc(validateToy)}}
	},
}

type toyDefaulter struct{}

func (toyDefaulter) Default(ctx context.Context, object runtime.Object) error {
	clientConfig, err := config.GetConfig()
	if err != nil {
		return err
	}
	clientset, err := kubernetes.NewForConfig(clientConfig)
	if err != nil {
		return err
	}
	found, err := clientset.CoreV1().ConfigMaps("toys").Get(ctx, "toy-config", metav1.GetOptions{})
	if err != nil {
		return err
	}
	spec := object.(*unstructured.Unstructured).Object["spec"].(map[string]any)
	if spec["note"] == "panic" {
		panic("no toy")
	}
	spec["mode"] = found.Data["deploy"]
	return nil
}

func validateToy(_ context.Context, request admission.Request) admission.Response {
	if bytes.Contains(request.Object.Raw, []byte(`"note":"refuse"`)) {
		return admission.Denied("refused as asked")
	}
	return admission.Allowed("")
}

func TestRun(t *testing.T) {
	got := verdicts(t, toys, "Standard", `apiVersion: toys.test/v1
kind: Toy
metadata: {name: one, namespace: here, creationTimestamp: null, uid: 1-2-3, labels: {}}
spec: {mode: own, unknown: 1}
status: {ready: true}
---
apiVersion: v1
kind: List
items:
- {apiVersion: toys.test/v1, kind: Toy, metadata: {name: two}, spec: {size: many, note: refuse}}
- {apiVersion: toys.test/v1, kind: Toy, metadata: {name: three}, spec: {note: panic}}
- {apiVersion: toys.test/v1, kind: Toy, metadata: {name: four, annotations: {number: 1}}, spec: {}}
---
# only a comment
---
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "five"}}
`)
	if len(got) != 5 {
		t.Fatalf("%d verdicts", len(got))
	}
	one := got[0]
	if !one.Judged || one.Name != "one" || one.Namespace != "here" || !slices.Equal(one.Pruned, []string{"spec.unknown"}) {
		t.Errorf("one: %+v", one)
	}
	var paths []string
	for _, change := range one.Changes {
		paths = append(paths, change.Path)
		if change.Path == "spec.mode" && !strings.Contains(string(change.After), `RawDeployment`) {
			t.Errorf("one: the default mode is not the one that is asked for: %s", change.After)
		}
	}
	want := []string{"metadata.labels", "metadata.uid", "spec.mode", "spec.size", "spec.unknown"}
	if !slices.Equal(paths, want) {
		t.Errorf("one: changes at %q, want %q", paths, want)
	}
	if _, found := one.Stored["status"]; found || len(one.Refused) > 0 {
		t.Errorf("one: %+v", one)
	}
	if by := refusers(got[1]); !slices.Equal(by, []string{"definition", "validating webhook"}) {
		t.Errorf("two: refused by %q", by)
	}
	if by := refusers(got[2]); !slices.Equal(by, []string{"mutating webhook"}) || got[2].Stored != nil {
		t.Errorf("three: refused by %q", by)
	}
	if by := refusers(got[3]); !slices.Equal(by, []string{"definition"}) {
		t.Errorf("four: refused by %q", by)
	}
	if got[4].Judged || got[4].Kind != "Secret" {
		t.Errorf("five: %+v", got[4])
	}
}

// A typed webhook changes what the round trip through its type changes, as controller-runtime's own handler does it.
func TestRoundTrip(t *testing.T) {
	typed := toys
	typed.Schemes = []func(*runtime.Scheme) error{corev1.AddToScheme}
	typed.Webhooks = func(Cluster) []Webhooks { return []Webhooks{{Object: &corev1.Pod{}, Defaulter: nothing{}}} }
	dir := sources(t, strings.NewReplacer(
		"group: toys.test", `group: ""`, "kind: Toy", "kind: Pod",
		"mode: {type: string}", "containers: {x-kubernetes-preserve-unknown-fields: true}",
	).Replace(toyDefinition))
	all, err := loadDefinitions(dir)
	if err != nil {
		t.Fatal(err)
	}
	config, err := readConfig(dir, "Standard")
	if err != nil {
		t.Fatal(err)
	}
	cluster, end, err := newCluster(config, typed.Schemes)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	pod := decoded(t, `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
		"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1000m"}}}]}}`).(map[string]any)
	webhooks, err := byKind(cluster.Scheme, typed.Webhooks(cluster))
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := judge(pod, all, webhooks, cluster.Scheme)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(verdict.Changes, func(c Change) bool {
		return c.Path == "spec.containers[0].resources.limits.cpu" && string(c.After) == `"1"` && c.Drifts
	})
	if i < 0 {
		t.Errorf("%+v", verdict)
	}
}

func TestModeIsChecked(t *testing.T) {
	err := run(toys, t.TempDir(), "standard", strings.NewReader(""), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "-mode") {
		t.Error(err)
	}
}

type nothing struct{}

func (nothing) Default(context.Context, runtime.Object) error { return nil }

// sources writes a folder as KServe's sources have it.
func sources(t *testing.T, definition string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range map[string]string{
		"config/crd/full/toys.yaml":              definition,
		"config/crd/full/kustomization.yaml":     "resources: [toys.yaml]\n",
		"config/configmap/inferenceservice.yaml": toyConfig,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func verdicts(t *testing.T, release Release, mode, manifests string) []Verdict {
	t.Helper()
	return verdictsOf(t, release, toyDefinition, mode, manifests)
}

func verdictsOf(t *testing.T, release Release, definition, mode, manifests string) (all []Verdict) {
	t.Helper()
	var out bytes.Buffer
	if err := run(release, sources(t, definition), mode, strings.NewReader(manifests), &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var verdict Verdict
		if err := json.Unmarshal([]byte(line), &verdict); err != nil {
			t.Fatal(err)
		}
		all = append(all, verdict)
	}
	return all
}

func refusers(v Verdict) (by []string) {
	for _, refusal := range v.Refused {
		by = append(by, refusal.By)
	}
	return by
}
