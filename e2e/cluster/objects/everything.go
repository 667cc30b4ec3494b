package objects

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Everything returns the objects of all kinds that are wanted. Each is in the version that the API server prefers.
func (c *Client) Everything(
	ctx context.Context, wanted func(kind string, namespaced bool) bool,
) ([]map[string]any, error) {
	lists, err := c.discovery.ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || !wanted(resource.Kind, resource.Namespaced) {
				continue
			}
			found, err := c.Resource(version.WithResource(resource.Name)).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, err
			}
			for _, item := range found.Items {
				all = append(all, item.Object)
			}
		}
	}
	return all, nil
}
