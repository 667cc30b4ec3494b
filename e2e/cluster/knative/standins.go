package knative

import (
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/standin"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
)

// startGateway takes the place of a gateway and its controller: it says of every Ingress of Knative that it is ready.
func startGateway(tb testing.TB, cluster *controlplane.Cluster) {
	tb.Helper()
	balancer := map[string]any{"ingress": []any{map[string]any{"domainInternal": "gateway.e2e.svc.cluster.local"}}}
	standin.Controller{
		Name: "Knative's gateway",
		Status: func(_ schema.GroupVersionResource, object *unstructured.Unstructured) map[string]any {
			var conditions []any
			for _, kind := range []string{"LoadBalancerReady", "NetworkConfigured", "Ready"} {
				conditions = append(conditions, map[string]any{
					"type": kind, "status": "True",
					"lastTransitionTime": object.GetCreationTimestamp().UTC().Format(time.RFC3339),
				})
			}
			return map[string]any{
				"observedGeneration": object.GetGeneration(), "conditions": conditions,
				"publicLoadBalancer": balancer, "privateLoadBalancer": balancer,
			}
		},
	}.Start(tb, cluster.Client, ingresses)
}

// startQueueProxies takes the place of all queue-proxies: at the address of every pod it says to the autoscaler that
// there is no request.
func startQueueProxies(tb testing.TB) {
	tb.Helper()
	stack.AnswerFor(tb, controlplane.PodNetwork)
	server := &http.Server{Addr: ":9090", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/protobuf")
		w.Write(idle(time.Now()))
	})}
	go server.ListenAndServe()
	tb.Cleanup(func() { server.Close() })
}

// idle is a Stat message (pkg/autoscaler/metrics/stat.proto@v0.48.1) of a pod without requests. A protobuf message
// leaves out what is 0.
func idle(now time.Time) []byte {
	message := protowire.AppendTag(nil, 1, protowire.BytesType) // pod_name
	message = protowire.AppendString(message, "pod")
	message = protowire.AppendTag(message, 7, protowire.VarintType) // timestamp
	return protowire.AppendVarint(message, uint64(now.Unix()))
}
