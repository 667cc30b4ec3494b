package objects

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// Cache follows kinds in all namespaces, so that hundreds of tests can wait for them without asking the API server.
type Cache struct {
	informers map[schema.GroupVersionResource]cache.SharedIndexInformer
}

// Follow returns a cache that ends with the test.
func (c *Client) Follow(tb testing.TB, kinds ...schema.GroupVersionResource) *Cache {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	factory := dynamicinformer.NewDynamicSharedInformerFactory(c, 0)
	followed := &Cache{map[schema.GroupVersionResource]cache.SharedIndexInformer{}}
	for _, kind := range kinds {
		followed.informers[kind] = factory.ForResource(kind).Informer()
	}
	factory.Start(ctx.Done())
	tb.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	for kind, informer := range followed.informers {
		wait.For(tb, "the objects of "+kind.Resource, func(context.Context) error {
			if !informer.HasSynced() {
				return fmt.Errorf("not all have come")
			}
			return nil
		})
	}
	return followed
}

// List returns the objects of a kind in a namespace, as they were a moment ago. They must not be changed.
func (c *Cache) List(kind schema.GroupVersionResource, namespace string) (all []*unstructured.Unstructured) {
	informer, followed := c.informers[kind]
	if !followed {
		return nil
	}
	items, err := informer.GetIndexer().ByIndex(cache.NamespaceIndex, namespace)
	if err != nil {
		panic(err) // the factory makes this index
	}
	for _, item := range items {
		all = append(all, item.(*unstructured.Unstructured))
	}
	return all
}

// In returns the objects of all kinds in a namespace, or without one if it is "". They must not be changed.
func (c *Cache) In(namespace string) (all []map[string]any) {
	for kind := range c.informers {
		for _, object := range c.List(kind, namespace) {
			all = append(all, object.Object)
		}
	}
	return all
}
