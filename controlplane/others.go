package controlplane

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// The kinds whose controllers are not KServe's.
var (
	deployments    = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	secrets        = schema.GroupKind{Kind: "Secret"}
	accounts       = schema.GroupKind{Kind: "ServiceAccount"}
	pods           = schema.GroupKind{Kind: "Pod"}
	routes         = schema.GroupKind{Group: "gateway.networking.k8s.io", Kind: "HTTPRoute"}
	gateways       = schema.GroupKind{Group: "gateway.networking.k8s.io", Kind: "Gateway"}
	gatewayClasses = schema.GroupKind{Group: "gateway.networking.k8s.io", Kind: "GatewayClass"}
	pools          = schema.GroupKind{Group: "inference.networking.k8s.io", Kind: "InferencePool"}
	oldPools       = schema.GroupKind{Group: "inference.networking.x-k8s.io", Kind: "InferencePool"}
	workerSets     = schema.GroupKind{Group: "leaderworkerset.x-k8s.io", Kind: "LeaderWorkerSet"}
	knative        = schema.GroupKind{Group: "serving.knative.dev", Kind: "Service"}
)

// parts are what others do, and what can be told not to get ready.
var parts = []string{"workloads", "knative", "routes"}

// others are the stand-ins for the controllers that are not KServe's: Deployments get a pod and become available, routes are
// accepted, and Knative's revisions serve. The parts that are unready leave their objects alone; Deployments get a pod
// nevertheless.
func (s *Server) others(unready []string) ([]Controller, error) {
	for _, part := range unready {
		if !slices.Contains(parts, part) {
			return nil, fmt.Errorf("unready: %q is not one of %s", part, strings.Join(parts, ", "))
		}
	}
	available := !slices.Contains(unready, "workloads")
	all := []Controller{{For: deployments, standIn: true, Reconciler: reconcile.Func(
		func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, s.deployment(key{deployments, r.Namespace, r.Name}, available)
		},
	)}}
	for _, other := range []struct {
		part   string
		of     schema.GroupKind
		status func(object) object
	}{
		{"workloads", workerSets, acceptWorkerSet},
		{"routes", routes, acceptRoute},
		{"routes", gateways, acceptGateway},
		{"routes", pools, s.acceptPool("parents")},
		{"routes", oldPools, s.acceptPool("parent")},
	} {
		if !slices.Contains(unready, other.part) {
			all = append(all, Controller{For: other.of, Reconciler: s.accepting(other.of, other.status), standIn: true})
		}
	}
	if !slices.Contains(unready, "knative") {
		all = append(all, Controller{For: knative, standIn: true, Reconciler: reconcile.Func(
			func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
				return reconcile.Result{}, s.knativeService(key{knative, r.Namespace, r.Name})
			},
		)})
	}
	return all, nil
}

// writeStatus writes the status of an object, unless the object has it.
func (s *Server) writeStatus(k key, o object, status object) error {
	if reflect.DeepEqual(o["status"], status) {
		return nil
	}
	changed := runtime.DeepCopyJSON(o)
	changed["status"] = status
	t := target{kind: s.kinds[k.GroupKind], version: s.kinds[k.GroupKind].storage,
		namespace: k.namespace, name: k.name, subresource: "status"}
	_, err := s.update(t, changed, false)
	return err
}

// deployment lets a Deployment have one pod per template, and become available. A pod that is refused keeps it from
// that, as in a cluster.
func (s *Server) deployment(k key, available bool) error {
	d, err := s.get(k)
	if err != nil {
		return nil // it is gone
	}
	replicas, _, _ := unstructured.NestedInt64(d, "spec", "replicas")
	refusal := s.pod(d, replicas > 0, available)
	missing := condition("Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
	serving := condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
	status := object{"observedGeneration": metaOf(d).GetGeneration()}
	counts := []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}
	switch {
	case refusal != nil:
		failure := condition("ReplicaFailure", "True", "FailedCreate", refusal.Error())
		conditions, _, _ := unstructured.NestedSlice(d, "status", "conditions")
		isFailure := func(c any) bool { return c.(object)["type"] == "ReplicaFailure" }
		// It keeps its first message (SetDeploymentCondition in k8s.io/kubernetes/pkg/controller/deployment/util).
		if i := slices.IndexFunc(conditions, isFailure); i >= 0 {
			failure = conditions[i]
		}
		status["conditions"] = []any{missing, failure}
		counts = nil
		if _, older := s.pods[k]; older && available { // the ReplicaSet before keeps it
			status["conditions"] = []any{serving, failure}
			counts = []string{"replicas", "readyReplicas", "availableReplicas"}
		}
	case !available:
		status["conditions"] = []any{missing, condition("Progressing", "True", "ReplicaSetUpdated",
			fmt.Sprintf("ReplicaSet %q is progressing.", k.name))}
		counts = []string{"replicas", "updatedReplicas", "unavailableReplicas"}
	default:
		status["conditions"] = []any{
			serving,
			condition("Progressing", "True", "NewReplicaSetAvailable",
				fmt.Sprintf("ReplicaSet %q has successfully progressed.", k.name)),
		}
	}
	for _, field := range counts {
		if replicas > 0 {
			status[field] = replicas
		}
	}
	if err := s.writeStatus(k, d, status); err != nil {
		return err
	}
	return refusal
}

