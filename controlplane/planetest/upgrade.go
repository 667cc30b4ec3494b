package planetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane"
)

// takeover: a release that takes over from itself changes nothing of what it has made, and has what its stand-ins knew:
// the pods and the revisions.
func takeover(t *testing.T, release controlplane.Release) {
	for _, mode := range []string{"Standard", "Knative"} {
		request := controlplane.Request{Mode: mode, Changed: true, // to a second pod and revision
			Previous: manifests(t, iris), Objects: manifests(t, strings.Replace(iris, "1.0", "2.0", 1))}
		_, left := plan(t, release, request)
		request.Stored, request.Previous = left.Objects, request.Objects
		now := ask(t, release, request)
		for name, objects := range map[string][]map[string]any{
			"stored": now.Stored, "taken over": now.Previous.Objects, "applied again": now.State.Objects,
		} {
			if want := unversioned(left.Objects); !reflect.DeepEqual(unversioned(objects), want) {
				t.Errorf("%s: %s: %v\nwant %v", mode, name, objects, want)
			}
		}
		if len(now.Previous.Refused)+len(now.Previous.Errors)+len(now.State.Refused) > 0 {
			t.Errorf("%s: %v %v %v", mode, now.Previous.Refused, now.Previous.Errors, now.State.Refused)
		}
	}
}

// unversioned returns objects without their resourceVersion, which counts the writes.
func unversioned(objects []map[string]any) (all []map[string]any) {
	for _, o := range objects {
		copied := map[string]any{}
		for name, value := range o {
			copied[name] = value
		}
		metadata := map[string]any{}
		for name, value := range o["metadata"].(map[string]any) {
			if name != "resourceVersion" {
				metadata[name] = value
			}
		}
		copied["metadata"] = metadata
		all = append(all, copied)
	}
	return all
}

// leftovers: what another release has left is taken over as it is. This release makes what is missing, under a UID of its
// own, says of what it refuses every change, has its own runtimes in place of the other's, and knows nothing of kinds that it
// does not have.
func leftovers(t *testing.T, release controlplane.Release) {
	request := controlplane.Request{Mode: "Standard", Objects: manifests(t, iris)}
	_, left := plan(t, release, request)
	request.Previous, request.Changed = request.Objects, true
	request.Stored = slices.DeleteFunc(left.Objects, func(o map[string]any) bool { return o["kind"] == "Service" })
	isService := func(o map[string]any) bool { return o["kind"] == "InferenceService" }
	service := request.Stored[slices.IndexFunc(request.Stored, isService)]
	service["spec"].(map[string]any)["predictor"].(map[string]any)["minReplicas"] = -1
	request.Stored = append(request.Stored, map[string]any{"apiVersion": "example.com/v1", "kind": "Foreign",
		"metadata": map[string]any{"name": "foreign", "namespace": "default"}})
	runtimes := shipped(t, release, "ClusterServingRuntime")
	metadata := runtimes[0]["metadata"].(map[string]any)
	metadata["labels"] = map[string]any{"of": "another-release"}
	request.Stored = append(request.Stored, runtimes[0])
	now := ask(t, release, request)
	made := find(t, *now.Previous, "Service iris-predictor")
	for _, o := range left.Objects {
		if at(o, "metadata", "uid") == at(made, "metadata", "uid") {
			t.Errorf("the Service has the UID of %s", o["kind"])
		}
	}
	refused := now.Previous.Refused
	if len(refused) != 1 ||
		!strings.Contains(refused[0].Message, "minReplicas") && !strings.Contains(refused[0].Message, "MinReplicas") {
		t.Errorf("refused %v", refused)
	}
	for _, name := range []string{"Foreign foreign", fmt.Sprint("ClusterServingRuntime ", metadata["name"])} {
		if slices.Contains(names(*now.Previous), name) {
			t.Error(name, "is another release's")
		}
	}
}
