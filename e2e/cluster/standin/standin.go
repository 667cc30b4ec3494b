// Package standin takes the place of controllers that only have to say in the status of objects that all is well.
package standin

import (
	"context"
	"reflect"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// Controller writes the status of all objects of some kinds.
type Controller struct {
	Name string // in messages
	// Status returns the fields that the status has to have.
	Status func(kind schema.GroupVersionResource, object *unstructured.Unstructured) map[string]any

	cluster *objects.Client
	tb      testing.TB
}

// Start starts the stand-in for the kinds, which the cluster has to serve. It ends with the test.
func (c Controller) Start(tb testing.TB, cluster *objects.Client, kinds ...schema.GroupVersionResource) {
	c.cluster, c.tb = cluster, tb
	ctx, cancel := context.WithCancel(context.Background())
	var watches sync.WaitGroup
	for _, kind := range kinds {
		watches.Go(func() { c.accept(ctx, kind) })
	}
	tb.Cleanup(func() {
		cancel()
		watches.Wait()
	})
}

// accept accepts all objects of the kind, and those that come, until the context ends.
func (c Controller) accept(ctx context.Context, kind schema.GroupVersionResource) {
	for ctx.Err() == nil { // the API server ends a watch after a while
		w, err := c.cluster.Resource(kind).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			if ctx.Err() == nil {
				c.tb.Errorf("the stand-in of %s: watch %s: %v", c.Name, kind.Resource, err)
			}
			return
		}
		for event := range w.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Deleted {
				c.update(ctx, kind, object)
			}
		}
	}
}

// update writes the status that says that the object is accepted, unless it has it. An object that has changed
// meanwhile has another event.
func (c Controller) update(ctx context.Context, kind schema.GroupVersionResource, object *unstructured.Unstructured) {
	wanted := c.Status(kind, object)
	status, _, _ := unstructured.NestedMap(object.Object, "status")
	if status == nil {
		status = map[string]any{}
	}
	changed := false
	for field, value := range wanted {
		changed = changed || !reflect.DeepEqual(status[field], value)
		status[field] = value
	}
	if !changed {
		return
	}
	object.Object["status"] = status
	_, err := c.cluster.Resource(kind).Namespace(object.GetNamespace()).
		UpdateStatus(ctx, object, metav1.UpdateOptions{})
	if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		c.tb.Errorf("the stand-in of %s: %s %s: %v", c.Name, kind.Resource, object.GetName(), err)
	}
}
