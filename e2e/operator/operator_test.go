package operator_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/controlplane"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/cluster/objects"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/stack"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/wait"
)

const (
	repoServer  = "argocd-repo-server"
	healthCheck = "resource.customizations.health.serving.kserve.io_InferenceService"
)

var (
	argoCDs         = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1beta1", Resource: "argocds"}
	networkPolicies = schema.GroupVersionResource{
		Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies",
	}
)

var facts = []string{"--kserve-version=0.15.2", "--default-deployment-mode=Standard"}

// TestOperator applies what install --form operator prints. The API server validates it with the operator's own
// definition of the kind, and the operator makes the Deployment, the ConfigMap and the NetworkPolicy.
func TestOperator(t *testing.T) {
	cluster := controlplane.Start(t)
	startOperator(t, cluster)
	namespace := cluster.Namespace(t, "argocd")
	resource := run(t, 0, append([]string{"install", "--form", "operator"}, facts...)...)
	namespace.Apply(string(resource))

	var container corev1.Container
	wait.For(t, "the sidecar", func(context.Context) (err error) {
		container, err = stored(namespace)
		return err
	})
	wait.For(t, "the health check in argocd-cm", func(context.Context) error {
		return has(namespace.Find(objects.ConfigMaps, "argocd-cm"), "data", healthCheck)
	})
	wait.For(t, "the NetworkPolicy", func(context.Context) error {
		policy := namespace.Find(networkPolicies, "argocd-repo-server-network-policy")
		return has(policy, "spec", "ingress")
	})

	t.Run("like the component", func(t *testing.T) {
		other := cluster.Namespace(t, "manifests")
		other.ApplyObjects(manifests(t)...)
		want, err := stored(other)
		if err != nil {
			t.Fatal(err)
		}
		want.SecurityContext.RunAsUser = nil // OpenShift chooses it
		if !equality.Semantic.DeepEqual(container, want) {
			t.Errorf("the operator's sidecar is\n%+v\nand that of the component\n%+v", container, want)
		}
	})

	live := func() string {
		data, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{
			namespace.Get(objects.Deployments, repoServer).Object, namespace.Get(argoCDs, "argocd").Object,
			namespace.Get(objects.ConfigMaps, "argocd-cm").Object,
		}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "live.yaml")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := append([]string{"install", "--check"}, append([]string{live()}, facts...)...)
	if out := run(t, 0, check...); len(out) > 0 {
		t.Errorf("install --check finds\n%s", out)
	}

	t.Run("changes", func(t *testing.T) {
		older := bytes.Replace(resource, []byte("argocd-kserve-plugin:v"), []byte("argocd-kserve-plugin:v0.0."), 1)
		namespace.Apply(string(older))
		wait.For(t, "the older image", func(context.Context) error {
			changed, err := stored(namespace)
			if err == nil && !strings.Contains(changed.Image, ":v0.0.") {
				err = fmt.Errorf("the image is %s", changed.Image)
			}
			return err
		})
		check[2] = live()
		if out := run(t, 1, check...); !bytes.Contains(out, []byte("outdated  image")) {
			t.Errorf("install --check finds\n%s", out)
		}
	})

	t.Run("unknown field", func(t *testing.T) {
		misspelt := bytes.Replace(resource, []byte("sidecarContainers:"), []byte("sidecars:"), 1)
		parsed, err := objects.Parse(misspelt)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cluster.Resource(argoCDs).Namespace(namespace.Name).
			Apply(t.Context(), "argocd", parsed[0], metav1.ApplyOptions{FieldManager: "unknown-field", Force: true})
		if err == nil || !strings.Contains(err.Error(), "field not declared in schema") {
			t.Errorf("the API server does not refuse a field that the kind does not have: %v", err)
		}
	})
}

// startOperator installs the operator's kinds and starts it.
func startOperator(t *testing.T, cluster *controlplane.Cluster) {
	t.Helper()
	source, err := toolchain.ArgoCDOperator.Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Without the kustomization around them, which lets a webhook convert older versions.
	files, err := filepath.Glob(filepath.Join(source, "config", "crd", "bases", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		kinds, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cluster.Namespace(t, "default").Apply(string(kinds))
	}
	wait.For(t, "the operator's kinds", cluster.Serves(argoCDs))
	binary, err := toolchain.ArgoCDOperator.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := cluster.Stack
	probe := net.JoinHostPort(s.IP, "8081")
	s.Start(stack.Process{
		Name: "argocd-operator", Path: binary, Dir: s.Dir,
		Args: []string{"--metrics-bind-address", "0", "--health-probe-bind-address", probe},
		Env:  []string{"HOME=" + s.Dir, "WATCH_NAMESPACE=argocd", "KUBECONFIG=" + cluster.Kubeconfig(t, "default")},
		Ready: func(ctx context.Context) error {
			return controlplane.Answers(ctx, http.DefaultClient, "http://"+probe+"/readyz")
		},
	})
}

// manifests returns the Deployment of Argo CD's own manifests with the component.
func manifests(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	component := t.TempDir()
	printed := run(t, 0, append([]string{"install"}, facts...)...)
	if err := os.WriteFile(filepath.Join(component, "kustomization.yaml"), printed, 0o644); err != nil {
		t.Fatal(err)
	}
	source, err := toolchain.ArgoCD3.Source(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	overlay := install.Overlay{
		Manifests: filepath.Join(source, "manifests", "install.yaml"), Component: component,
	}
	resources, err := overlay.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range resources.Resources() {
		if resource.GetKind() == "Deployment" && resource.GetName() == repoServer {
			data, err := resource.AsYAML()
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := objects.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			return parsed
		}
	}
	t.Fatal("the manifests have no repo-server")
	return nil
}

// stored returns the sidecar of a namespace's repo-server, with the defaults of the API server. It is an error if a
// volume that the sidecar mounts is missing.
func stored(namespace *objects.Namespace) (corev1.Container, error) {
	var deployment appsv1.Deployment
	object := namespace.Find(objects.Deployments, repoServer)
	if object == nil {
		return corev1.Container{}, errors.New("there is no Deployment")
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment); err != nil {
		return corev1.Container{}, err
	}
	container, err := install.Sidecar(&deployment)
	if err != nil {
		return container, err
	}
	volumes := map[string]bool{}
	for _, volume := range deployment.Spec.Template.Spec.Volumes {
		volumes[volume.Name] = volume.EmptyDir != nil
	}
	for _, mount := range container.VolumeMounts {
		if !volumes[mount.Name] {
			return container, fmt.Errorf("there is no emptyDir %s", mount.Name)
		}
	}
	return container, nil
}

// has returns an error unless the object exists and has the field.
func has(object *unstructured.Unstructured, path ...string) error {
	if object == nil {
		return errors.New("it does not exist")
	}
	if _, found, err := unstructured.NestedFieldNoCopy(object.Object, path...); err != nil || !found {
		return fmt.Errorf("it has no %s (%v)", strings.Join(path, "."), err)
	}
	return nil
}

// run runs the plugin and returns its output.
func run(t *testing.T, code int, args ...string) []byte {
	t.Helper()
	plugin, err := toolchain.Plugin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), plugin, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%v: %v, want exit code %d: %s\n%s", args, err, code, &stderr, out)
	}
	return out
}
