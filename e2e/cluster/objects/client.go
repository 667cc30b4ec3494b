// Package objects reads and writes what an API server stores, of any kind, for tests.
package objects

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// The kinds that tests look at.
var (
	ConfigMaps        = resource("", "v1", "configmaps")
	Events            = resource("", "v1", "events")
	Pods              = resource("", "v1", "pods")
	Deployments       = resource("apps", "v1", "deployments")
	ReplicaSets       = resource("apps", "v1", "replicasets")
	HPAs              = resource("autoscaling", "v2", "horizontalpodautoscalers")
	ScaledObjects     = resource("keda.sh", "v1alpha1", "scaledobjects")
	Ingresses         = resource("networking.k8s.io", "v1", "ingresses")
	InferenceServices = KServe("v1beta1", "inferenceservices")
	InferenceGraphs   = KServe("v1alpha1", "inferencegraphs")
	Applications      = resource("argoproj.io", "v1alpha1", "applications")
	ApplicationSets   = resource("argoproj.io", "v1alpha1", "applicationsets")
)

// The kinds that LLMInferenceServices bring. Every release of KServe serves the older version of its own.
var (
	Services                   = resource("", "v1", "services")
	LLMInferenceServices       = KServe("v1alpha1", "llminferenceservices")
	LLMInferenceServiceConfigs = KServe("v1alpha1", "llminferenceserviceconfigs")
	Reports                    = resource("openreports.io", "v1alpha1", "reports")
	LeaderWorkerSets           = resource("leaderworkerset.x-k8s.io", "v1", "leaderworkersets")
	Gateways                   = resource("gateway.networking.k8s.io", "v1", "gateways")
	HTTPRoutes                 = resource("gateway.networking.k8s.io", "v1", "httproutes")
	InferencePools             = resource("inference.networking.k8s.io", "v1", "inferencepools")
	PreviewInferencePools      = resource("inference.networking.x-k8s.io", "v1alpha2", "inferencepools")
)

// KServe returns a kind of KServe's.
func KServe(version, name string) schema.GroupVersionResource {
	return resource("serving.kserve.io", version, name)
}

func resource(group, version, name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: name}
}

// fieldManager names the suite in the objects it writes.
const fieldManager = "argocd-kserve-plugin-e2e"

// Client talks to one API server.
type Client struct {
	dynamic.Interface

	discovery discovery.DiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper
}

// NewClient returns a client that is not rate-limited.
func NewClient(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))
	return &Client{Interface: objects, discovery: kinds, mapper: mapper}, nil
}

// Serves is a condition for polling: the API server knows the kind. A CustomResourceDefinition takes a moment.
func (c *Client) Serves(kind schema.GroupVersionResource) func(context.Context) error {
	return func(context.Context) error {
		list, err := c.discovery.ServerResourcesForGroupVersion(kind.GroupVersion().String())
		if err != nil {
			return err
		}
		for _, resource := range list.APIResources {
			if resource.Name == kind.Resource {
				return nil
			}
		}
		return fmt.Errorf("%s is not served", kind)
	}
}

// Apply makes the API server's object hold what the given one says, as kubectl apply --server-side --force-conflicts.
// An object of a namespaced kind that names no namespace goes to the given one.
func (c *Client) Apply(ctx context.Context, object *unstructured.Unstructured, namespace string) error {
	mapping, err := c.mapping(object.GroupVersionKind())
	if err != nil {
		return err
	}
	var target dynamic.ResourceInterface = c.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		object = object.DeepCopy()
		if object.GetNamespace() == "" {
			object.SetNamespace(namespace)
		}
		target = c.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	err = persist(ctx, func() error {
		_, err := target.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
		return err
	})
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// Create makes an object, in the given namespace if its kind has them, and returns it as it is stored.
func (c *Client) Create(
	ctx context.Context, object *unstructured.Unstructured, namespace string,
) (stored *unstructured.Unstructured, err error) {
	mapping, err := c.mapping(object.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	var target dynamic.ResourceInterface = c.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		target = c.Resource(mapping.Resource).Namespace(namespace)
	}
	err = persist(ctx, func() error {
		stored, err = target.Create(ctx, object, metav1.CreateOptions{FieldManager: fieldManager})
		return err
	})
	return stored, err
}

// mapping asks the API server again when the kind is not known yet.
func (c *Client) mapping(kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		c.mapper.Reset()
		return c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	return mapping, err
}

// ignoreMissing is for deletions and look-ups of what may be gone.
func ignoreMissing(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
