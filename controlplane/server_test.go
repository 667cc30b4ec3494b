package controlplane

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"
)

// What has two owners is there until both are gone.
func TestOwners(t *testing.T) {
	s := newServer()
	s.addBuiltins(builtins)
	of := func(name string) key { return key{schema.GroupKind{Kind: "ConfigMap"}, "default", name} }
	var owners []any
	for _, name := range []string{"a", "b"} {
		if err := makeConfigMap(s, name); err != nil {
			t.Fatal(err)
		}
		owner, err := s.get(of(name))
		if err != nil {
			t.Fatal(err)
		}
		owners = append(owners, object{
			"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": string(metaOf(owner).GetUID()),
		})
	}
	owned := object{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": object{"name": "c", "namespace": "default", "ownerReferences": owners}}
	target, _ := s.targetOf(owned, "")
	if _, err := s.create(target, owned, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if _, err := s.get(of("c")); err != nil {
			t.Errorf("before %s is deleted: %v", name, err)
		}
		if _, err := s.delete(of(name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.get(of("c")); !apierrors.IsNotFound(err) {
		t.Errorf("without an owner: %v", err)
	}
}

// An object with a finalizer is marked when it is deleted, and gone with the finalizer.
func TestFinalizers(t *testing.T) {
	s := newServer()
	s.addBuiltins(builtins)
	held := object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": "a", "namespace": "default",
		"finalizers": []any{"example.com/hold"}}, "spec": object{"ports": []any{object{"port": int64(80)}}}}
	target, _ := s.targetOf(held, "")
	made, err := s.create(target, held, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.delete(target.key()); err != nil {
		t.Fatal(err)
	}
	marked, err := s.get(target.key())
	if err != nil {
		t.Fatal(err)
	}
	if meta := metaOf(marked); meta.GetDeletionTimestamp() == nil || meta.GetGeneration() != metaOf(made).GetGeneration()+1 {
		t.Errorf("marked: %v", marked["metadata"])
	}
	freed := metaOf(marked).DeepCopy()
	freed.SetFinalizers(nil)
	if _, err := s.update(target, freed.Object, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.get(target.key()); !apierrors.IsNotFound(err) {
		t.Errorf("without the finalizer: %v", err)
	}
}

// An update of a custom resource does not take back that it is deleted.
func TestDeletedCustom(t *testing.T) {
	now := metav1.NewTime(start)
	old := place(t, "{color: red}")
	metaOf(old).SetDeletionTimestamp(&now)
	updated, err := places().update(t.Context(), place(t, "{color: red, size: 1}"), old, "")
	if err != nil || metaOf(updated).GetDeletionTimestamp() == nil {
		t.Errorf("%v, %v", updated, err)
	}
}

// An update of a custom resource has to say of which version it is, one of a ConfigMap need not. Neither may be of another one.
func TestResourceVersions(t *testing.T) {
	s := withPlaces(t)
	for kind, tc := range map[string]struct {
		apiVersion string
		refused    bool
	}{"ConfigMap": {"v1", false}, "Place": {"example.com/v1", true}} {
		made := object{"apiVersion": tc.apiVersion, "kind": kind, "metadata": object{"name": "a", "namespace": "default"}}
		target, _ := s.targetOf(made, "")
		if _, err := s.create(target, runtime.DeepCopyJSON(made), false); err != nil {
			t.Fatal(err)
		}
		if _, err := s.update(target, runtime.DeepCopyJSON(made), false); (err != nil) != tc.refused || tc.refused && !apierrors.IsInvalid(err) {
			t.Errorf("%s without a version: %v", kind, err)
		}
		metaOf(made).SetResourceVersion("99")
		if _, err := s.update(target, made, false); !apierrors.IsConflict(err) {
			t.Errorf("%s of another version: %v", kind, err)
		}
	}
}

// A Service keeps its address if a change does not give it one. Another one is refused, also if the change leaves the list
// of addresses as it is.
func TestAddresses(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(spec object)
		refused string
	}{
		"none given":        {func(spec object) { delete(spec, "clusterIP"); delete(spec, "clusterIPs") }, ""},
		"another":           {func(spec object) { spec["clusterIP"] = "None" }, `is invalid: spec.clusterIPs[0]: Invalid value: `},
		"another, no list":  {func(spec object) { spec["clusterIP"] = "None"; delete(spec, "clusterIPs") }, `is invalid: spec.clusterIPs[0]: Invalid value: `},
		"another and lists": {func(spec object) { spec["clusterIPs"] = []any{"None"} }, `first value must match ` + "`clusterIP`"},
	} {
		s := newServer()
		s.addBuiltins(builtins)
		service := object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": "a", "namespace": "default"},
			"spec": object{"ports": []any{object{"port": int64(80)}}}}
		target, _ := s.targetOf(service, "")
		made, err := s.create(target, service, false)
		if err != nil {
			t.Fatal(err)
		}
		changed := runtime.DeepCopyJSON(made)
		tc.change(changed["spec"].(object))
		updated, err := s.update(target, changed, false)
		if (err == nil) != (tc.refused == "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
			t.Errorf("%s: %v, want %q", name, err, tc.refused)
		}
		if err == nil && updated["spec"].(object)["clusterIP"] != serviceAddress {
			t.Errorf("%s: %v", name, updated["spec"])
		}
	}
}

// withPlaces returns a server that knows Kubernetes' kinds and Place.
func withPlaces(t *testing.T) *Server {
	t.Helper()
	definition, err := yaml.YAMLToJSON([]byte(definitionOfPlaces))
	if err != nil {
		t.Fatal(err)
	}
	s := newServer()
	s.addBuiltins(builtins)
	if err := s.addDefinitions(fstest.MapFS{
		"manifests/places.json": {Data: definition},
		"manifests/index.json": {Data: []byte(`[{"file": "places.json", "group": "example.com", "kind": "Place",
			"plural": "places", "versions": ["v1"], "storage": "v1", "namespaced": true}]`)},
	}, runtime.NewScheme()); err != nil {
		t.Fatal(err)
	}
	return s
}

// Of what a webhook writes, a null is refused and an unknown field is not stored.
func TestWrittenByWebhook(t *testing.T) {
	for value, refused := range map[string]string{
		`{"color": null}`: `spec.color: Invalid value: "null": spec.color in body must be of type string`, `{"color": "red", "smell": 1}`: "",
	} {
		s := withPlaces(t)
		s.webhooks = []webhook{{
			mutating: true, selector: labels.Everything(), namespaces: labels.Everything(),
			rules: []registrationv1.RuleWithOperations{{Operations: []registrationv1.OperationType{"*"},
				Rule: registrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*"}}}},
			handler: &admission.Webhook{Handler: admission.HandlerFunc(func(_ context.Context, r admission.Request) admission.Response {
				return admission.PatchResponseFromRaw(r.Object.Raw, bytes.Replace(r.Object.Raw, []byte("{}"), []byte(value), 1))
			})},
		}}
		made := object{"apiVersion": "example.com/v1", "kind": "Place",
			"metadata": object{"name": "a", "namespace": "default"}, "spec": object{}}
		target, _ := s.targetOf(made, "")
		made, err := s.create(target, made, false)
		if (err == nil) != (refused == "") || err != nil && !strings.Contains(err.Error(), refused) {
			t.Errorf("%s: %v", value, err)
		}
		if _, stored, _ := unstructured.NestedFieldNoCopy(made, "spec", "smell"); stored {
			t.Errorf("%s: stored %v", value, made)
		}
	}
}

// A webhook is asked about a status only if its rules name that.
func TestWebhooksOfStatus(t *testing.T) {
	for resources, asked := range map[string]bool{
		"services": false, "*": false, "pods/status": false, "services/status": true, "services/*": true, "*/*": true,
	} {
		s := newServer()
		s.addBuiltins(builtins)
		service := object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": "a", "namespace": "default"},
			"spec": object{"type": "LoadBalancer", "ports": []any{object{"port": int64(80)}}}}
		target, _ := s.targetOf(service, "")
		made, err := s.create(target, service, false)
		if err != nil {
			t.Fatal(err)
		}
		s.webhooks = []webhook{{
			rules: []registrationv1.RuleWithOperations{{Operations: []registrationv1.OperationType{"UPDATE"},
				Rule: registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{resources}}}},
			selector: labels.Everything(), namespaces: labels.Everything(),
			handler: admission.HandlerFunc(func(context.Context, admission.Request) admission.Response { return admission.Denied("no") }),
		}}
		status := object{"loadBalancer": object{"ingress": []any{object{"ip": "10.0.0.1"}}}}
		if err := s.writeStatus(target.key(), made, status); (err != nil) != asked {
			t.Errorf("rules about %s: %v", resources, err)
		}
	}
}

// What others need is applied first.
func TestOrdered(t *testing.T) {
	var manifests []map[string]any
	for _, kind := range []string{"TrainedModel", "InferenceService", "Deployment", "ServingRuntime", "LLMInferenceService"} {
		manifests = append(manifests, object{"kind": kind})
	}
	if got := ordered(manifests); !slices.Equal(got, []int{3, 2, 1, 4, 0}) {
		t.Errorf("order %v", got)
	}
}
