package controlplane

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// startMetrics serves metrics of idle pods: without any, an HPA never gets active, and Argo CD 3.5 calls it Degraded.
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
	usage := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1m"), corev1.ResourceMemory: resource.MustParse("16Mi"),
	}
	items := []any{}
	for _, pod := range pods.Items {
		specs, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
		var containers []any
		for _, container := range specs {
			containers = append(containers, map[string]any{"name": container.(map[string]any)["name"], "usage": usage})
		}
		items = append(items, map[string]any{
			"metadata":  map[string]any{"name": pod.GetName(), "namespace": pod.GetNamespace(), "labels": pod.GetLabels()},
			"timestamp": metav1.Now(), "window": "30s", "containers": containers,
		})
	}
	respond(w, map[string]any{
		"kind": "PodMetricsList", "apiVersion": podMetrics.GroupVersion().String(),
		"metadata": map[string]any{}, "items": items,
	})
}

func respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}
