// Package agent shows that KServe's agent does not start beside a container with an exec readiness probe.
package agent

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/webhook/admission/pod"
)

// TestExecProbe has KServe's webhook add the agent to a pod, and runs the real agent as the webhook configures it.
func TestExecProbe(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "agent")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, "github.com/kserve/kserve/cmd/agent")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	container := inject(t, corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"cat", "/tmp/ready"}}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	agent := exec.CommandContext(ctx, binary, container.Args...)
	for _, variable := range container.Env {
		agent.Env = append(agent.Env, variable.Name+"="+variable.Value)
	}
	out, err := agent.CombinedOutput()
	t.Logf("the agent: %v\n%s", err, out)
	const message = "required key SERVING_READINESS_PROBE missing value"
	if agent.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), message) {
		t.Error("the agent does not end because of the variable: this is mended")
	}
}

// TestOtherProbe shows what differs: with the other kinds of probes the agent gets the variable.
func TestOtherProbe(t *testing.T) {
	container := inject(t, corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready"}})
	for _, variable := range container.Env {
		if variable.Name == "SERVING_READINESS_PROBE" {
			return
		}
	}
	t.Errorf("the agent has no SERVING_READINESS_PROBE: %v", container.Env)
}

// inject returns the agent that the webhook adds to a pod whose container has the readiness probe.
func inject(t *testing.T, probe corev1.ProbeHandler) corev1.Container {
	t.Helper()
	raw, err := json.Marshal(corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name:   "iris-predictor",
			Labels: map[string]string{constants.InferenceServicePodLabelKey: "iris"},
			Annotations: map[string]string{
				constants.LoggerInternalAnnotationKey:        "true",
				constants.LoggerSinkUrlInternalAnnotationKey: "http://sink.default/",
				constants.LoggerModeInternalAnnotationKey:    "all",
			},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: constants.InferenceServiceContainerName, Image: "model", ReadinessProbe: &corev1.Probe{ProbeHandler: probe},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	webhook := pod.Mutator{
		Client:    fake.NewClientBuilder().WithScheme(scheme).Build(),
		Clientset: clientset.NewClientset(configuration(t)),
		Decoder:   admission.NewDecoder(scheme),
	}
	response := webhook.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Namespace: "default", Object: runtime.RawExtension{Raw: raw},
	}})
	if !response.Allowed {
		t.Fatal(response.Result)
	}
	operations, err := json.Marshal(response.Patches)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = patch.Apply(raw); err != nil {
		t.Fatal(err)
	}
	var injected corev1.Pod
	if err := json.Unmarshal(raw, &injected); err != nil {
		t.Fatal(err)
	}
	for _, container := range injected.Spec.Containers {
		if container.Name == constants.AgentContainerName {
			return container
		}
	}
	t.Fatalf("the webhook adds no agent:\n%s", raw)
	return corev1.Container{}
}

// configuration is the ConfigMap that the release ships.
func configuration(t *testing.T) *corev1.ConfigMap {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kserve/kserve").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "config", "configmap", "inferenceservice.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var configMap corev1.ConfigMap
	if err := yaml.Unmarshal(data, &configMap); err != nil {
		t.Fatal(err)
	}
	configMap.Namespace = constants.KServeNamespace
	return &configMap
}
