package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// podMetrics is what an HPA asks a metrics-server.
var podMetrics = schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}

const metricsPort = "10250"

// metricsAPI has the API server ask this process for metrics. A Service can name a loopback address only as its
// external name.
const metricsAPI = `
apiVersion: v1
kind: Service
metadata: {name: metrics, namespace: kube-system}
spec: {type: ExternalName, externalName: %s}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: metrics, namespace: kube-system, port: ` + metricsPort + `}
`

// idle is how much CPU a pod uses of whose Deployment SetLoad has said nothing, in thousandths of a processor.
const idle = 1

// SetLoad says how much CPU the pods of a Deployment use together from now on, in thousandths of a processor. Each of
// the replicas that the Deployment asks for has an equal share.
func (c *Cluster) SetLoad(namespace, deployment string, milli int64) {
	c.loads.Store(types.NamespacedName{Namespace: namespace, Name: deployment}, milli)
}

// startMetrics stands in for the metrics-server. Without metrics an HPA never gets active, and Argo CD 3.5 calls it
// Degraded.
func (c *Cluster) startMetrics(tb testing.TB) {
	tb.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(c.Stack.IP, metricsPort))
	if err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/metrics.k8s.io/v1beta1", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: podMetrics.GroupVersion().String(),
			APIResources: []metav1.APIResource{
				{Name: podMetrics.Resource, Kind: "PodMetrics", Namespaced: true, Verbs: metav1.Verbs{"get", "list"}},
			},
		})
	})
	mux.HandleFunc("GET /apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods", c.listMetrics)
	server := &http.Server{Handler: mux}
	go server.ServeTLS(listener, c.keys.Certificate, c.keys.Key)
	tb.Cleanup(func() { server.Close() })

	c.In(tb, "kube-system").Apply(fmt.Sprintf(metricsAPI, c.Stack.IP))
	wait.For(tb, "the metrics API", c.Serves(podMetrics))
}

func (c *Cluster) listMetrics(w http.ResponseWriter, r *http.Request) {
	pods, err := c.Resource(objects.Pods).Namespace(r.PathValue("namespace")).
		List(r.Context(), metav1.ListOptions{LabelSelector: r.URL.Query().Get("labelSelector")})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	items := []any{}
	shares := map[string]int64{} // by Deployment, so that a new load shows in all of its pods or in none
	for _, pod := range pods.Items {
		deployment := deploymentOf(pod)
		if _, known := shares[deployment]; !known {
			if shares[deployment], err = c.share(r.Context(), pod.GetNamespace(), deployment); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		}
		specs, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
		var containers []any
		for i, container := range specs {
			usage := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("16Mi")}
			if i == 0 {
				usage[corev1.ResourceCPU] = *resource.NewMilliQuantity(shares[deployment], resource.DecimalSI)
			} else {
				usage[corev1.ResourceCPU] = resource.MustParse("0")
			}
			containers = append(containers, map[string]any{"name": container.(map[string]any)["name"], "usage": usage})
		}
		items = append(items, map[string]any{
			"metadata": map[string]any{"name": pod.GetName(), "namespace": pod.GetNamespace(), "labels": pod.GetLabels()},
			// An HPA ignores a pod that has not been ready for a whole window.
			"timestamp": metav1.Now(), "window": "0s", "containers": containers,
		})
	}
	respond(w, map[string]any{
		"kind": "PodMetricsList", "apiVersion": podMetrics.GroupVersion().String(),
		"metadata": map[string]any{}, "items": items,
	})
}

// share is how much CPU each pod of a Deployment uses, in thousandths of a processor.
func (c *Cluster) share(ctx context.Context, namespace, name string) (int64, error) {
	load, set := c.loads.Load(types.NamespacedName{Namespace: namespace, Name: name})
	if !set {
		return idle, nil
	}
	deployment, err := c.Resource(objects.Deployments).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return 0, err
	}
	replicas, _, err := unstructured.NestedInt64(deployment.Object, "spec", "replicas")
	return load.(int64) / max(replicas, 1), err
}

// deploymentOf is the name of a pod's Deployment, "" where it has none: a ReplicaSet is named after its Deployment and
// the hash of the pod template.
func deploymentOf(pod unstructured.Unstructured) string {
	for _, owner := range pod.GetOwnerReferences() {
		if owner.Kind == "ReplicaSet" {
			return strings.TrimSuffix(owner.Name, "-"+pod.GetLabels()["pod-template-hash"])
		}
	}
	return ""
}

func respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}
