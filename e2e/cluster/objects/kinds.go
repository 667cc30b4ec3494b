package objects

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kinds returns the kinds that are wanted and that can be followed, each in the version that the API server prefers.
func (c *Client) Kinds(wanted func(kind string, namespaced bool) bool) (all []schema.GroupVersionResource, err error) {
	lists, err := c.discovery.ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if slices.Contains(resource.Verbs, "watch") && wanted(resource.Kind, resource.Namespaced) {
				all = append(all, version.WithResource(resource.Name))
			}
		}
	}
	return all, nil
}
