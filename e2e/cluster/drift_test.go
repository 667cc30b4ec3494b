package cluster

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/applications"
)

func isvc(meta, spec string) string {
	return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata:\n  name: model\n" + meta + "spec:\n  predictor:\n" + spec
}

const plain = `    containers:
    - name: kserve-container
      image: example.invalid/model:1
      ports: [{containerPort: 8080, protocol: TCP}]
`

var measures = []struct{ id, app string }{
	{"none", isvc("", plain)},
	{"framework", isvc("", "    sklearn:\n      storageUri: gs://example/model\n")},
	{"frameworkfull", isvc("", "    sklearn:\n      storageUri: gs://example/model\n      protocolVersion: v2\n      runtime: kserve-mlserver\n      env: [{name: A, value: b}]\n      resources: {limits: {cpu: 2, memory: 1Gi}}\n")},
	{"model", isvc("", "    model:\n      modelFormat: {name: sklearn}\n      storageUri: gs://example/model\n")},
	{"quantcustom", isvc("", plain+"      resources: {requests: {cpu: 1000m, memory: 2048Mi}, limits: {cpu: \"1\", memory: 2Gi}}\n")},
	{"quantmodel", isvc("", "    model:\n      modelFormat: {name: sklearn}\n      storageUri: gs://example/model\n      resources: {requests: {cpu: 1000m, memory: 2048Mi}, limits: {cpu: \"1\", memory: 2Gi}}\n")},
	{"quantnumber", isvc("", plain+"      resources: {requests: {cpu: 0.5}, limits: {cpu: 1}}\n")},
	{"quanttransformer", isvc("", plain+"  transformer:\n    containers:\n    - name: kserve-container\n      image: a/b\n      resources: {requests: {cpu: 1000m}}\n")},
	{"quantsidecar", isvc("", plain+"    - name: side\n      image: a/b\n      resources: {requests: {cpu: 1000m}}\n")},
	{"quantinit", isvc("", plain+"    initContainers:\n    - name: side\n      image: a/b\n      resources: {requests: {cpu: 1000m}}\n")},
	{"quantvolume", isvc("", plain+"    volumes:\n    - name: shm\n      emptyDir: {medium: Memory, sizeLimit: 2048Mi}\n")},
	{"quantruntime", "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: runtime}\nspec:\n  supportedModelFormats: [{name: sk}]\n  containers:\n  - name: kserve-container\n    image: a/b\n    resources: {requests: {cpu: 1000m, memory: 2048Mi}}\n"},
	{"emptyruntime", "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: runtime}\nspec:\n  supportedModelFormats: [{name: sk}]\n  containers:\n  - name: kserve-container\n    image: a/b\n    env: []\n    resources: {}\n"},
	{"prunedruntime", "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {name: runtime}\nspec:\n  labels: {a: b}\n  supportedModelFormats: [{name: sk}]\n  containers:\n  - name: kserve-container\n    image: a/b\n"},
	{"quanthpa", "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: other}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: nothing}\n  minReplicas: 1\n  maxReplicas: 2\n  metrics:\n  - type: Resource\n    resource: {name: cpu, target: {type: AverageValue, averageValue: 1000m}}\n"},
	{"contname", isvc("", strings.Replace(plain, "kserve-container", "mine", 1))},
	{"contnamemissing", isvc("", strings.Replace(plain, "- name: kserve-container\n      image", "- image", 1))},
	{"conttransformer", isvc("", plain+"  transformer:\n    containers:\n    - name: mine\n      image: a/b\n")},
	{"twocont", isvc("", strings.Replace(plain, "kserve-container", "mine", 1)+"    - name: side\n      image: a/b\n")},
	{"emptylist", isvc("", plain+"      args: []\n      env: []\n")},
	{"emptyvalue", isvc("", plain+"      env: [{name: A, value: \"\"}]\n")},
	{"emptymap", isvc("", plain+"    nodeSelector: {}\n")},
	{"emptyresources", isvc("", plain+"      resources: {}\n")},
	{"emptyannotations", isvc("  annotations: {}\n  labels: {}\n", plain)},
	{"emptynull", isvc("", plain+"    serviceAccountName: null\n")},
	{"emptystring", isvc("", plain+"    serviceAccountName: \"\"\n")},
	{"zero", isvc("", plain+"    minReplicas: 0\n    hostNetwork: false\n")},
	{"pruned", isvc("", "    model:\n      modelFormat: {name: sklearn}\n      storageUri: gs://example/model\n      nodeSelector: {a: b}\n")},
	{"prunedtolerations", isvc("", "    model:\n      modelFormat: {name: sklearn}\n      storageUri: gs://example/model\n      tolerations: [{key: a, operator: Exists}]\n")},
	{"modelegacy", isvc("  annotations: {serving.kserve.io/deploymentMode: RawDeployment}\n", plain)},
	{"statusempty", isvc("", plain) + "status: {}\n"},
	{"status", isvc("", plain) + "status:\n  url: http://nowhere\n  conditions: [{type: Ready, status: \"True\"}]\n"},
	{"creation", isvc("  creationTimestamp: null\n", plain)},
	{"creationset", isvc("  creationTimestamp: \"2024-01-01T00:00:00Z\"\n", plain)},
	{"uid", isvc("  uid: 11111111-2222-3333-4444-555555555555\n", plain)},
	{"resourceversion", isvc("  resourceVersion: \"12345\"\n", plain)},
	{"generation", isvc("  generation: 7\n  selfLink: /a/b\n", plain)},
	{"managedfields", isvc("  managedFields:\n  - {apiVersion: serving.kserve.io/v1beta1, fieldsType: FieldsV1, fieldsV1: {\"f:spec\": {}}, manager: kubectl, operation: Update, time: \"2024-01-01T00:00:00Z\"}\n", plain)},
	{"lastapplied", isvc("  annotations: {kubectl.kubernetes.io/last-applied-configuration: \"{}\"}\n", plain)},
	{"trackingid", isvc("  annotations: {argocd.argoproj.io/tracking-id: \"other:serving.kserve.io/InferenceService:a/model\"}\n", plain)},
	{"kservefinalizer", isvc("  finalizers: [inferenceservice.finalizers]\n", plain)},
	{"ownfinalizer", isvc("  finalizers: [example.com/mine]\n", plain)},
	{"mlserverenv", isvc("", "    model:\n      modelFormat: {name: sklearn}\n      runtime: kserve-mlserver\n      env: [{name: A, value: b}]\n      storageUri: gs://example/model\n")},
	{"ports", isvc("", "    containers:\n    - name: kserve-container\n      image: example.invalid/model:1\n      ports: [{containerPort: 8080}]\n")},
	{"alibi", isvc("", plain+"  explainer:\n    alibi: {type: AnchorTabular}\n")},
	{"customenv", isvc("", plain+"      env: [{name: A, value: b}]\n  transformer:\n    containers:\n    - name: kserve-container\n      image: a/b\n      env: [{name: A, value: b}]\n")},
	{"stringnumber", isvc("", plain+"    timeout: 60\n    canaryTrafficPercent: 10\n")},
	{"ownhpa", service("{}", "") + hpa("model-predictor", "model-predictor", "[]")},
}

