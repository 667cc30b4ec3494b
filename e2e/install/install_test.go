package install_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/yaml"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/install"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/e2e/toolchain"
)

const factsPatch = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server}
spec:
  template:
    spec:
      containers:
        - name: argocd-kserve-plugin
          image: registry.example.com/argocd-kserve-plugin@sha256:0123
          env:
            - {name: ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION, value: 0.15.2}
            - {name: ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE, value: Standard}
`

// TestComponent applies the component to Argo CD's install.yaml.
func TestComponent(t *testing.T) {
	for _, argocd := range []toolchain.Tool{toolchain.ArgoCD2, toolchain.ArgoCD3} {
		version, err := argocd.Version()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			source, err := argocd.Source(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			manifests := filepath.Join(source, "manifests", "install.yaml")
			plain := build(t, install.Overlay{Manifests: manifests})
			component := filepath.Join(installFolder(t), "component")
			with := build(t, install.Overlay{Manifests: manifests, Component: component, Patch: factsPatch})
			onlyRepoServerDiffers(t, plain, with)

			before, after := repoServer(t, plain), repoServer(t, with)
			container := sidecar(t, after)
			checkSidecar(t, container)
			checkVolumes(t, after, container)

			pod := &after.Spec.Template.Spec
			pod.Containers = slices.DeleteFunc(pod.Containers, func(c corev1.Container) bool {
				return c.Name == install.Container
			})
			pod.Volumes = slices.DeleteFunc(pod.Volumes, func(v corev1.Volume) bool {
				return v.Name == "argocd-kserve-plugin-tmp"
			})
			if links := pod.EnableServiceLinks; links == nil || *links {
				t.Error("the pod gets the variables of Services")
			}
			pod.EnableServiceLinks = before.Spec.Template.Spec.EnableServiceLinks
			annotations := after.Spec.Template.Annotations
			if name := annotations["kubectl.kubernetes.io/default-container"]; name != "argocd-repo-server" {
				t.Errorf("kubectl logs and exec take the container %q", name)
			}
			delete(annotations, "kubectl.kubernetes.io/default-container")
			if !equality.Semantic.DeepEqual(after, before) {
				t.Error("more than the sidecar, its volume, the annotation and enableServiceLinks differs from " +
					"Argo CD's own Deployment")
			}
		})
	}
}

func checkSidecar(t *testing.T, c corev1.Container) {
	t.Helper()
	user, yes, no := int64(999), true, false
	command := []string{"/usr/local/bin/argocd-kserve-plugin", "probe"}
	probe := corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: command}}
	fields := []struct {
		name      string
		got, want any
	}{
		{"image", c.Image, "registry.example.com/argocd-kserve-plugin@sha256:0123"},
		{"command", c.Command, []string{"/var/run/argocd/argocd-cmp-server"}},
		{"args", c.Args, []string(nil)},
		{"env", c.Env, []corev1.EnvVar{
			{Name: "ARGOCD_KSERVE_PLUGIN_KSERVE_VERSION", Value: "0.15.2"},
			{Name: "ARGOCD_KSERVE_PLUGIN_DEFAULT_DEPLOYMENT_MODE", Value: "Standard"},
			{Name: "ARGOCD_KSERVE_PLUGIN_ROOT", Value: "found"},
			{Name: "ARGOCD_KSERVE_PLUGIN_TIMEOUT", Value: "45s"},
			{Name: "ARGOCD_KSERVE_PLUGIN_MAX_INPUT", Value: "128MiB"},
			{Name: "ARGOCD_KSERVE_PLUGIN_ALLOW_EMPTY", Value: "false"},
			{Name: "ARGOCD_KSERVE_PLUGIN_FAIL_ON", Value: "never"},
			{Name: "HOME", Value: "/tmp"},
			{Name: "ARGOCD_KSERVE_PLUGIN_MAX_MEMORY", Value: "512MiB"},
			{Name: "GOMEMLIMIT", Value: "200MiB"},
		}},
		{"envFrom", c.EnvFrom, []corev1.EnvFromSource(nil)},
		{"requests", c.Resources.Requests, corev1.ResourceList{
			"cpu": resource.MustParse("50m"), "memory": resource.MustParse("128Mi"),
		}},
		{"limits", c.Resources.Limits, corev1.ResourceList{
			"memory": resource.MustParse("2Gi"), "ephemeral-storage": resource.MustParse("2Gi"),
		}},
		{"securityContext", c.SecurityContext, &corev1.SecurityContext{
			RunAsUser: &user, RunAsNonRoot: &yes, ReadOnlyRootFilesystem: &yes, AllowPrivilegeEscalation: &no,
			Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		}},
		{"readinessProbe", c.ReadinessProbe, &corev1.Probe{ProbeHandler: probe, PeriodSeconds: 10, TimeoutSeconds: 5}},
		{"livenessProbe", c.LivenessProbe, &corev1.Probe{
			ProbeHandler: probe, InitialDelaySeconds: 30, PeriodSeconds: 30, TimeoutSeconds: 5,
		}},
		{"volumeMounts", c.VolumeMounts, []corev1.VolumeMount{
			{Name: "var-files", MountPath: "/var/run/argocd"},
			{Name: "plugins", MountPath: "/home/argocd/cmp-server/plugins"},
			{Name: "argocd-kserve-plugin-tmp", MountPath: "/tmp"},
		}},
		{"ports", c.Ports, []corev1.ContainerPort(nil)},
	}
	for _, field := range fields {
		if !reflect.DeepEqual(field.got, field.want) {
			t.Errorf("%s is %+v, want %+v", field.name, field.got, field.want)
		}
	}
}

// checkVolumes fails the test unless every volume that the sidecar mounts exists, and its /tmp is its own.
func checkVolumes(t *testing.T, deployment *appsv1.Deployment, sidecar corev1.Container) {
	t.Helper()
	pod := deployment.Spec.Template.Spec
	for _, mount := range sidecar.VolumeMounts {
		if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
			return v.Name == mount.Name && v.EmptyDir != nil
		}) {
			t.Errorf("the pod has no emptyDir volume %s", mount.Name)
		}
		for _, container := range pod.Containers {
			shared := slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
				return m.Name == mount.Name
			})
			if mount.MountPath == "/tmp" && shared && container.Name != sidecar.Name {
				t.Errorf("container %s mounts the sidecar's /tmp too", container.Name)
			}
		}
	}
}

func onlyRepoServerDiffers(t *testing.T, plain, with resmap.ResMap) {
	t.Helper()
	if plain.Size() != with.Size() {
		t.Fatalf("%d resources, want %d", with.Size(), plain.Size())
	}
	for i, resource := range plain.Resources() {
		got, err := with.Resources()[i].AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		want, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		repoServer := resource.GetKind() == "Deployment" && resource.GetName() == "argocd-repo-server"
		if differs := string(got) != string(want); differs != repoServer {
			t.Errorf("%s %s differs: %t", resource.GetKind(), resource.GetName(), differs)
		}
	}
}

// TestOtherInstallers compares the Helm values and the operator's resource with the component.
func TestOtherInstallers(t *testing.T) {
	var component appsv1.Deployment
	read(t, "component/sidecar.yaml", &component)
	containers, volumes := component.Spec.Template.Spec.Containers, component.Spec.Template.Spec.Volumes

	var helm struct {
		RepoServer struct {
			ExtraContainers []corev1.Container
			Volumes         []corev1.Volume
		}
	}
	read(t, "argo-helm/values.yaml", &helm)
	if !reflect.DeepEqual(helm.RepoServer.ExtraContainers, containers) ||
		!reflect.DeepEqual(helm.RepoServer.Volumes, volumes) {
		t.Error("argo-helm/values.yaml is not the component's sidecar")
	}

	var operator struct {
		Spec struct {
			Repo struct {
				SidecarContainers []corev1.Container
				Volumes           []corev1.Volume
			}
		}
	}
	read(t, "argocd-operator/argocd.yaml", &operator)
	containers[0].SecurityContext.RunAsUser = nil // OpenShift chooses it
	if !reflect.DeepEqual(operator.Spec.Repo.SidecarContainers, containers) ||
		!reflect.DeepEqual(operator.Spec.Repo.Volumes, volumes) {
		t.Error("argocd-operator/argocd.yaml is not the component's sidecar without runAsUser")
	}
}

func installFolder(t *testing.T) string {
	t.Helper()
	root, err := toolchain.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "install")
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(installFolder(t), name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func build(t *testing.T, overlay install.Overlay) resmap.ResMap {
	t.Helper()
	resources, err := overlay.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return resources
}

func repoServer(t *testing.T, resources resmap.ResMap) *appsv1.Deployment {
	t.Helper()
	deployment, err := install.RepoServer(resources)
	if err != nil {
		t.Fatal(err)
	}
	return deployment
}

func sidecar(t *testing.T, deployment *appsv1.Deployment) corev1.Container {
	t.Helper()
	container, err := install.Sidecar(deployment)
	if err != nil {
		t.Fatal(err)
	}
	return container
}
