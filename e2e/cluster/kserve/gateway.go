package kserve

import (
	"context"
	"reflect"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// gatewayName is the name in KServe's configuration.
const gatewayName = "kserve-ingress-gateway"

const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: stand-in}
spec: {controllerName: e2e.invalid/stand-in}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ` + gatewayName + `}
spec:
  gatewayClassName: stand-in
  listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
`

// gatewayAddress is that of the Gateway, for the URLs in the status of a service.
const gatewayAddress = "10.9.9.9"

// standIn takes the place of a controller of the Gateway API: it says of all Gateways, HTTPRoutes and InferencePools
// that they are accepted, and routes nothing.
type standIn struct {
	cluster *objects.Client
	tb      testing.TB
	parent  map[string]any // of every pool
}

// startGatewayStandIn applies the Gateway and starts the stand-in, which ends with the test.
func (i *Installation) startGatewayStandIn(tb testing.TB) {
	tb.Helper()
	i.namespace.Apply(gateway)
	kinds := []schema.GroupVersionResource{objects.Gateways, objects.HTTPRoutes, objects.PreviewInferencePools}
	parent := map[string]any{"kind": "Gateway", "name": gatewayName, "namespace": namespace}
	if i.Version != "v0.16.0" { // which has only a preview of pools, without the group
		kinds = append(kinds, objects.InferencePools)
		parent["group"] = objects.Gateways.Group
	}
	i.await(tb, kinds...)
	s := standIn{cluster: i.cluster.Client, tb: tb, parent: parent}
	ctx, cancel := context.WithCancel(context.Background())
	var watches sync.WaitGroup
	for _, kind := range kinds {
		watches.Go(func() { s.accept(ctx, kind) })
	}
	tb.Cleanup(func() {
		cancel()
		watches.Wait()
	})
}

// accept accepts all objects of the kind, and those that come, until the context ends.
func (s standIn) accept(ctx context.Context, kind schema.GroupVersionResource) {
	for ctx.Err() == nil { // the API server ends a watch after a while
		w, err := s.cluster.Resource(kind).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			if ctx.Err() == nil {
				s.tb.Errorf("the stand-in of a Gateway's controller: watch %s: %v", kind.Resource, err)
			}
			return
		}
		for event := range w.ResultChan() {
			if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Deleted {
				s.update(ctx, kind, object)
			}
		}
	}
}

// update writes the status that says that the object is accepted, unless it has it. An object that has changed
// meanwhile has another event.
func (s standIn) update(ctx context.Context, kind schema.GroupVersionResource, object *unstructured.Unstructured) {
	wanted := s.acceptance(kind, object)
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
	_, err := s.cluster.Resource(kind).Namespace(object.GetNamespace()).
		UpdateStatus(ctx, object, metav1.UpdateOptions{})
	if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		s.tb.Errorf("the stand-in of a Gateway's controller: %s %s: %v", kind.Resource, object.GetName(), err)
	}
}

// acceptance returns the fields of the status of an accepted object.
func (s standIn) acceptance(kind schema.GroupVersionResource, object *unstructured.Unstructured) map[string]any {
	switch kind {
	case objects.Gateways:
		return map[string]any{
			"addresses":  []any{map[string]any{"type": "IPAddress", "value": gatewayAddress}},
			"conditions": conditions(object, "Accepted", "Programmed"),
		}
	case objects.HTTPRoutes:
		var parents []any
		references, _, _ := unstructured.NestedSlice(object.Object, "spec", "parentRefs")
		for _, reference := range references {
			parents = append(parents, map[string]any{
				"parentRef": reference, "controllerName": "e2e.invalid/stand-in",
				"conditions": conditions(object, "Accepted", "ResolvedRefs"),
			})
		}
		return map[string]any{"parents": parents}
	default: // pools
		field := "parents"
		if kind == objects.PreviewInferencePools {
			field = "parent"
		}
		return map[string]any{field: []any{map[string]any{
			"parentRef": s.parent, "conditions": conditions(object, "Accepted", "ResolvedRefs"),
		}}}
	}
}

func conditions(object *unstructured.Unstructured, kinds ...string) []any {
	var list []any
	for _, kind := range kinds {
		list = append(list, map[string]any{
			"type": kind, "status": "True", "reason": kind, "message": "", "observedGeneration": object.GetGeneration(),
			"lastTransitionTime": object.GetCreationTimestamp().UTC().Format(time.RFC3339),
		})
	}
	return list
}