func (s *synced) testMeasure(t *testing.T) {
	if os.Getenv("MEASURE") == "" {
		return
	}
	t.Run("all", func(t *testing.T) {
		for _, m := range measures {
			if only := os.Getenv("ONLY"); only != "" && !strings.Contains(","+only+",", ","+m.id+",") {
				continue
			}
			for _, way := range applications.Comparisons {
				t.Run(m.id+"-"+string(way), func(t *testing.T) {
					t.Parallel()
					a, _ := s.deploy(t, m.id+"-"+string(way), app{"app.yaml": m.app},
						applications.Source{Prune: true, Manual: true, Compare: way})
					a.Await("synced once or failed", func(st applications.State) bool {
						return st.Operation != "" && !st.Syncing || strings.Contains(st.Conditions, "Error")
					})
					a.Refresh()
					st := a.Refresh()
					text := st.Sync
					if st.Failure != "" {
						text += " FAILED " + st.Failure
					}
					text += " " + st.Conditions
					text += "\n" + s.differences(t, a.Name)
					fmt.Printf("M %s %s %s %s: %s", m.id, way, s.version(), s.argoVersion(), text+"E\n")
				})
			}
		}
	})
}

// differences reads what Argo CD compared from its cache.
func (s *synced) differences(t *testing.T, name string) string {
	conn, err := net.Dial("tcp", net.JoinHostPort(s.argo.Stack.IP, "6379"))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	r := bufio.NewReader(conn)
	call := func(args ...string) []string {
		var b bytes.Buffer
		fmt.Fprintf(&b, "*%d\r\n", len(args))
		for _, a := range args {
			fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
		}
		conn.Write(b.Bytes())
		bulk := func() string {
			line, _ := r.ReadString('\n')
			var n int
			fmt.Sscanf(line, "$%d", &n)
			if n <= 0 {
				return ""
			}
			data := make([]byte, n+2)
			io.ReadFull(r, data)
			return string(data[:n])
		}
		first, _ := r.Peek(1)
		if first[0] == '*' {
			line, _ := r.ReadString('\n')
			var n int
			fmt.Sscanf(line, "*%d", &n)
			var all []string
			for range n {
				all = append(all, bulk())
			}
			return all
		}
		return []string{bulk()}
	}
	var out strings.Builder
	for _, key := range call("KEYS", "app|managed-resources|*"+name+"|*") {
		data := []byte(call("GET", key)[0])
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, _ = io.ReadAll(z)
		}
		var items []map[string]any
		if err := json.Unmarshal(data, &items); err != nil {
			return key + err.Error() + string(data[:min(len(data), 100)])
		}
		for _, item := range items {
			var live, predicted any
			json.Unmarshal([]byte(fmt.Sprint(item["normalizedLiveState"])), &live)
			json.Unmarshal([]byte(fmt.Sprint(item["predictedLiveState"])), &predicted)
			walk(&out, fmt.Sprint("    ", item["kind"], " "), live, predicted)
		}
	}
	return out.String()
}

func walk(out *strings.Builder, at string, live, predicted any) {
	if reflect.DeepEqual(live, predicted) {
		return
	}
	lm, ok1 := live.(map[string]any)
	pm, ok2 := predicted.(map[string]any)
	if ok1 && ok2 {
		keys := map[string]bool{}
		for k := range lm {
			keys[k] = true
		}
		for k := range pm {
			keys[k] = true
		}
		for k := range keys {
			walk(out, at+"."+k, lm[k], pm[k])
		}
		return
	}
	ll, ok1 := live.([]any)
	pl, ok2 := predicted.([]any)
	if ok1 && ok2 && len(ll) == len(pl) {
		for i := range ll {
			walk(out, fmt.Sprintf("%s[%d]", at, i), ll[i], pl[i])
		}
		return
	}
	l, _ := json.Marshal(live)
	p, _ := json.Marshal(predicted)
	fmt.Fprintf(out, "%s: live %.300s predicted %.300s\n", at, l, p)
}
