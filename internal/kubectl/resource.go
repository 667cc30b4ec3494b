package kubectl

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

// Resource is how the API server calls a kind.
type Resource struct {
	Group, Version, Kind string
	Plural               string
	Namespaced           bool
}

// Deployments and Pods are Resources that every cluster has.
var (
	Deployments = Resource{"apps", "v1", "Deployment", "deployments", true}
	Pods        = Resource{"", "v1", "Pod", "pods", true}
)

// apiVersion returns the version as objects have it, without a group if it is that of Kubernetes' first kinds.
func (r Resource) apiVersion() string { return strings.TrimPrefix(r.Group+"/"+r.Version, "/") }

// Find returns the named kinds of a group that the cluster has, each in the version that the API server prefers.
func (k *Kubectl) Find(ctx context.Context, group string, kinds []string) (map[string]Resource, error) {
	found := map[string]Resource{}
	var versions struct {
		Versions []struct{ Version string }
	}
	if err := k.raw(ctx, "/apis/"+group, &versions); isReason(err, "NotFound") {
		return found, nil
	} else if err != nil {
		return nil, err
	}
	for _, v := range versions.Versions {
		if len(found) == len(kinds) {
			break
		}
		var list struct {
			Resources []struct {
				Name, Kind string
				Namespaced bool
			}
		}
		if err := k.raw(ctx, "/apis/"+group+"/"+v.Version, &list); err != nil {
			return nil, err
		}
		for _, r := range list.Resources {
			// The list also has the status and the scale of each kind, with a longer name.
			if _, known := found[r.Kind]; !known && slices.Contains(kinds, r.Kind) {
				found[r.Kind] = Resource{group, v.Version, r.Kind, r.Name, r.Namespaced}
			}
		}
	}
	return found, nil
}

// path returns where the objects are, in one namespace or in all.
func (r Resource) path(namespace string) string {
	path := "/apis/" + r.apiVersion() + "/"
	if r.Group == "" {
		path = "/api/" + r.Version + "/"
	}
	if r.Namespaced && namespace != "" {
		path += "namespaces/" + url.PathEscape(namespace) + "/"
	}
	return path + r.Plural
}
