//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl/kubectltest"
)

const (
	kserve           = "/apis/serving.kserve.io"
	services         = kserve + "/v1beta1/namespaces/models/inferenceservices"
	llmServices      = kserve + "/v1alpha2/namespaces/models/llminferenceservices"
	deployments      = "/apis/apps/v1/namespaces/models/deployments"
	leaderWorkerSets = "/apis/leaderworkerset.x-k8s.io"
	pods             = "/api/v1/namespaces/models/pods"
)

type answers = map[string][]kubectltest.Answer

// newCluster returns a cluster with KServe, without LeaderWorkerSets, and with the answers.
func newCluster(t *testing.T, given answers) *kubectltest.Cluster {
	t.Helper()
	all := answers{
		"/config": {{Body: "models"}},
		kserve:    {{Body: `{"versions":[{"version":"v1beta1"},{"version":"v1alpha2"}]}`}},
		kserve + "/v1beta1": {{Body: `{"resources":[
			{"name":"inferenceservices","kind":"InferenceService","namespaced":true}]}`}},
		kserve + "/v1alpha2": {{Body: `{"resources":[
			{"name":"llminferenceservices","kind":"LLMInferenceService","namespaced":true}]}`}},
	}
	for _, path := range []string{services, llmServices, deployments} {
		all[path] = []kubectltest.Answer{kubectltest.List("1")}
		all["watch "+path] = []kubectltest.Answer{{Open: true}}
	}
	for path, answer := range given {
		all[path] = answer
	}
	return kubectltest.New(t, all)
}

func live(name, ready string) string {
	return fmt.Sprintf(`{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService",`+
		`"metadata":{"namespace":"models","name":%q},"status":{"conditions":[{"type":"Ready","status":%q}]}}`, name, ready)
}

func liveLLM(name, ready string) string {
	return strings.NewReplacer("v1beta1", "v1alpha2", "InferenceService", "LLMInferenceService").Replace(live(name, ready))
}

// rollout is the Deployment of iris with two replicas.
func rollout(updated int) string {
	return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment",`+
		`"metadata":{"namespace":"models","name":"iris-predictor",`+
		`"ownerReferences":[{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","name":"iris"}]},`+
		`"spec":{"replicas":2},"status":{"replicas":2,"availableReplicas":2,"updatedReplicas":%d}}`, updated)
}

func wait(cluster *kubectltest.Cluster, args ...string) *exec.Cmd {
	cmd := exec.Command("argocd-kserve-plugin", append([]string{"health", "wait", "--context=test"}, args...)...)
	cmd.Env = cluster.Environ
	return cmd
}