func condition(kind, status, reason, message string) any {
	at := start.Format("2006-01-02T15:04:05Z")
	return object{"type": kind, "status": status, "reason": reason, "message": message,
		"lastTransitionTime": at, "lastUpdateTime": at}
}

// pod makes the pod of the template of a Deployment or a Knative Service, if it wants one, and deletes that of an older one:
// not if the API server refuses the new one.
func (s *Server) pod(d object, wanted, ready bool) error {
	template, _, _ := unstructured.NestedFieldNoCopy(d, "spec", "template")
	k := keyOf(d)
	last, made := s.pods[k]
	if made {
		_, err := s.get(last.key)
		made = err == nil
	}
	if made && wanted && reflect.DeepEqual(last.template, template) {
		return nil
	}
	if !made || !wanted {
		delete(s.pods, k)
	}
	if wanted {
		if err := s.createPod(d, template, ready); err != nil {
			return err
		}
	}
	if !made {
		return nil
	}
	_, err := s.delete(last.key)
	return err
}

func (s *Server) createPod(d object, template any, ready bool) error {
	k := keyOf(d)
	meta := metaOf(d)
	p := runtime.DeepCopyJSON(template.(object))
	given := metaOf(template.(object))
	p["apiVersion"], p["kind"], p["metadata"] = "v1", "Pod", object{}
	made := metaOf(p)
	made.SetNamespace(meta.GetNamespace())
	made.SetGenerateName(meta.GetName() + "-") // webhooks see it, and no name
	// Of the template's metadata a pod gets no more (GetPodFromTemplate in pkg/controller of Kubernetes).
	made.SetLabels(given.GetLabels())
	made.SetAnnotations(given.GetAnnotations())
	made.SetFinalizers(given.GetFinalizers())
	controller := true
	made.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: meta.GetAPIVersion(), Kind: meta.GetKind(), Name: meta.GetName(), UID: meta.GetUID(), Controller: &controller,
	}})
	if k.GroupKind == knative {
		fillPorts(p)
	}
	t := target{kind: s.kinds[pods], version: "v1", namespace: k.namespace}
	created, err := s.create(t, p, false)
	if err != nil {
		return err
	}
	s.pods[k] = podOf{keyOf(created), template}
	isReady := map[bool]string{false: "False", true: "True"}[ready]
	return s.writeStatus(keyOf(created), created, object{
		"phase": "Running", "conditions": []any{object{"type": "Ready", "status": isReady}},
		"podIP": podAddress, "podIPs": []any{object{"ip": podAddress}},
	})
}

// accepting writes the status of an accepted object.
func (s *Server) accepting(of schema.GroupKind, status func(object) object) reconcile.Reconciler {
	return reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
		k := key{of, r.Namespace, r.Name}
		o, err := s.get(k)
		if err != nil || metaOf(o).GetDeletionTimestamp() != nil {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, s.writeStatus(k, o, status(o))
	})
}

func accepted(o object, kinds ...string) []any {
	var all []any
	for _, kind := range kinds {
		all = append(all, object{"type": kind, "status": "True", "reason": kind, "message": "",
			"lastTransitionTime": start.Format("2006-01-02T15:04:05Z"), "observedGeneration": metaOf(o).GetGeneration()})
	}
	return all
}

func acceptRoute(o object) object {
	var parents []any
	references, _, _ := unstructured.NestedSlice(o, "spec", "parentRefs")
	for _, reference := range references {
		parents = append(parents, object{"parentRef": reference, "controllerName": "controlplane.invalid/stand-in",
			"conditions": accepted(o, "Accepted", "ResolvedRefs")})
	}
	return object{"parents": parents}
}

func acceptGateway(o object) object {
	return object{
		"addresses":  []any{object{"type": "IPAddress", "value": "10.9.9.9"}},
		"conditions": accepted(o, "Accepted", "Programmed"),
	}
}

// acceptPool fills in the field in which the version has the parents of a pool: all Gateways.
func (s *Server) acceptPool(field string) func(object) object {
	return func(o object) object {
		var parents []any
		for _, gateway := range s.all(gateways, "") {
			parents = append(parents, object{
				"parentRef": keyOf(gateway).reference(), "conditions": accepted(o, "Accepted", "ResolvedRefs"),
			})
		}
		return object{field: parents}
	}
}

// reference is how a route or a pool names the object.
func (k key) reference() object {
	return object{"group": k.Group, "kind": k.Kind, "name": k.name, "namespace": k.namespace}
}

func acceptWorkerSet(o object) object {
	replicas, found, _ := unstructured.NestedInt64(o, "spec", "replicas")
	if !found {
		replicas = 1
	}
	return object{
		"replicas": replicas, "readyReplicas": replicas, "updatedReplicas": replicas,
		"conditions": accepted(o, "Available"),
	}
}
