package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/compatibility"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// probeCase is a service with a component that brings the agent, and a readiness probe.
type probeCase struct {
	problem string
	id      string
	agent   string        // the field of the predictor that brings it
	probe   string        // of the container
	handler string        // that the agent gets with the plugin
	fault   string        // what the agent prints about the probe without the plugin, where it has one
	wrong   kserve.Window // the releases on which it is
}

const (
	logger  = "    logger: {mode: all, url: http://127.0.0.1:9}\n"
	batcher = "    batcher: {maxBatchSize: 8, maxLatency: 500}\n"
)

const noExec = "exec probe not supported"

var probeCases = []probeCase{
	{
		problem: "logger, exec probe with `curl --fail`", id: "exec-curl", agent: logger, handler: "httpGet",
		fault: noExec,
		probe: `{exec: {command: [curl, --fail, http://localhost:8080/ready]}}`,
	},
	{
		problem: "logger, exec probe with a script", id: "exec-script", agent: logger, handler: "tcpSocket",
		fault: noExec,
		probe: `{exec: {command: [/bin/ready]}}`,
	},
	{
		problem: "batcher, exec probe with `curl --fail`", id: "exec-batcher", agent: batcher, handler: "httpGet",
		fault: noExec,
		probe: `{exec: {command: [curl, --fail, http://localhost:8080/ready]}}`,
	},
	{
		problem: "logger, probe with a named port", id: "named-port", agent: logger, handler: "httpGet",
		fault: `invalid port ":http"`,
		probe: `{httpGet: {path: /ready, port: http}}`,
	},
	{
		problem: "logger, gRPC probe", id: "grpc", agent: logger, handler: "tcpSocket",
		probe: `{grpc: {port: 8080}}`, wrong: kserve.Window{From: "v0.15.0"},
	},
}

func (c probeCase) service() string {
	return `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: model}
spec:
  predictor:
` + c.agent + `
    containers:
      - name: kserve-container
        image: example.invalid/model:1
        ports: [{name: http, containerPort: 8080, protocol: TCP}]
        readinessProbe: ` + c.probe + "\n"
}

// testProbes runs the agents one after the other: they all listen on the same port.
func (e *environment) testProbes(t *testing.T) {
	t.Parallel()
	model := startModel(t)
	for _, tc := range probeCases {
		if !tc.wrong.Has(e.kserve.Version) {
			continue
		}
		t.Run(tc.id, func(t *testing.T) {
			row := compatibility.Row{Section: compatibility.Probes, Problem: tc.problem}
			dir := app{"app.yaml": tc.service()}.write(t)

			broken := e.agentOf(t, tc.id+"-without", asWritten(t, dir))
			row.Without = e.failToServe(t, broken, model, tc.fault)

			repaired := e.agentOf(t, tc.id+"-with", e.plugin.generate(t, dir, "", tc.id+"-with"))
			if handler := probeOf(repaired); !strings.Contains(handler, tc.handler) {
				t.Fatalf("the agent has the probe %s, not %s", handler, tc.handler)
			}
			e.serve(t, repaired, model, tc.handler)
			row.With = "the agent has " + tc.handler + " and answers 200"
			e.record(t, row)
		})
	}
}

// agentOf applies the app and returns the agent's container of the pod.
func (e *environment) agentOf(t *testing.T, name string, manifests []*unstructured.Unstructured) corev1.Container {
	t.Helper()
	namespace := e.cluster.Namespace(t, name)
	namespace.ApplyObjects(manifests...)
	var agent corev1.Container
	namespace.Eventually("a pod with the agent", func() error {
		for _, object := range namespace.List(objects.Pods, "serving.kserve.io/inferenceservice=model") {
			var pod corev1.Pod
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &pod); err != nil {
				return err
			}
			for _, container := range pod.Spec.Containers {
				if container.Name == kserve.AgentContainer {
					agent = container
					return nil
				}
			}
		}
		return fmt.Errorf("there is none")
	})
	return agent
}

// probeOf is the probe that KServe's webhook copied to the agent.
func probeOf(agent corev1.Container) string {
	for _, variable := range agent.Env {
		if variable.Name == "SERVING_READINESS_PROBE" {
			return variable.Value
		}
	}
	return ""
}