func TestWait(t *testing.T) {
	modified := func(objects ...string) kubectltest.Answer {
		answer := kubectltest.Answer{Open: true}
		for _, object := range objects {
			answer.Body += kubectltest.Event("MODIFIED", object)
		}
		return answer
	}
	for _, tc := range []struct {
		name   string
		args   string
		given  answers
		code   int
		stdout string // a part of it
		stderr string
	}{
		{
			"one service", "isvc/iris -n models",
			answers{
				services:               {kubectltest.List("1", live("iris", "Unknown"), live("tulip", "False"))},
				"watch " + services:    {modified(live("iris", "True"))},
				deployments:            {kubectltest.List("2", rollout(1))},
				"watch " + deployments: {modified(rollout(2))},
			}, 0, "InferenceService  models/iris  Healthy", "",
		},
		{
			"the context's namespace, all services of two kinds", "isvc,llmisvc",
			answers{
				services:    {kubectltest.List("1", live("iris", "True"))},
				llmServices: {kubectltest.List("1", liveLLM("llama", "True"))},
			},
			0, "LLMInferenceService  models/llama  Healthy", "",
		},
		{
			"degraded", "isvc iris tulip --settle 0s",
			answers{services: {kubectltest.List("1", live("iris", "True"), strings.Replace(live("tulip", "False"), "]}", `],`+
				`"modelStatus":{"transitionStatus":"InvalidSpec"}}`, 1))}},
			1, "InferenceService  models/tulip  Degraded", "InferenceService models/tulip is Degraded\n",
		},
		{
			"a pod says why", "isvc/tulip --settle 0s",
			answers{
				services: {kubectltest.List("1", strings.Replace(live("tulip", "False"), "]}", `],`+
					`"modelStatus":{"transitionStatus":"InvalidSpec"}}`, 1))},
				pods: {kubectltest.List("1", `{"metadata":{"name":"tulip-1","namespace":"models",`+
					`"labels":{"serving.kserve.io/inferenceservice":"tulip"}},"status":{"containerStatuses":[`+
					`{"name":"main","state":{"waiting":{"reason":"ImagePullBackOff"}}}]}}`)},
				"watch " + pods: {{Open: true}},
			},
			1, "; pod tulip-1: main: ImagePullBackOff", "InferenceService models/tulip is Degraded\n",
		},
		{
			"may not read pods", "isvc/iris",
			answers{
				services: {kubectltest.List("1", live("iris", "True"))},
				pods:     {kubectltest.Failure(http.StatusForbidden, "Forbidden", "no")},
			},
			0, "InferenceService  models/iris  Healthy", "",
		},
		{
			"a slow list", "isvc/iris --timeout 100ms",
			answers{services: {kubectltest.List("1", live("iris", "True"))}, deployments: {{Open: true}}},
			1, "", "timed out while kubectl listed the objects\n",
		},
		{
			"may not read Deployments", "isvc/iris",
			answers{deployments: {kubectltest.Failure(http.StatusForbidden, "Forbidden", "no")}},
			2, "", "kubectl get --raw " + deployments + ": Error from server (Forbidden): no; let this account list and " +
				"watch the kind, or give health wait a stream of what it may read\n",
		},
		{
			"no such kind", "ig/route", nil, 2, "", "the cluster has no InferenceGraph; install KServe's " +
				"CustomResourceDefinitions, or choose another cluster with --context\n",
		},
		{
			"unknown type", "isvc/iris,pod/iris", nil, 2, "", `"isvc/iris,pod/iris" is not TYPE/NAME` + "\n",
		},
		{
			"names in all namespaces", "isvc iris -A", nil, 2, "",
			"flag --all-namespaces: names are only possible in one namespace\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			cmd := wait(newCluster(t, tc.given), strings.Fields(tc.args)...)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != tc.code || !strings.Contains(stdout.String(), tc.stdout) ||
				!strings.HasSuffix(stderr.String(), tc.stderr) {
				t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
			}
		})
	}
}

// TestWaitReadsEveryList is about a list that comes late and contradicts another one.
func TestWaitReadsEveryList(t *testing.T) {
	late := make(chan struct{})
	cluster := newCluster(t, answers{
		services:               {kubectltest.List("1", live("iris", "True"))},
		deployments:            {{Body: kubectltest.List("1", rollout(1)).Body, After: late}},
		"watch " + deployments: {{Body: kubectltest.Event("MODIFIED", rollout(2)), Open: true}},
	})
	var stderr bytes.Buffer
	cmd := wait(cluster, "isvc/iris")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(late)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	const want = `InferenceService models/iris: Progressing: Deployment iris-predictor: 1 of 2 replicas are updated
InferenceService models/iris: Healthy: InferenceService is ready
`
	if stderr.String() != want {
		t.Errorf("%s", &stderr)
	}
}

// TestWaitStops checks that a signal ends kubectl, and what kubectl has started.
func TestWaitStops(t *testing.T) {
	left, childLeft := make(chan struct{}), make(chan struct{})
	cluster := newCluster(t, answers{
		services: {kubectltest.List("1")},
		"watch " + services: {{
			Body: kubectltest.Event("ADDED", live("iris", "False")), Open: true, Start: "/child", Left: left,
		}},
		"/child": {{Body: kubectltest.Event("ADDED", live("tulip", "False")), Open: true, Left: childLeft}},
	})
	cmd := wait(cluster, "isvc", "-o", "json")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for range 2 { // kubectl and its child have both sent a service
		if !lines.Scan() || !strings.Contains(lines.Text(), `"status":"Progressing"`) {
			t.Fatalf("%s", lines.Text())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-left
	<-childLeft
	_ = cmd.Wait()
	code, said := cmd.ProcessState.ExitCode(), stderr.String()
	if code != 2 || !strings.HasPrefix(said, "terminated signal received") {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// TestWaitReturnsBeforeKubectl runs the command of docs/health.md whose kubectl goes on.
func TestWaitReturnsBeforeKubectl(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	cluster := newCluster(t, answers{"watch /stream": {{Body: live("iris", "True"), Open: true}}})
	cmd := exec.Command(bash, "-c", `argocd-kserve-plugin health wait <(kubectl get --raw '/stream?watch=1') iris`)
	cmd.Env = cluster.Environ // no pipe to wait for: kubectl has the same standard error
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}
