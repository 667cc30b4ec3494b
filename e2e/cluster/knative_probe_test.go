package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
)

// knativeProbes are services with a readiness probe.
var knativeProbes = []probeCase{
	{problem: "exec probe", id: "exec", probe: `{exec: {command: [/bin/ready]}}`},
	{problem: "logger, exec probe with `curl --fail`", id: "logger-exec-curl", agent: logger,
		probe: `{exec: {command: [curl, --fail, http://localhost:8080/ready]}}`},
	{problem: "logger, exec probe with a script", id: "logger-exec", agent: logger,
		probe: `{exec: {command: [/bin/ready]}}`},
	{problem: "batcher, exec probe with a script", id: "batcher-exec", agent: batcher,
		probe: `{exec: {command: [/bin/ready]}}`},
	{problem: "HTTP probe", id: "http", probe: `{httpGet: {path: /ready, port: 8080}}`},
	{problem: "logger, HTTP probe", id: "logger-http", agent: logger, probe: `{httpGet: {path: /ready, port: 8080}}`},
	{problem: "logger, gRPC probe", id: "logger-grpc", agent: logger, probe: `{grpc: {port: 8080}}`},
}

// testKnativeProbes compares what becomes of a readiness probe as it is written and after the plugin.
func (e *environment) testKnativeProbes(t *testing.T) {
	for _, tc := range knativeProbes {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			dir := app{"app.yaml": tc.unnamed()}.write(t)
			row := compatibility.Row{Section: compatibility.Probes, Problem: tc.problem}
			row.Without = e.probed(t, "probe-"+tc.id, asWritten(t, dir))
			row.With = e.probed(t, "probe-"+tc.id+"-with", e.plugin.generate(t, dir, "", "probe-"+tc.id+"-with"))
			if row.With == row.Without {
				row.With = "the same"
			}
			e.record(t, row)
		})
	}
}

// unnamed is the service without the port's name: Knative knows only http1 and h2c.
func (c probeCase) unnamed() string { return strings.Replace(c.service(), "name: http, ", "", 1) }

// probed applies a service and says which probe each container of its pod has.
func (e *environment) probed(t *testing.T, name string, manifests []*unstructured.Unstructured) string {
	t.Helper()
	namespace := e.cluster.Namespace(t, name)
	namespace.ApplyObjects(manifests...)
	awaitKnative(namespace)
	pods := namespace.List(objects.Pods, "serving.kserve.io/inferenceservice=model")
	if len(pods) == 0 {
		t.Fatal("there is no pod")
	}
	var pod corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(pods[0].Object, &pod); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, container := range pod.Spec.Containers {
		text := container.Name + " none"
		switch container.Name {
		case "queue-proxy", kserve.AgentContainer:
			text = container.Name + " " + handlerOf(t, container)
		default:
			if container.ReadinessProbe != nil {
				data, err := json.Marshal(container.ReadinessProbe.ProbeHandler)
				if err != nil {
					t.Fatal(err)
				}
				text = fmt.Sprintf("%s `%s`", container.Name, data)
			}
		}
		texts = append(texts, text)
	}
	return "ready; " + strings.Join(texts, ", ")
}
