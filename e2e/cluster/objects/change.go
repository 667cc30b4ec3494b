package objects

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/client-go/dynamic"
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

// Change makes of an object in a namespace, which was created like the one before, the one after, as a client-side
// kubectl apply does: it removes what only the one before has, and keeps what others have added.
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
		patch, err := threeWay(before, after, live)
		if err != nil {
			return err
		}
		_, err = target.Patch(ctx, after.GetName(), types.MergePatchType, patch,
			metav1.PatchOptions{FieldManager: fieldManager})
		return err
	})
}

// Remove deletes an object in a namespace, which may be gone already.
func (c *Client) Remove(ctx context.Context, object *unstructured.Unstructured, namespace string) error {
	target, err := c.namespaced(object, namespace)
	if err != nil {
		return err
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

func threeWay(objects ...*unstructured.Unstructured) ([]byte, error) {
	var states [3][]byte
	for i, object := range objects {
		var err error
		if states[i], err = json.Marshal(object.Object); err != nil {
			return nil, err
		}
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch(states[0], states[1], states[2])
}
