package controlplane

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

func metaOf(o object) *unstructured.Unstructured { return &unstructured.Unstructured{Object: o} }

// create does what the API server does with an object, which is the server's from then on: it reads it, asks the
// mutating webhooks, validates, asks the validating webhooks, and stores.
func (s *Server) create(t target, given object, dryRun bool) (object, error) {
	if err := s.completeMetadata(t, given); err != nil {
		return nil, err
	}
	meta := metaOf(given)
	meta.SetSelfLink("")
	meta.SetDeletionTimestamp(nil)
	meta.SetDeletionGracePeriodSeconds(nil)
	t.name = meta.GetName()
	given, err := t.kind.decode(given)
	if err != nil {
		return nil, err
	}
	if given, err = s.mutate(t, admissionv1.Create, given, nil); err != nil {
		return nil, err
	}
	meta = metaOf(given)
	if prefix := meta.GetGenerateName(); t.name == "" && prefix != "" {
		t.name = prefix + s.suffix(prefix)
		meta.SetName(t.name)
	}
	meta.SetUID(types.UID(fmt.Sprintf(uid, s.created+1)))
	meta.SetCreationTimestamp(metav1.NewTime(start))
	if given, err = t.kind.create(t.context(), given); err != nil {
		return nil, err
	}
	if err := s.validate(t, admissionv1.Create, given, nil); err != nil {
		return nil, err
	}
	if version := metaOf(given).GetResourceVersion(); version != "" && version != "0" {
		return nil, versionSet
	}
	if _, err := s.get(t.key()); err == nil {
		return nil, apierrors.NewAlreadyExists(t.kind.resource(), t.name)
	}
	return s.write(t, nil, given, dryRun)
}

// versionSet is ErrResourceVersionSetOnCreate in k8s.io/apiserver/pkg/storage.
var versionSet = &apierrors.StatusError{ErrStatus: metav1.Status{
	Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
	Message: "resourceVersion should not be set on objects to be created",
}}

// suffix makes up the end of a name, the same again if the object was refused: a message with the name stays as it is.
func (s *Server) suffix(prefix string) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	sum := fnv.New64a()
	fmt.Fprint(sum, prefix, s.created)
	number := sum.Sum64()
	var end []byte
	for range 5 {
		end = append(end, letters[number%uint64(len(letters))])
		number /= uint64(len(letters))
	}
	return string(end)
}

// completeMetadata does to an object what the API server does to the metadata of each one that it decodes.
func (s *Server) completeMetadata(t target, given object) error {
	for field, value := range map[string]string{"apiVersion": t.version, "kind": t.kind.Kind} {
		if given[field] == nil {
			given[field] = value
		}
	}
	meta := metaOf(given)
	if t.kind.namespaced {
		if meta.GetNamespace() != "" && meta.GetNamespace() != t.namespace {
			return apierrors.NewBadRequest(
				"the namespace of the provided object does not match the namespace sent on the request")
		}
		meta.SetNamespace(t.namespace)
	} else {
		unstructured.RemoveNestedField(given, "metadata", "namespace")
	}
	meta.SetManagedFields(nil)
	return nil
}

func (s *Server) update(t target, given object, dryRun bool) (object, error) {
	before, err := s.get(t.key())
	if err != nil {
		return nil, err
	}
	if err := s.completeMetadata(t, given); err != nil {
		return nil, err
	}
	old, err := t.kind.convert(before, t.version)
	if err != nil {
		return nil, err
	}
	meta, oldMeta := metaOf(given), metaOf(old)
	if meta.GetName() != t.name {
		return nil, apierrors.NewBadRequest("the name of the object does not match the name on the URL")
	}
	switch version := meta.GetResourceVersion(); {
	case version == "" && t.kind.conditional:
		return nil, apierrors.NewInvalid(t.kind.GroupKind, t.name, versionMissing)
	case version != "" && version != oldMeta.GetResourceVersion(), differ(string(meta.GetUID()), string(oldMeta.GetUID())):
		return nil, apierrors.NewConflict(t.kind.resource(), t.name, fmt.Errorf("the object has been modified; please apply "+
			"your changes to the latest version and try again"))
	}
	if given, err = t.kind.decode(given); err != nil {
		return nil, err
	}
	if given, err = s.mutate(t, admissionv1.Update, given, old); err != nil {
		return nil, err
	}
	meta = metaOf(given)
	meta.SetResourceVersion(oldMeta.GetResourceVersion())
	meta.SetUID(oldMeta.GetUID())
	meta.SetCreationTimestamp(oldMeta.GetCreationTimestamp())
	if given, err = t.kind.update(t.context(), given, old, t.subresource); err != nil {
		return nil, err
	}
	if err := s.validate(t, admissionv1.Update, given, old); err != nil {
		return nil, err
	}
	return s.write(t, before, given, dryRun)
}

func differ(a, b string) bool { return a != "" && a != b }