// failToServe runs the agent beside a model that is ready and returns how it fails: it ends, or it answers other than
// 200 and prints the fault of its probe.
func (e *environment) failToServe(t *testing.T, container corev1.Container, model *model, fault string) string {
	t.Helper()
	model.ready.Store(true)
	agent := e.kserve.StartAgent(t, container)
	defer agent.Stop()
	status := 0
	wait.For(t, "the agent fails", func(ctx context.Context) (err error) {
		if agent.Exited() {
			return nil
		}
		if status, err = agent.Probe(ctx); err != nil || status == http.StatusOK {
			return err
		}
		if !strings.Contains(agent.Log(), fault) {
			return fmt.Errorf("it answers %d, but does not print %q:\n%s", status, fault, agent.Log())
		}
		return nil
	})
	switch {
	case status == http.StatusOK:
		t.Fatalf("the agent answers 200: the failure was not reproduced. Its probe: %s", probeOf(container))
	case agent.Exited():
		const reason = "required key SERVING_READINESS_PROBE missing value"
		if !strings.Contains(agent.Log(), reason) {
			t.Fatalf("the agent ended for another reason:\n%s", agent.Log())
		}
		e.draw(t, "without", fmt.Sprintf("%sexit code %d\n", agent.Log(), agent.ExitCode()))
		return "the agent exits: " + reason
	}
	t.Logf("the agent answers %d and prints:\n%s", status, agent.Log())
	return fmt.Sprintf("the agent has %s and answers %d", handlerOf(t, container), status)
}

// serve runs the agent beside a model that gets ready once the agent has found it loading, and expects it to say what
// the model says. A TCP probe sees no difference.
func (e *environment) serve(t *testing.T, container corev1.Container, model *model, handler string) {
	t.Helper()
	model.ready.Store(handler != "httpGet")
	model.refusals.Store(0)
	agent := e.kserve.StartAgent(t, container)
	defer agent.Stop()
	if !model.ready.Load() {
		awaitAnswer(t, agent, "503 of a model that loads", func(status int) bool {
			if status == http.StatusOK {
				t.Fatalf("the model is not ready, and the agent answers 200:\n%s", agent.Log())
			}
			return status == http.StatusServiceUnavailable && model.refusals.Load() > 0
		})
		model.ready.Store(true)
	}
	awaitAnswer(t, agent, "200", func(status int) bool { return status == http.StatusOK })
	path := container.ReadinessProbe.HTTPGet.Path
	e.draw(t, "with", fmt.Sprintf("SERVING_READINESS_PROBE=%s\nGET %s: 200\n", probeOf(container), path))
}

// draw compares what the agent does with what docs/agent.svg shows, in the case that the picture is of.
func (e *environment) draw(t *testing.T, name, seen string) {
	t.Helper()
	if !strings.HasSuffix(t.Name(), "v0.15.2/probes/exec-curl") {
		return
	}
	path := filepath.Join("testdata", "agent", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(seen), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if shown, err := os.ReadFile(path); err != nil || string(shown) != seen {
		t.Errorf("%s is not what the agent does (%v): run with -update, then make golden:\n%s", path, err, seen)
	}
}

// awaitAnswer probes the agent, which must not end, until it gives the answer.
func awaitAnswer(t *testing.T, agent *kserve.Agent, what string, right func(status int) bool) {
	t.Helper()
	wait.For(t, "the agent answers "+what, func(ctx context.Context) error {
		if agent.Exited() {
			t.Fatalf("the agent ended:\n%s", agent.Log())
		}
		status, err := agent.Probe(ctx)
		if err == nil && !right(status) {
			err = fmt.Errorf("it answers %d:\n%s", status, agent.Log())
		}
		return err
	})
}

func handlerOf(t *testing.T, agent corev1.Container) string {
	t.Helper()
	var probe map[string]any
	if err := json.Unmarshal([]byte(probeOf(agent)), &probe); err != nil {
		t.Fatalf("%v: %s", err, probeOf(agent))
	}
	for _, handler := range []string{"exec", "httpGet", "tcpSocket", "grpc"} {
		if probe[handler] != nil {
			return handler
		}
	}
	return "no handler"
}

// model is an HTTP server in place of a model server.
type model struct {
	ready    atomic.Bool
	refusals atomic.Int64 // of probes, because it was not ready
}

func startModel(t *testing.T) *model {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	m := new(model)
	server := &http.Server{Handler: m}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return m
}

// ServeHTTP answers at the path of the probes.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != "/ready":
		http.NotFound(w, r)
	case !m.ready.Load():
		m.refusals.Add(1)
		http.Error(w, "loading", http.StatusServiceUnavailable)
	}
}
