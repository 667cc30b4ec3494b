package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// verdict is what the judge of e2e/conformance says of an object.
type verdict struct {
	Judged  bool
	Refused []struct{ By, Message string }
	Stored  map[string]any
}

// testStored creates a sample of every kind of change and refusal: the API server and the webhooks do with each what
// the judge says.
func (e *environment) testStored(t *testing.T) {
	samples, err := filepath.Glob("testdata/stored/*.yaml")
	if err != nil || len(samples) == 0 {
		t.Fatal("no samples: ", err)
	}
	namespace := e.cluster.Namespace(t, "stored")
	ctx, cancel := context.WithTimeout(context.Background(), wait.Bound)
	defer cancel()
	for _, sample := range samples {
		t.Run(strings.TrimSuffix(filepath.Base(sample), ".yaml"), func(t *testing.T) {
			manifest, err := os.ReadFile(sample)
			if err != nil {
				t.Fatal(err)
			}
			judged := e.judge(t, manifest)
			parsed, err := objects.Parse(manifest)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := e.cluster.Create(ctx, parsed[0], namespace.Name)
			if err != nil {
				if len(judged.Refused) == 0 || !strings.Contains(err.Error(), sayAsNow(judged.Refused[0].Message)) {
					t.Errorf("refused: %v\nthe judge says: %v", err, judged.Refused)
				}
				return
			}
			if len(judged.Refused) > 0 {
				t.Errorf("taken, but the judge says: %v", judged.Refused)
			}
			for _, field := range []string{
				"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "namespace",
			} {
				unstructured.RemoveNestedField(stored.Object, "metadata", field)
			}
			if !reflect.DeepEqual(stored.Object, judged.Stored) {
				t.Errorf("stored:\n%s\nthe judge says:\n%s", indented(t, stored.Object), indented(t, judged.Stored))
			}
		})
	}
}

// sayAsNow words a duplicate as Kubernetes does since 1.34. The judge is built with KServe's own version of Kubernetes.
func sayAsNow(message string) string {
	return strings.Replace(message, "map[string]interface {}{", "{", 1)
}

func (e *environment) judge(t *testing.T, manifest []byte) (v verdict) {
	t.Helper()
	line := e.kserve.Judge(t, string(manifest))
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if !v.Judged || bytes.Count(line, []byte("\n")) != 1 {
		t.Fatalf("the judge says: %s", line)
	}
	// As the client decodes objects: whole numbers are no floats.
	var stored unstructured.Unstructured
	if v.Stored != nil {
		data, err := json.Marshal(v.Stored)
		if err != nil {
			t.Fatal(err)
		}
		if err := stored.UnmarshalJSON(data); err != nil {
			t.Fatal(err)
		}
		v.Stored = stored.Object
	}
	return v
}

func indented(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
