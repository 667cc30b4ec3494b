package kserve

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

// AgentContainer is the name of the container that KServe's webhook adds for a logger or a batcher.
const AgentContainer = "agent"

// Agent is KServe's real agent, running with the arguments and the environment of a container.
type Agent struct {
	cmd   *exec.Cmd
	probe *corev1.HTTPGetAction
	done  chan struct{}

	mu  sync.Mutex
	log strings.Builder
}

// StartAgent starts the agent. It listens on a fixed port, so that one can run at a time.
func (i *Installation) StartAgent(tb testing.TB, container corev1.Container) *Agent {
	tb.Helper()
	binary, err := toolchain.KServeAgent(i.Version).Build(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	if container.ReadinessProbe == nil || container.ReadinessProbe.HTTPGet == nil {
		tb.Fatalf("the agent has no HTTP readiness probe: %v", container.ReadinessProbe)
	}
	var env []string
	for _, variable := range container.Env {
		if variable.ValueFrom == nil {
			env = append(env, variable.Name+"="+variable.Value)
		}
	}
	a := &Agent{probe: container.ReadinessProbe.HTTPGet, done: make(chan struct{})}
	a.cmd = i.cluster.Stack.Command(context.Background(), stack.Process{
		Name: AgentContainer, Path: binary, Args: container.Args, Env: env, Dir: "/",
	})
	a.cmd.Stdout, a.cmd.Stderr = a, a
	if err := a.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		a.cmd.Wait()
		close(a.done)
	}()
	return a
}

// Write collects what the agent prints.
func (a *Agent) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log.Write(p)
}

// Stop kills the agent and waits for its end.
func (a *Agent) Stop() {
	a.cmd.Process.Kill()
	<-a.done
}

// Log returns what the agent has printed.
func (a *Agent) Log() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log.String()
}

// Exited reports whether the agent has ended by itself.
func (a *Agent) Exited() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// ExitCode returns the exit code of an agent that has ended, else -1.
func (a *Agent) ExitCode() int {
	if !a.Exited() {
		return -1
	}
	return a.cmd.ProcessState.ExitCode()
}

// Probe asks once what the container's own readiness probe asks, as a kubelet does, and returns the status code of the
// answer.
func (a *Agent) Probe(ctx context.Context) (status int, err error) {
	url := fmt.Sprintf("http://127.0.0.1:%d%s", a.probe.Port.IntValue(), a.probe.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	for _, header := range a.probe.HTTPHeaders {
		request.Header.Set(header.Name, header.Value)
	}
	request.Header.Set("User-Agent", "kube-probe/1.34") // everything else is passed on to the model
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
