package kserve

import (
	"testing"
	"time"

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

// startGatewayStandIn applies the Gateway and starts what takes the place of a controller of the Gateway API: it says of
// all Gateways, HTTPRoutes and InferencePools that they are accepted, and routes nothing.
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
	standin.Controller{Name: "a Gateway's controller", Status: acceptance(parent)}.Start(tb, i.cluster.Client, kinds...)
}

// acceptance returns the fields of the status of an accepted object. Every pool has the parent.
func acceptance(
	parent map[string]any,
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
			return map[string]any{field: []any{map[string]any{
				"parentRef": parent, "conditions": conditions(object, "Accepted", "ResolvedRefs"),
			}}}
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
