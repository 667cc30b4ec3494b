package controlplane

import (
	"context"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// target returns what a request about an object is about, unless the object is untyped.
func (r *reader) target(o client.Object, subresource string) (t target, typed bool) {
	gvk, typed := r.kind(o)
	if !typed {
		return target{}, false
	}
	t = target{kind: r.server.kinds[gvk.GroupKind()], version: gvk.GroupVersion().String(), name: o.GetName(), subresource: subresource}
	if t.kind.namespaced {
		t.namespace = o.GetNamespace()
	}
	return t, slices.Contains(t.kind.versions, t.version)
}

func (r *reader) Create(ctx context.Context, o client.Object, options ...client.CreateOption) error {
	t, typed := r.target(o, "")
	if !typed {
		return r.Client.Create(ctx, o, options...)
	}
	dryRun := (&client.CreateOptions{}).ApplyOptions(options).DryRun
	return send(o, func(given object) (object, error) { return r.server.create(t, given, dry(dryRun)) })
}

func (r *reader) Update(ctx context.Context, o client.Object, options ...client.UpdateOption) error {
	t, typed := r.target(o, "")
	if !typed {
		return r.Client.Update(ctx, o, options...)
	}
	dryRun := (&client.UpdateOptions{}).ApplyOptions(options).DryRun
	return send(o, func(given object) (object, error) { return r.server.update(t, given, dry(dryRun)) })
}

func (r *reader) Patch(ctx context.Context, o client.Object, patch client.Patch, options ...client.PatchOption) error {
	t, typed := r.target(o, "")
	if !typed {
		return r.Client.Patch(ctx, o, patch, options...)
	}
	data, err := patch.Data(o)
	if err != nil {
		return err
	}
	written, err := r.server.patch(t, string(patch.Type()), data, dry((&client.PatchOptions{}).ApplyOptions(options).DryRun))
	return receive(o, written, err)
}

func (r *reader) Status() client.SubResourceWriter { return statusWriter{r.Client.Status(), r} }

type statusWriter struct {
	client.SubResourceWriter
	reader *reader
}

func (w statusWriter) Update(ctx context.Context, o client.Object, options ...client.SubResourceUpdateOption) error {
	t, typed := w.reader.target(o, "status")
	applied := (&client.SubResourceUpdateOptions{}).ApplyOptions(options)
	if !typed || applied.SubResourceBody != nil {
		return w.SubResourceWriter.Update(ctx, o, options...)
	}
	return send(o, func(given object) (object, error) { return w.reader.server.update(t, given, dry(applied.DryRun)) })
}

func dry(run []string) bool { return slices.Contains(run, metav1.DryRunAll) }

// send hands an object to the server, and leaves in it what the server answers.
func send(o client.Object, to func(object) (object, error)) error {
	given, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return err
	}
	written, err := to(given)
	return receive(o, written, err)
}

// receive puts the server's answer into an object. Nothing is left of what the object was but its kind, where a client
// leaves what the answer omits.
func receive(o client.Object, written object, err error) error {
	if err != nil {
		status := statusOf(err)
		return &apierrors.StatusError{ErrStatus: status}
	}
	kind := o.GetObjectKind().GroupVersionKind()
	reflect.ValueOf(o).Elem().SetZero()
	err = runtime.DefaultUnstructuredConverter.FromUnstructured(written, o)
	o.GetObjectKind().SetGroupVersionKind(kind)
	return err
}
