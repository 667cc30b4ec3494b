package kserve

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/standin"
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

// startGatewayStandIn applies the Gateway and starts what takes the place of a controller of the Gateway API: it says
// of all Gateways, HTTPRoutes and InferencePools that they are accepted, and routes nothing.
func (i *Installation) startGatewayStandIn(tb testing.TB) {
	tb.Helper()
	i.namespace.Apply(gateway)
	kinds := []schema.GroupVersionResource{objects.Gateways, objects.HTTPRoutes, objects.PreviewInferencePools}
	group := ""
	if i.Version != "v0.16.0" { // which has only a preview of pools, without the group
		kinds = append(kinds, objects.InferencePools)
		group = objects.Gateways.Group
	}
	i.await(tb, kinds...)
	parents := func() (all []map[string]any) {
		found, err := i.cluster.Client.Resource(objects.Gateways).List(tb.Context(), metav1.ListOptions{})
		if err != nil {
			return nil // the test is over
		}
		for _, gateway := range found.Items {
			parent := map[string]any{"kind": "Gateway", "name": gateway.GetName(), "namespace": gateway.GetNamespace()}
			if group != "" {
				parent["group"] = group
			}
			all = append(all, parent)
		}
		return all
	}
	standin.Controller{Name: "a Gateway's controller", Status: acceptance(parents)}.Start(tb, i.cluster.Client, kinds...)
}

// acceptance returns the fields of the status of an accepted object. Every pool has all parents.
func acceptance(
	parents func() []map[string]any,
) func(schema.GroupVersionResource, *unstructured.Unstructured) map[string]any {
	return func(kind schema.GroupVersionResource, object *unstructured.Unstructured) map[string]any {
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
			var all []any
			for _, parent := range parents() {
				all = append(all, map[string]any{
					"parentRef": parent, "conditions": conditions(object, "Accepted", "ResolvedRefs"),
				})
			}
			return map[string]any{field: all}
		}
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
