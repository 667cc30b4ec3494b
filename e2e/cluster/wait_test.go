package cluster

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

// testWait waits for a service with the real kubectl: at first until it gets ready, and after it has failed until the
// fix has worked.
func (e *environment) testWait(t *testing.T) {
	namespace := e.cluster.Namespace(t, "wait")
	namespace.Apply(service("{}", unschedulable))
	first := e.startWait(t, namespace.Name)
	first.reads("InferenceService wait/model: Progressing: ")
	namespace.Apply(service("{}", schedulable))
	first.reads("InferenceService wait/model: Healthy: ")
	first.succeeds()

	crash(t, namespace)
	namespace.Eventually("the model fails", func() error {
		return transition("BlockedByFailedLoad")(namespace.Get(objects.InferenceServices, "model"))
	})
	second := e.startWait(t, namespace.Name)
	second.reads("InferenceService wait/model: Degraded: ")
	namespace.Apply(strings.Replace(service("{}", ""), "model:1", "model:2", 1))
	second.reads("InferenceService wait/model: Healthy: ")
	second.succeeds()
}

// waiting is a health wait that runs.
type waiting struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func (e *environment) startWait(t *testing.T, namespace string) waiting {
	t.Helper()
	kubectl, err := toolchain.Kubectl.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait.Bound)
	t.Cleanup(cancel)
	// The namespace is the context's. On a busy machine KServe takes longer than half a minute to see the fix.
	cmd := exec.CommandContext(ctx, e.plugin.Path, "health", "wait", "isvc/model", "--settle=5m",
		"--kubectl="+kubectl, "--kubeconfig="+e.cluster.Kubeconfig(t, namespace))
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return waiting{t, cmd, bufio.NewScanner(stderr)}
}

// reads reads what the wait prints up to a line with the prefix.
func (w waiting) reads(prefix string) {
	w.t.Helper()
	for w.lines.Scan() {
		w.t.Log(w.lines.Text())
		if strings.HasPrefix(w.lines.Text(), prefix) {
			return
		}
	}
	w.t.Fatalf("the wait ended before it printed %q: %v", prefix, w.cmd.Wait())
}

func (w waiting) succeeds() {
	w.t.Helper()
	for w.lines.Scan() {
		w.t.Log(w.lines.Text())
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Fatal(err)
	}
}
