package plan

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// grant makes what plan takes for granted of an object: the namespace that it is in, with its ServiceAccount, which
// kube-controller-manager makes in its own time, and what it names and no case has.
func (p *proof) grant(ctx context.Context, object *unstructured.Unstructured) error {
	account := named("v1", "ServiceAccount", object.GetNamespace(), "default")
	for _, o := range append(granted(object), account) {
		if p.has(o) {
			continue
		}
		if o.GetNamespace() != "" {
			if err := p.cluster.Apply(ctx, named("v1", "Namespace", "", o.GetNamespace()), ""); err != nil {
				return err
			}
		}
		err := p.cluster.Apply(ctx, o, o.GetNamespace())
		if err != nil && !meta.IsNoMatchError(err) && !apierrors.IsInvalid(err) { // plan leaves out what cannot be
			return err
		}
	}
	return nil
}

// has reports whether a case has an object, but for a ServiceAccount: it may be the namespace's.
func (p *proof) has(o *unstructured.Unstructured) bool {
	return o.GetKind() != "ServiceAccount" && slices.ContainsFunc(p.cases, func(c *planned) bool {
		return find(slices.Concat(c.before, c.after), o) != nil
	})
}

// granted are the ServiceAccounts and PriorityClasses of an object's pods, and the Gateways, HTTPRoutes and pool that a
// service names.
func granted(object *unstructured.Unstructured) (all []*unstructured.Unstructured) {
	namespace := object.GetNamespace()
	for _, account := range names(object.Object, "serviceAccountName", "serviceAccount") {
		all = append(all, named("v1", "ServiceAccount", namespace, account))
	}
	for _, class := range names(object.Object, "priorityClassName") {
		priority := named("scheduling.k8s.io/v1", "PriorityClass", "", class)
		priority.Object["value"] = int64(0)
		all = append(all, priority)
	}
	var parents []any
	for _, ref := range list(object, "spec", "router", "gateway", "refs") {
		name, _, _ := unstructured.NestedString(ref, "name")
		in, found, _ := unstructured.NestedString(ref, "namespace")
		if !found {
			in = namespace
		}
		gateway := named("gateway.networking.k8s.io/v1", "Gateway", in, name)
		gateway.Object["spec"] = map[string]any{"gatewayClassName": "stand-in", "listeners": []any{map[string]any{
			"name": "http", "port": int64(80), "protocol": "HTTP",
			"allowedRoutes": map[string]any{"namespaces": map[string]any{"from": "All"}},
		}}}
		all = append(all, gateway)
		parents = append(parents, map[string]any{"name": name, "namespace": in})
	}
	if len(parents) == 0 {
		parents = []any{map[string]any{"name": "kserve-ingress-gateway", "namespace": "kserve"}}
	}
	for _, ref := range list(object, "spec", "router", "route", "http", "refs") {
		name, _, _ := unstructured.NestedString(ref, "name")
		route := named("gateway.networking.k8s.io/v1", "HTTPRoute", namespace, name)
		route.Object["spec"] = map[string]any{"parentRefs": parents}
		all = append(all, route)
	}
	if name, _, _ := unstructured.NestedString(object.Object, "spec", "router", "scheduler", "pool", "ref", "name"); name != "" {
		pool := named(objects.InferencePools.GroupVersion().String(), "InferencePool", namespace, name)
		pool.Object["spec"] = map[string]any{
			"selector":          map[string]any{"matchLabels": map[string]any{"app": name}},
			"targetPorts":       []any{map[string]any{"number": int64(8000)}},
			"endpointPickerRef": map[string]any{"name": name + "-epp", "port": map[string]any{"number": int64(9002)}},
		}
		preview := named(objects.PreviewInferencePools.GroupVersion().String(), "InferencePool", namespace, name)
		preview.Object["spec"] = map[string]any{
			"selector": map[string]any{"app": name}, "targetPortNumber": int64(8000),
			"extensionRef": map[string]any{"name": name + "-epp"},
		}
		all = append(all, pool, preview)
	}
	return all
}

// list returns the mappings in a list of an object.
func list(object *unstructured.Unstructured, path ...string) (all []map[string]any) {
	items, _, _ := unstructured.NestedSlice(object.Object, path...)
	for _, item := range items {
		if mapping, ok := item.(map[string]any); ok {
			all = append(all, mapping)
		}
	}
	return all
}

func named(version, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind}}
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}
