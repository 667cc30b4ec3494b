package controlplane

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// kind is what the API server knows of a kind.
type kind struct {
	schema.GroupKind
	plural      string
	versions    []string // that are served, as apiVersions
	storage     string   // the one in which objects are stored
	namespaced  bool
	conditional bool // whether an update needs a resourceVersion
	strategy
}

func (k *kind) resource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.plural}
}

// KServe returns one of KServe's own kinds, such as InferenceService.
func KServe(kind string) schema.GroupKind {
	return schema.GroupKind{Group: "serving.kserve.io", Kind: kind}
}

// strategy is how the API server treats a kind. New objects that are handed in may be changed, old ones not.
type strategy interface {
	// decode does what the API server does to an object that it reads: it drops unknown fields of custom resources. Those of
	// its own kinds are gone after complete, create and update, which read them into their Go types.
	decode(o object) (object, error)
	// complete adds the defaults, as the API server does once more to what a webhook has made of an object.
	complete(o object) (object, error)
	// create completes a new object, prepares it for storage, and validates it.
	create(ctx context.Context, o object) (object, error)
	// update does the same for a change. The subresource is empty or "status".
	update(ctx context.Context, o, old object, subresource string) (object, error)
	// convert returns the object in another version; it is the same for the version that the object has.
	convert(o object, version string) (object, error)
	// typed returns an empty value of the version's Go type for a strategic merge patch, nil if the kind has none.
	typed(version string) runtime.Object
}

var versionMissing = field.ErrorList{
	field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update"),
}

// context is that of a request, as Kubernetes' strategies read it.
func (t target) context() context.Context {
	ctx := genericapirequest.WithNamespace(context.Background(), t.namespace)
	version, _ := schema.ParseGroupVersion(t.version)
	return genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, APIGroup: version.Group, APIVersion: version.Version, Resource: t.kind.plural,
		Subresource: t.subresource, Namespace: t.namespace, Name: t.name,
	})
}
