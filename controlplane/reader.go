package controlplane

import (
	"context"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// reader is a client that keeps the typed objects that it has read, as the client of a manager of controller-runtime
// does. It hands typed objects to the server as they are, and sends requests for the others.
type reader struct {
	client.Client
	server  *Server
	known   map[key]read
	indexes map[index]client.IndexerFunc
	cached  map[schema.GroupKind]cache.ByObject // without what it leaves out, no read finds an object of these kinds
}

// Cached is a client for a program whose manager has such a cache: reads find only what the cache has, and what is not
// in it can be in the way when the program writes. A field selector selects a name.
func (c *Cluster) Cached(objects map[client.Object]cache.ByObject) client.Client {
	narrow := *c.reader
	narrow.cached = map[schema.GroupKind]cache.ByObject{}
	for o, by := range objects {
		gvk, err := apiutil.GVKForObject(o, c.Scheme)
		if err != nil {
			panic(err)
		}
		narrow.cached[gvk.GroupKind()] = by
	}
	return &narrow
}

// caches reports whether a manager's cache has an object.
func (r *reader) caches(k key, o object) bool {
	by, narrowed := r.cached[k.GroupKind]
	if !narrowed {
		return true
	}
	in := cache.Config{LabelSelector: by.Label, FieldSelector: by.Field}
	for _, namespace := range []string{cache.AllNamespaces, k.namespace} {
		if own, found := by.Namespaces[namespace]; found {
			in = own
		}
	}
	return (in.LabelSelector == nil || in.LabelSelector.Matches(labels.Set(metaOf(o).GetLabels()))) &&
		(in.FieldSelector == nil || in.FieldSelector.Matches(fields.Set{metav1.ObjectNameField: k.name}))
}

// index is a field of a kind by whose values controllers list objects.
type index struct {
	schema.GroupVersionKind
	field string
}

// read is an object of a version of the store.
type read struct {
	of    reflect.Type
	from  string // resourceVersion
	typed client.Object
}

func (r *reader) kind(o runtime.Object) (schema.GroupVersionKind, bool) {
	if _, untyped := o.(runtime.Unstructured); untyped {
		return schema.GroupVersionKind{}, false
	}
	gvk, err := apiutil.GVKForObject(o, r.Scheme())
	return gvk, err == nil && r.server.kinds[gvk.GroupKind()] != nil
}

func (r *reader) Get(ctx context.Context, name client.ObjectKey, o client.Object, options ...client.GetOption) error {
	gvk, typed := r.kind(o)
	if !typed {
		return r.Client.Get(ctx, name, o, options...)
	}
	k := key{gvk.GroupKind(), name.Namespace, name.Name}
	if !r.server.kinds[k.GroupKind].namespaced {
		k.namespace = ""
	}
	stored, err := r.server.get(k)
	if err != nil || !r.caches(k, stored) {
		// A cache has the kind where the API server has the resource.
		return apierrors.NewNotFound(schema.GroupResource{Group: k.Group, Resource: k.Kind}, k.name)
	}
	found, err := r.typed(k, gvk, stored)
	if err != nil {
		return err
	}
	reflect.ValueOf(o).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

func (r *reader) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	applied := (&client.ListOptions{}).ApplyOptions(options)
	gvk, err := apiutil.GVKForObject(list, r.Scheme())
	if err != nil || len(gvk.Kind) < len("List") {
		return r.Client.List(ctx, list, options...)
	}
	gvk.Kind = gvk.Kind[:len(gvk.Kind)-len("List")]
	matches, indexed := r.matching(gvk, applied.FieldSelector)
	if _, untyped := list.(runtime.Unstructured); untyped || !indexed || r.server.kinds[gvk.GroupKind()] == nil {
		return r.Client.List(ctx, list, options...)
	}
	selector := applied.LabelSelector
	if selector == nil {
		selector = labels.Everything()
	}
	keys := r.server.store.selected(gvk.GroupKind(), applied.Namespace, selector)
	var items []runtime.Object
	for _, k := range keys {
		stored, err := r.server.get(k)
		if err != nil {
			return err
		}
		if !r.caches(k, stored) {
			continue
		}
		found, err := r.typed(k, gvk, stored)
		if err != nil {
			return err
		}
		if matches(found) {
			items = append(items, found.DeepCopyObject())
		}
	}
	return meta.SetList(list, items)
}

// matching returns how to select objects by their fields, unless one of the fields has no index.
func (r *reader) matching(
	gvk schema.GroupVersionKind, selector fields.Selector,
) (matches func(client.Object) bool, indexed bool) {
	var requirements fields.Requirements
	if selector != nil {
		requirements = selector.Requirements()
	}
	for _, requirement := range requirements {
		if r.indexes[index{gvk, requirement.Field}] == nil {
			return nil, false
		}
	}
	return func(o client.Object) bool {
		for _, requirement := range requirements {
			if !slices.Contains(r.indexes[index{gvk, requirement.Field}](o), requirement.Value) {
				return false
			}
		}
		return true
	}, true
}

// typed returns an object in the Go type of a version. It is shared.
func (r *reader) typed(k key, gvk schema.GroupVersionKind, stored object) (client.Object, error) {
	fresh, err := r.Scheme().New(gvk)
	if err != nil {
		return nil, err
	}
	version := metaOf(stored).GetResourceVersion()
	if known, found := r.known[k]; found && known.from == version && known.of == reflect.TypeOf(fresh) {
		return known.typed, nil
	}
	converted, err := r.server.kinds[k.GroupKind].convert(stored, gvk.GroupVersion().String())
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(converted, fresh); err != nil {
		return nil, err
	}
	typed := fresh.(client.Object)
	r.known[k] = read{reflect.TypeOf(fresh), version, typed}
	return typed, nil
}
