package objects

import (
	"context"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
)

// Scoped reports whether objects of the kind are in namespaces, and whether the API server has the kind at all.
func (c *Client) Scoped(object *unstructured.Unstructured) (namespaced, known bool, err error) {
	mapping, err := c.mapping(object.GroupVersionKind())
	if meta.IsNoMatchError(err) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	return mapping.Scope.Name() == meta.RESTScopeNameNamespace, true, nil
}

// Change makes of an object in a namespace, which was created like the one before, the one after, as Argo CD and a
// client-side kubectl apply do: it removes what only the one before has, and keeps what others have added. Lists of
// Kubernetes' own kinds are merged by the keys of their items.
func (c *Client) Change(ctx context.Context, before, after *unstructured.Unstructured, namespace string) error {
	target, err := c.namespaced(after, namespace)
	if err != nil {
		return err
	}
	return persist(ctx, func() error {
		live, err := target.Get(ctx, after.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		kind, patch, err := threeWay(before, after, live)
		if err != nil {
			return err
		}
		_, err = target.Patch(ctx, after.GetName(), kind, patch,
			metav1.PatchOptions{FieldManager: fieldManager})
		return err
	})
}

// Prune deletes an object in a namespace as Argo CD does: not one that has an owner, or that it is told to keep. It may
// be gone already.
func (c *Client) Prune(ctx context.Context, object *unstructured.Unstructured, namespace string) error {
	target, err := c.namespaced(object, namespace)
	if err != nil {
		return err
	}
	live, err := target.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil {
		return ignoreMissing(err)
	}
	options := live.GetAnnotations()["argocd.argoproj.io/sync-options"]
	if len(live.GetOwnerReferences()) > 0 || strings.Contains(options, "Prune=false") {
		return nil
	}
	return ignoreMissing(target.Delete(ctx, object.GetName(), metav1.DeleteOptions{}))
}

// UID returns the identity of a stored object in a namespace, "" when there is none.
func (c *Client) UID(ctx context.Context, object *unstructured.Unstructured, namespace string) (types.UID, error) {
	target, err := c.namespaced(object, namespace)
	if err != nil {
		return "", err
	}
	live, err := target.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil {
		return "", ignoreMissing(err)
	}
	return live.GetUID(), nil
}

func (c *Client) namespaced(object *unstructured.Unstructured, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := c.mapping(object.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return c.Resource(mapping.Resource).Namespace(namespace), nil
}

func threeWay(before, after, live *unstructured.Unstructured) (kind types.PatchType, patch []byte, err error) {
	var states [3][]byte
	for i, object := range []*unstructured.Unstructured{before, after, live} {
		if states[i], err = json.Marshal(object.Object); err != nil {
			return "", nil, err
		}
	}
	typed, err := scheme.Scheme.New(after.GroupVersionKind())
	if runtime.IsNotRegisteredError(err) {
		patch, err = jsonmergepatch.CreateThreeWayJSONMergePatch(states[0], states[1], states[2])
		return types.MergePatchType, patch, err
	}
	if err != nil {
		return "", nil, err
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(typed)
	if err != nil {
		return "", nil, err
	}
	patch, err = strategicpatch.CreateThreeWayMergePatch(states[0], states[1], states[2], meta, true)
	return types.StrategicMergePatchType, patch, err
}
