package controlplane

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// addDefaultAccount makes what kube-controller-manager makes in each namespace and KServe looks for: the ServiceAccount
// default. A namespace that cannot have it refuses all objects.
func (p *syncer) addDefaultAccount(namespace string) {
	if namespace != "" {
		p.give(key{accounts, namespace, "default"})
	}
}

// grant makes the ServiceAccounts, Gateways, HTTPRoutes and InferencePools that manifests name and do not have: they are
// somebody else's. Those that the change takes away are not.
func (p *syncer) grant(manifests []map[string]any, gone map[key]object) {
	for _, o := range manifests {
		t, found := p.server.targetOf(o, p.namespace)
		if !found {
			continue
		}
		var named []key
		for _, name := range slices.Sorted(slices.Values(accountsOf(o))) {
			named = append(named, key{accounts, t.namespace, name})
		}
		parents, routes := gatewaysOf(o, t.namespace), routesOf(o, t.namespace)
		named = slices.Concat(named, parents, classOf(o), routes)
		if len(routes) > 0 && len(parents) == 0 {
			parents = p.configuredGateway()
		}
		for _, k := range named {
			if gone[k] == nil {
				p.give(k, parents...)
			}
		}
	}
}

// give makes what is in the cluster without the manifests; a route has these Gateways.
func (p *syncer) give(k key, parents ...key) {
	if made := p.add(k, parents...); made != nil {
		p.before[k] = made
	}
}

// accountsOf are the ServiceAccounts that a value names.
func accountsOf(value any) (names []string) {
	switch value := value.(type) {
	case map[string]any:
		for field, below := range value {
			if name, _ := below.(string); field == "serviceAccountName" || field == "serviceAccount" {
				names = append(names, name)
			}
			names = append(names, accountsOf(below)...)
		}
	case []any:
		for _, item := range value {
			names = append(names, accountsOf(item)...)
		}
	}
	return names
}

// gatewaysOf are the Gateways that an LLMInferenceService or a preset names.
func gatewaysOf(o object, namespace string) (all []key) {
	refs, _, _ := unstructured.NestedSlice(o, "spec", "router", "gateway", "refs")
	for _, ref := range refs {
		ref, _ := ref.(object)
		name, _ := ref["name"].(string)
		if own, _ := ref["namespace"].(string); own != "" {
			all = append(all, key{gateways, own, name})
		} else {
			all = append(all, key{gateways, namespace, name})
		}
	}
	return all
}

// routesOf are the HTTPRoutes and the InferencePool that an LLMInferenceService or a preset names, after which KServe asks in
// its namespace.
func routesOf(o object, namespace string) (all []key) {
	refs, _, _ := unstructured.NestedSlice(o, "spec", "router", "route", "http", "refs")
	for _, ref := range refs {
		ref, _ := ref.(object)
		name, _ := ref["name"].(string)
		all = append(all, key{routes, namespace, name})
	}
	if pool, _, _ := unstructured.NestedString(o, "spec", "router", "scheduler", "pool", "ref", "name"); pool != "" {
		all = append(all, key{pools, namespace, pool}, key{oldPools, namespace, pool})
	}
	return all
}

// classOf is the class of a Gateway.
func classOf(o object) []key {
	name, _, _ := unstructured.NestedString(o, "spec", "gatewayClassName")
	if keyOf(o).GroupKind != gateways || name == "" {
		return nil
	}
	return []key{{gatewayClasses, "", name}}
}

// configuredGateway is that of KServe's configuration for HTTPRoutes (kserveIngressGateway in pkg/apis/serving/v1beta1/
// configmap.go of KServe), as NAMESPACE/NAME.
func (c *Cluster) configuredGateway() []key {
	config, err := c.server.get(kserveConfig)
	if err != nil {
		return nil
	}
	text, _, _ := unstructured.NestedString(config, "data", "ingress")
	var ingress struct{ KserveIngressGateway string }
	if json.Unmarshal([]byte(text), &ingress) != nil {
		return nil // KServe says what is wrong with it
	}
	namespace, name, found := strings.Cut(ingress.KserveIngressGateway, "/")
	if !found {
		return nil
	}
	return []key{{gateways, namespace, name}}
}

// add makes a ServiceAccount, a Gateway with an HTTP listener, a class of Gateways, a route of these Gateways, or a pool of
// nobody's pods. It returns nil if the cluster has it, or cannot have it.
func (c *Cluster) add(k key, parents ...key) object {
	kind := c.server.kinds[k.GroupKind]
	if _, found := c.server.objects[k]; found || kind == nil {
		return nil
	}
	o := object{"metadata": object{"name": k.name}}
	switch k.GroupKind {
	case gatewayClasses:
		o["spec"] = object{"controllerName": "controlplane.invalid/stand-in"}
	case gateways:
		o["spec"] = object{"gatewayClassName": "stand-in", "listeners": []any{object{
			"name": "http", "port": int64(80), "protocol": "HTTP", "allowedRoutes": object{"namespaces": object{"from": "All"}},
		}}}
	case routes:
		var refs []any
		for _, parent := range parents {
			refs = append(refs, parent.reference())
		}
		o["spec"] = object{"parentRefs": refs}
	case pools:
		o["spec"] = object{
			"selector":          object{"matchLabels": object{"app": k.name}},
			"targetPorts":       []any{object{"number": int64(8000)}},
			"endpointPickerRef": object{"name": k.name + "-epp", "port": object{"number": int64(9002)}},
		}
	case oldPools:
		o["spec"] = object{
			"selector":         object{"app": k.name},
			"targetPortNumber": int64(8000),
			"extensionRef":     object{"name": k.name + "-epp"},
		}
	}
	made, err := c.server.create(target{kind: kind, version: kind.storage, namespace: k.namespace}, o, false)
	if err != nil {
		return nil
	}
	return made
}

// label takes the labels of the namespaces among objects, which the API server asks webhooks by.
func (s *Server) label(objects []map[string]any) {
	for _, o := range objects {
		if k := keyOf(o); k.Kind == "Namespace" && k.Group == "" {
			s.namespaces[k.name] = metaOf(o).GetLabels()
		}
	}
}