func (s *Server) patch(t target, contentType string, body []byte, dryRun bool) (object, error) {
	before, err := s.get(t.key())
	if err != nil {
		return nil, err
	}
	old, err := t.kind.convert(before, t.version)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	var patched []byte
	switch types.PatchType(contentType) {
	case types.JSONPatchType:
		var operations jsonpatch.Patch
		if operations, err = jsonpatch.DecodePatch(body); err == nil {
			patched, err = operations.Apply(data)
		}
	case types.MergePatchType:
		patched, err = jsonpatch.MergePatch(data, body)
	case types.StrategicMergePatchType:
		typed := t.kind.typed(t.version)
		if typed == nil {
			return nil, apierrors.NewBadRequest("the strategic merge patch is not supported for custom resources")
		}
		patched, err = strategicpatch.StrategicMergePatch(data, body, typed)
	default:
		return nil, apierrors.NewBadRequest("unknown type of patch: " + contentType)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	given, err := decode(patched)
	if err != nil {
		return nil, err
	}
	meta, oldMeta := metaOf(given), metaOf(old)
	conflict := differ(meta.GetResourceVersion(), oldMeta.GetResourceVersion())
	if uid := meta.GetUID(); !conflict && differ(string(uid), string(oldMeta.GetUID())) {
		return nil, apierrors.NewInvalid(t.kind.GroupKind, t.name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "uid"), uid, "field is immutable"),
		})
	}
	return s.update(t, given, dryRun)
}

// write stores an object, unless nothing changes or it is a dry run. It returns the object in the request's version.
// An object under deletion is gone with its last finalizer.
func (s *Server) write(t target, before, given object, dryRun bool) (object, error) {
	stored, err := t.kind.convert(given, t.kind.storage)
	if err != nil {
		return nil, err
	}
	if dryRun || before != nil && reflect.DeepEqual(before, stored) {
		return t.kind.convert(stored, t.version)
	}
	meta := metaOf(stored)
	s.revision++
	if before == nil {
		s.created++
	}
	meta.SetResourceVersion(fmt.Sprint(s.revision))
	gone := meta.GetDeletionTimestamp() != nil && len(meta.GetFinalizers()) == 0
	if gone {
		s.remove(t.key())
	} else {
		s.put(t.key(), stored)
	}
	if gone {
		s.changed(before, nil)
		s.collect(meta.GetUID())
	} else {
		s.changed(before, stored)
	}
	return t.kind.convert(stored, t.version)
}

func (s *Server) delete(k key) (object, error) {
	before, err := s.get(k)
	if err != nil {
		return nil, err
	}
	t := target{kind: s.kinds[k.GroupKind], version: s.kinds[k.GroupKind].storage, namespace: k.namespace, name: k.name}
	if err := s.validate(t, admissionv1.Delete, nil, before); err != nil {
		return nil, err
	}
	meta := metaOf(before)
	if len(meta.GetFinalizers()) > 0 {
		if meta.GetDeletionTimestamp() != nil {
			return before, nil
		}
		marked := metaOf(meta.DeepCopy().Object)
		now := metav1.NewTime(start)
		marked.SetDeletionTimestamp(&now)
		marked.SetGeneration(marked.GetGeneration() + 1)
		return s.write(t, before, marked.Object, false)
	}
	s.revision++
	s.remove(k)
	s.changed(before, nil)
	s.collect(meta.GetUID())
	return object{"apiVersion": "v1", "kind": "Status", "status": metav1.StatusSuccess}, nil
}

func (s *Server) deleteAll(t target, query url.Values) (any, error) {
	items, err := s.selected(t, query)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if _, err := s.delete(keyOf(item)); err != nil {
			return nil, err
		}
	}
	return object{"apiVersion": "v1", "kind": "Status", "status": metav1.StatusSuccess}, nil
}

// collect deletes the objects whose last owner is gone, as the garbage collector does.
func (s *Server) collect(gone types.UID) {
	left := slices.Collect(maps.Keys(s.byOwner[gone]))
	slices.SortFunc(left, func(a, b key) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range left {
		s.collectAbandoned(k)
	}
}

// collectAbandoned deletes the object if it has owners and none of them is there, as the garbage collector does: what
// somebody has exported has owners of another cluster. It leaves alone what has an owner of a kind that it cannot look up.
func (s *Server) collectAbandoned(k key) {
	var owners []metav1.OwnerReference
	if o, found := s.objects[k]; found {
		owners = metaOf(o).GetOwnerReferences()
	}
	abandoned := len(owners) > 0 && !slices.ContainsFunc(owners, func(owner metav1.OwnerReference) bool {
		_, there := s.uids[owner.UID]
		return there || !s.serves(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind))
	})
	if abandoned {
		s.delete(k) // what refuses stays
	}
}

// serves reports whether a cluster has a kind: the control plane has not all of Kubernetes' own, and those of KEDA only where
// KServe makes them.
func (s *Server) serves(gvk schema.GroupVersionKind) bool {
	kind := s.kinds[gvk.GroupKind()]
	return kind != nil && slices.Contains(kind.versions, gvk.GroupVersion().String()) || legacyscheme.Scheme.Recognizes(gvk) ||
		gvk.Group == "keda.sh"
}

func keyOf(o object) key {
	meta := metaOf(o)
	return key{meta.GroupVersionKind().GroupKind(), meta.GetNamespace(), meta.GetName()}
}
