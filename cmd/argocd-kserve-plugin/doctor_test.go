//go:build linux

package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kubectl/kubectltest"
)

// doctor runs doctor with kubectl, which reads the cluster.
func doctor(cluster *kubectltest.Cluster, args ...string) (code int, stdout, stderr string) {
	cmd := exec.Command("argocd-kserve-plugin", append([]string{"doctor", "--context=test"}, args...)...)
	cmd.Env = cluster.Environ
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

const (
	core        = "/api/v1/namespaces/models/"
	autoscalers = "/apis/autoscaling/v2/namespaces/models/horizontalpodautoscalers"
	replicaSets = "/apis/apps/v1/namespaces/models/replicasets"
)

// known is a service as an API server answers it.
func known(name, ready string) string {
	return strings.NewReplacer(`"name":`, `"uid":"`+name+`","resourceVersion":"1","name":`,
		`"status":{`, `"spec":{"predictor":{"model":{"modelFormat":{"name":"sklearn"}}}},"status":{`).Replace(live(name, ready))
}

// newSick returns a cluster that the account may read in one namespace, with a service whose image does not exist.
func newSick(t *testing.T, given answers) *kubectltest.Cluster {
	owned := func(kind, name, owner string) string {
		return `{"metadata":{"namespace":"models","name":"` + name + `","uid":"` + kind + `","ownerReferences":[` +
			`{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","name":"iris","uid":"` + owner +
			`","controller":true}]},"status":{"containerStatuses":[{"name":"main","state":{"waiting":{` +
			`"reason":"ImagePullBackOff","message":"Back-off pulling image"}}}]}}`
	}
	denied := kubectltest.Failure(http.StatusForbidden, "Forbidden", "user me cannot list it")
	all := answers{
		services:                               {kubectltest.List("1", known("iris", "False"))},
		deployments:                            {kubectltest.List("1", owned("deployment", "iris-predictor", "iris"))},
		replicaSets:                            {kubectltest.List("1", owned("replicaset", "iris-predictor-1", "deployment"))},
		core + "pods":                          {kubectltest.List("1", owned("pod", "iris-predictor-1-a", "replicaset"))},
		core + "events":                        {kubectltest.List("1")},
		autoscalers:                            {denied},
		"/api/v1/configmaps":                   {denied},
		"/api/v1/namespaces/kserve/configmaps": {denied},
		"/apis/apps/v1/deployments":            {denied},
		"/apis/apps/v1/namespaces/kserve/deployments": {kubectltest.List("1")},
	}
	for path, answer := range given {
		all[path] = answer
	}
	return newCluster(t, all)
}

func TestDoctor(t *testing.T) {
	const argo = "/apis/argoproj.io"
	cluster := newSick(t, answers{ // Applications are elsewhere than what they apply
		argo:                            {{Body: `{"versions":[{"version":"v1alpha1"}]}`}},
		argo + "/v1alpha1":              {{Body: `{"resources":[{"name":"applications","kind":"Application","namespaced":true}]}`}},
		argo + "/v1alpha1/applications": {kubectltest.List("1", `{"metadata":{"namespace":"argocd","name":"shop"}}`)},
	})
	code, stdout, stderr := doctor(cluster, "-n", "models")
	for _, want := range []string{
		", Applications: 1\n",
		"not read: configmaps: user me cannot list it\n",
		"not read: horizontalpodautoscalers: user me cannot list it\n",
		"InferenceService models/iris: Progressing\n  cause: ImagePullBackOff: container main: Back-off pulling image (Pod models/iris-predictor-1-a)\n",
		"  more: kubectl --context test -n models describe pod/iris-predictor-1-a\n",
		"0 services well, 1 not\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if code != 1 || stderr != "" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for _, path := range cluster.Asked() {
		if strings.Contains(path, "secrets") || strings.Contains(path, "watch") {
			t.Errorf("asked for %s", path)
		}
		if strings.HasSuffix(strings.Split(path, "?")[0], "pods") && !strings.Contains(path, "limit=500") {
			t.Errorf("asked for %s, which is no page", path)
		}
	}
}

// TestDoctorReportOfSome asks for the Report of some services, which would take the place of that of all.
func TestDoctorReportOfSome(t *testing.T) {
	code, stdout, stderr := doctor(newSick(t, nil), "-n", "models", "-o", "openreports", "isvc/iris")
	const want = "a Report is about all services of a namespace, and replaces the one before: leave out isvc/iris\n"
	if code != 2 || stdout != "" || stderr != want {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestDoctorReports is about what could not be read, and report objects of before, in the other formats.
func TestDoctorReports(t *testing.T) {
	const group = "/apis/openreports.io"
	reports := answers{
		group:               {{Body: `{"versions":[{"version":"v1alpha1"}]}`}},
		group + "/v1alpha1": {{Body: `{"resources":[{"name":"reports","kind":"Report","namespaced":true}]}`}},
		group + "/v1alpha1/namespaces/models/reports": {kubectltest.List("1",
			`{"metadata":{"namespace":"models","name":"argocd-kserve-plugin.doctor-shop"}}`)},
	}
	const line = "not read: configmaps: user me cannot list it"
	for format, want := range map[string]string{
		"text": line + "\n", "json": `"configmaps: user me cannot list it"`, "markdown": "\nNot read" + strings.TrimPrefix(line, "not read"),
		"openreports":  "  name: argocd-kserve-plugin.doctor-shop\n  namespace: models\nresults:\n- category: KServe\n  message: '" + line + "'\n",
		"policyreport": "message: '" + line + "'\n",
	} {
		cluster := newSick(t, reports)
		code, stdout, stderr := doctor(cluster, "-n", "models", "-o", format)
		if code != 1 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d, %s%s", format, code, stdout, stderr)
		}
		asked := slices.ContainsFunc(cluster.Asked(), func(path string) bool { return strings.HasPrefix(path, group) })
		if asked != (format == "openreports") {
			t.Errorf("%s: asked for %q", format, cluster.Asked())
		}
	}
}

// TestDoctorHTTPScaledObject is about an autoscaler of KEDA's HTTP add-on, which scales what KServe scales too.
func TestDoctorHTTPScaledObject(t *testing.T) {
	const group = "/apis/http.keda.sh"
	cluster := newSick(t, answers{
		group:               {{Body: `{"versions":[{"version":"v1alpha1"}]}`}},
		group + "/v1alpha1": {{Body: `{"resources":[{"name":"httpscaledobjects","kind":"HTTPScaledObject","namespaced":true}]}`}},
		group + "/v1alpha1/namespaces/models/httpscaledobjects": {kubectltest.List("1", `{"metadata":{"namespace":"models","name":"mine",`+
			`"uid":"mine","resourceVersion":"1"},"spec":{"scaleTargetRef":{"name":"iris-predictor"}}}`)},
	})
	code, stdout, stderr := doctor(cluster, "-n", "models", "--kserve-version=0.20.0", "--default-deployment-mode=Standard")
	if code != 1 || !strings.Contains(stdout, "autoscalers: 1,") || !strings.Contains(stdout, "HTTPScaledObject models/mine") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestDoctorForbidden is about pods that are asked for once for each kind of service.
func TestDoctorForbidden(t *testing.T) {
	cluster := newSick(t, answers{
		llmServices:   {kubectltest.List("1", liveLLM("qwen", "True"))},
		core + "pods": {kubectltest.Failure(http.StatusForbidden, "Forbidden", "user me cannot list it")},
	})
	code, stdout, stderr := doctor(cluster, "-n", "models")
	if code != 1 || stderr != "" || strings.Count(stdout, "not read: pods: ") != 1 {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestDoctorUnseen is about an account that may read no services, of which some may be broken.
func TestDoctorUnseen(t *testing.T) {
	denied := kubectltest.Failure(http.StatusForbidden, "Forbidden", "user me cannot list it")
	code, stdout, stderr := doctor(newSick(t, answers{services: {denied}, llmServices: {denied}}), "-n", "models")
	const want = "no service was read, because these may not be: InferenceServices, LLMInferenceServices\n"
	if code != 2 || stderr != want || !strings.HasSuffix(stdout, "0 services well, 0 not; not read: InferenceServices, LLMInferenceServices\n") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestDoctorUndiscovered is about a group of which the account may not even know the kinds.
func TestDoctorUndiscovered(t *testing.T) {
	denied := kubectltest.Failure(http.StatusForbidden, "Forbidden", "user me cannot get it")
	code, stdout, stderr := doctor(newSick(t, answers{"/apis/keda.sh": {denied}}), "-n", "models")
	if code != 1 || stderr != "" || !strings.Contains(stdout, "not read: keda.sh: user me cannot get it\n") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// TestDoctorPages is about a list that the API server forgets between two pages.
func TestDoctorPages(t *testing.T) {
	page := kubectltest.Answer{Body: `{"metadata":{"resourceVersion":"1","continue":"next"},"items":[` + known("tulip", "True") + `]}`}
	gone := kubectltest.Failure(http.StatusGone, "Expired", "the continue parameter is too old")
	before := kubectltest.Answer{Body: strings.Replace(page.Body, `"items":[`, `"items":[`+known("rose", "True")+",", 1)}
	cluster := newSick(t, answers{services: {before, gone, page, kubectltest.List("1", known("iris", "True"))},
		deployments: {kubectltest.List("1")}})
	code, stdout, stderr := doctor(cluster, "-n", "models", "isvc/iris")
	if code != 0 || !strings.Contains(stdout, "services: 2,") || !strings.Contains(stdout, "1 service well, 0 not\n") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	asked := slices.DeleteFunc(cluster.Asked(), func(path string) bool { return !strings.HasPrefix(path, services) })
	want := []string{"?limit=500", "?continue=next&limit=500", "?limit=500", "?continue=next&limit=500"}
	for i := range want {
		want[i] = services + want[i]
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q", asked)
	}
	cluster = newSick(t, answers{services: {page, gone, page, gone, page, gone}})
	code, _, stderr = doctor(cluster, "-n", "models")
	if code != 2 || !strings.Contains(stderr, "Error from server (Expired): the continue parameter is too old") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

func TestDoctorErrors(t *testing.T) {
	never := make(chan struct{})
	for _, tc := range []struct {
		name, args string
		given      answers
		want       string
	}{
		{"an API server that hangs", "--request-timeout=200ms -n models", answers{"/api/v1/configmaps": {{After: never}}},
			"kubectl get --raw /api/v1/configmaps?fieldSelector=metadata.name%3Dinferenceservice-config&limit=500: no answer within 200ms; " +
				"is the server well? --request-timeout waits longer\n"},
		{"one that dies in the middle", "-n models",
			answers{core + "pods": {kubectltest.Failure(http.StatusServiceUnavailable, "ServiceUnavailable", "shutting down")}},
			"Error from server (ServiceUnavailable): shutting down\n"},
		{"a server that never comes to the end", "-n models", answers{core + "pods": {
			{Body: `{"metadata":{"resourceVersion":"1","continue":"next"},"items":[]}`},
			{Body: `{"metadata":{"resourceVersion":"1","continue":"next"},"items":[]}`},
		}}, "the server gives the same page again\n"},
		{"a service that is not there", "-n models isvc/nosuch", nil, "InferenceService nosuch: not found\n"},
		{"half an answer", "-n models", answers{core + "pods": {{Body: `{"items":[{"metadata":`}}}, "unexpected EOF\n"},
		{"no KServe", "-n models", answers{"/apis/serving.kserve.io": {kubectltest.Failure(http.StatusNotFound, "NotFound", "no")}},
			"the cluster has no kind of serving.kserve.io; install KServe, or choose another cluster with --context\n"},
		{"a name in all namespaces", "-A isvc/iris", nil, "names are only possible in one namespace\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := doctor(newSick(t, tc.given), strings.Fields(tc.args)...)
			if code != 2 || stdout != "" || !strings.HasSuffix(stderr, tc.want) {
				t.Errorf("exit code %d, %q, %s", code, stdout, stderr)
			}
		})
	}
}

// TestDoctorKubectlHangs is about a kubectl that never ends, as one whose login waits for somebody.
func TestDoctorKubectlHangs(t *testing.T) {
	kubectl := filepath.Join(t.TempDir(), "kubectl")
	if err := os.WriteFile(kubectl, []byte("#!/bin/sh\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := doctor(newSick(t, nil), "--kubectl", kubectl, "--request-timeout=200ms", "-n", "models")
	if code != 2 || !strings.Contains(stderr, "no answer within 200ms") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
