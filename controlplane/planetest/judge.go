package planetest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

const judged = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: iris, creationTimestamp: null, uid: 1-2-3, labels: {}}
spec:
  predictor:
    model: {modelFormat: {name: sklearn}, storageUri: "gs://models/iris"}
    unknown: 1
status: {url: here}
---
apiVersion: v1
kind: List
items:
- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceService
  metadata: {name: 1ris, namespace: here}
  spec: {predictor: {scaleMetric: luck, model: {modelFormat: {name: sklearn}}}}
- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceService
  metadata: {name: tolerant}
  spec: {predictor: {tolerations: 3, model: {modelFormat: {name: sklearn}}}}
- apiVersion: serving.kserve.io/v1beta1
  kind: InferenceService
  metadata: {name: annotated, annotations: {number: 1}}
  spec: {}
---
# only a comment
---
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}}
---
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: ours, namespace: kserve}
spec: {containers: [{name: kserve-container, image: "example.com/ours:1"}]}
`

// Judge tests what a release says of objects before a controller looks at them.
func Judge(t *testing.T, release controlplane.Release) {
	all := verdicts(t, release, "Standard", judged)
	if len(all) != 6 {
		t.Fatalf("%d verdicts", len(all))
	}
	iris := all[0]
	if !iris.Judged || iris.Name != "iris" || !slices.Equal(iris.Pruned, []string{"spec.predictor.unknown"}) {
		t.Errorf("iris: %+v", iris)
	}
	var paths []string
	for _, change := range iris.Changes {
		paths = append(paths, change.Path)
	}
	for _, path := range []string{"metadata.labels", "metadata.uid", "spec.predictor.unknown"} {
		if !slices.Contains(paths, path) {
			t.Errorf("iris: no change at %s, only at %q", path, paths)
		}
	}
	if iris.Stored["status"] != nil || at(iris.Stored, "metadata", "namespace") != nil || len(iris.Refused) > 0 {
		t.Errorf("iris: %+v", iris)
	}
	for i, by := range map[int][]string{
		1: {"definition", "validating webhook"}, 2: {"mutating webhook"}, 3: {"definition"}, 4: nil,
	} {
		var got []string
		for _, fault := range all[i].Refused {
			got = append(got, fault.By)
		}
		if !slices.Equal(got, by) {
			t.Errorf("%s is refused by %q, want %q: %v", all[i].Name, got, by, all[i].Refused)
		}
	}
	if all[4].Judged || all[4].Kind != "Secret" {
		t.Errorf("the Secret: %+v", all[4])
	}
	if runtime := all[5]; !runtime.Judged || len(runtime.Changes) > 0 || len(runtime.Refused) > 0 {
		t.Errorf("the runtime, whose namespace Argo CD drops as the API server does: %+v", runtime)
	}
	for mode, want := range map[string]any{"Standard": release.Standard, "Knative": nil} {
		stored := verdicts(t, release, mode, judged)[0].Stored
		if got := at(stored, "metadata", "annotations", "serving.kserve.io/deploymentMode"); got != want {
			t.Errorf("in %s mode the annotation is %v, want %v", mode, got, want)
		}
	}
	if err := controlplane.Judge(release, "Serverless", strings.NewReader(""), &bytes.Buffer{}); err == nil {
		t.Error("there is no mode Serverless")
	}
}

func verdicts(t *testing.T, release controlplane.Release, mode, stream string) (all []controlplane.Verdict) {
	t.Helper()
	var out bytes.Buffer
	if err := controlplane.Judge(release, mode, strings.NewReader(stream), &out); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var one controlplane.Verdict
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}
