package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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

// TestOperator follows the page with argocd-operator. The API server validates the patch with the operator's own
// definition of the kind, and the operator makes the Deployment, the ConfigMap and the NetworkPolicy.
func TestOperator(t *testing.T) {
	if !*operator {
		t.Skip("by hand only: make e2e SUITE=operator")
	}
	p := readPage(t, "install", "README.md")
	cluster := controlplane.Start(t)
	startOperator(t, cluster)
	cluster.Namespace(t, "kserve").Apply(configuration + controller("v0.15.2"))
	namespace := cluster.Namespace(t, "argocd")
	namespace.Apply("apiVersion: argoproj.io/v1beta1\nkind: ArgoCD\nmetadata: {name: argocd}\n")
	wait.For(t, "the Deployment without the sidecar", func(context.Context) error {
		return has(namespace.Find(objects.Deployments, repoServer), "spec")
	})
	s := newShell(t, cluster)
	s.run(t, 0, p.blocks(t, "With argocd-operator and OpenShift GitOps", "sh", 1)[0])

	var got sidecar
	wait.For(t, "the sidecar", func(context.Context) (err error) {
		got, err = stored(namespace)
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
		other.ApplyObjects(manifests(t, s)...)
		want, err := stored(other)
		if err != nil {
			t.Fatal(err)
		}
		want.container.SecurityContext.RunAsUser = nil // OpenShift chooses it
		if !equality.Semantic.DeepEqual(got.container, want.container) ||
			!equality.Semantic.DeepEqual(got.volume, want.volume) {
			t.Errorf("the operator's sidecar is\n%+v\nand that of the component\n%+v", got, want)
		}
	})

	check := p.blocks(t, checkOf, "sh", 3)[1]
	if out := s.run(t, 0, check); out != "" {
		t.Errorf("install check finds\n%s", out)
	}

	resource := readFile(t, filepath.Join(s.dir, "sidecar.yaml"))
	t.Run("changes", func(t *testing.T) {
		namespace.Apply(strings.Replace(resource, "argocd-kserve-plugin:", "argocd-kserve-plugin:0.0.", 1))
		wait.For(t, "the older image", func(context.Context) error {
			changed, err := stored(namespace)
			if err == nil && !strings.Contains(changed.container.Image, ":0.0.") {
				err = fmt.Errorf("the image is %s", changed.container.Image)
			}
			return err
		})
		if out := s.run(t, 1, check); !strings.Contains(out, "outdated  image") {
			t.Errorf("install check finds\n%s", out)
		}
	})

	t.Run("unknown field", func(t *testing.T) {
		parsed, err := objects.Parse([]byte(strings.Replace(resource, "sidecarContainers:", "sidecars:", 1)))
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
	// Without the kustomization around them, which lets a webhook convert older versions.
	files, err := filepath.Glob(source(t, toolchain.ArgoCDOperator, "config", "crd", "bases", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		cluster.Namespace(t, "default").Apply(readFile(t, file))
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
func manifests(t *testing.T, s *shell) []*unstructured.Unstructured {
	t.Helper()
	component := t.TempDir()
	printed := s.run(t, 0,
		`argocd-kserve-plugin install --image "$IMAGE" --kserve-version 0.15.2 --default-deployment-mode Standard`)
	writeFile(t, filepath.Join(component, "kustomization.yaml"), printed)
	resources, err := install.Overlay{
		Manifests: source(t, toolchain.ArgoCD3, "manifests", "install.yaml"), Component: component,
	}.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range resources.Resources() {
		if resource.GetKind() != "Deployment" || resource.GetName() != repoServer {
			continue
		}
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
	t.Fatal("the manifests have no repo-server")
	return nil
}

// sidecar is what install adds to a pod.
type sidecar struct {
	container corev1.Container
	volume    corev1.Volume // its own; the other ones are Argo CD's
}

// stored returns the sidecar of a namespace's repo-server, with the defaults of the API server. It is an error if a
// volume that the sidecar mounts is missing.
func stored(namespace *objects.Namespace) (s sidecar, err error) {
	var deployment appsv1.Deployment
	object := namespace.Find(objects.Deployments, repoServer)
	if object == nil {
		return s, errors.New("there is no Deployment")
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment); err != nil {
		return s, err
	}
	if s.container, err = install.Sidecar(&deployment); err != nil {
		return s, err
	}
	volumes := map[string]corev1.Volume{}
	for _, volume := range deployment.Spec.Template.Spec.Volumes {
		volumes[volume.Name] = volume
	}
	for _, mount := range s.container.VolumeMounts {
		if volumes[mount.Name].EmptyDir == nil {
			return s, fmt.Errorf("there is no emptyDir %s", mount.Name)
		}
	}
	s.volume = volumes["argocd-kserve-plugin-tmp"]
	return s, nil
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
