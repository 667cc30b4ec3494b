package pairs

import (
	"reflect"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// TestMutants checks that each mutant differs from what it is made of, and leaves that as it is.
func TestMutants(t *testing.T) {
	manifests, err := objects.Parse([]byte(`
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris, annotations: {team: a}}
spec: {predictor: {minReplicas: 1, model: {modelFormat: {name: sklearn}, args: [a, b]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
`))
	if err != nil {
		t.Fatal(err)
	}
	before := manifests[0].DeepCopy()
	said := map[string]bool{}
	for _, m := range mutants(manifests) {
		if said[m.what] {
			t.Errorf("%s twice", m.what)
		}
		said[m.what] = true
		if strings.HasPrefix(m.what, "without") {
			continue
		}
		if same(m.manifests[0].Object, before.Object) {
			t.Errorf("%s changes nothing", m.what)
		}
	}
	if !same(manifests[0].Object, before.Object) {
		t.Error("the manifests have changed")
	}
	for _, want := range []string{
		"without InferenceService", "delete InferenceService metadata.annotations.team",
		"set InferenceService spec.predictor.minReplicas=2", "add InferenceService spec.predictor.name=other",
		"set InferenceService spec.predictor.model.args=[a]", "delete InferenceService spec.predictor.model",
	} {
		if !said[want] {
			t.Errorf("no mutant %q", want)
		}
	}
}

func same(a, b map[string]any) bool { return reflect.DeepEqual(a, b) }
