package install_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
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
			{Name: "ARGOCD_KSERVE_PLUGIN_RULES_AS_OF", Value: "0.2"},
			{Name: "HOME", Value: "/tmp"},
			{Name: "ARGOCD_KSERVE_PLUGIN_MAX_MEMORY", Value: "512MiB"},
			{Name: "GOMEMLIMIT", Value: "200MiB"},
		}},
		{"envFrom", c.EnvFrom, []corev1.EnvFromSource(nil)},
		{"requests", c.Resources.Requests, corev1.ResourceList{
			"cpu": resource.MustParse("50m"), "memory": resource.MustParse("128Mi"),
		}},
		{"limits", c.Resources.Limits, corev1.ResourceList{
			"memory": resource.MustParse("2Gi"),
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
			{Name: "var-files", MountPath: "/var/run/argocd", ReadOnly: true},
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

// TestForms decodes the forms as Kubernetes does and compares them with the component.
func TestForms(t *testing.T) {
	var component struct{ Patches []struct{ Patch string } }
	read(t, "component/kustomization.yaml", &component)
	var patch appsv1.Deployment
	if err := yaml.UnmarshalStrict([]byte(component.Patches[0].Patch), &patch); err != nil {
		t.Fatal(err)
	}
	containers, volumes := patch.Spec.Template.Spec.Containers, patch.Spec.Template.Spec.Volumes

	var helm struct {
		RepoServer struct {
			ExtraContainers []corev1.Container
			Volumes         []corev1.Volume
			NetworkPolicy   struct{ Create bool }
		}
	}
	read(t, "argo-helm/values.yaml", &helm)
	if !reflect.DeepEqual(helm.RepoServer.ExtraContainers, containers) ||
		!reflect.DeepEqual(helm.RepoServer.Volumes, volumes) {
		t.Error("argo-helm/values.yaml is not the component's sidecar")
	}
	if !helm.RepoServer.NetworkPolicy.Create {
		t.Error("argo-helm/values.yaml creates no NetworkPolicy")
	}

	var operator struct {
		APIVersion string
		Kind       string
		Metadata   metav1.ObjectMeta
		Spec       struct {
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

// TestCommand applies what install prints to all manifests of Argo CD that have a repo-server. install check finds
// nothing wrong with the result, and finds what is wrong without it.
func TestCommand(t *testing.T) {
	plugin, err := toolchain.Plugin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const image = "registry.example.com/argocd-kserve-plugin:1"
	facts := []string{"--kserve-version=0.15.2", "--default-deployment-mode=Standard", "--image=" + image}
	component := t.TempDir()
	printed := run(t, plugin, 0, append([]string{"install"}, facts...)...)
	if err := os.WriteFile(filepath.Join(component, "kustomization.yaml"), printed, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, argocd := range []toolchain.Tool{toolchain.ArgoCD2, toolchain.ArgoCD3} {
		source, err := argocd.Source(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"install.yaml", "ha/install.yaml", "namespace-install.yaml", "core-install.yaml"} {
			t.Run(argocd.Name+"/"+file, func(t *testing.T) {
				manifests := filepath.Join(source, "manifests", file)
				live := filepath.Join(t.TempDir(), "live.yaml")
				check := append([]string{"install", "check", live}, facts...)
				write(t, live, build(t, install.Overlay{Manifests: manifests, Component: component}))
				if out := run(t, plugin, 0, check...); len(out) > 0 {
					t.Errorf("problems:\n%s", out)
				}
				write(t, live, build(t, install.Overlay{Manifests: manifests}))
				out := run(t, plugin, 1, check...)
				for _, want := range []string{
					"no container runs the plugin: add the one that install prints",
					"missing  resource.customizations.health.serving.kserve.io_InferenceService",
				} {
					if !bytes.Contains(out, []byte(want)) {
						t.Errorf("nothing says %q:\n%s", want, out)
					}
				}
			})
		}
	}
}

func run(t *testing.T, program string, code int, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%v: %v, want exit code %d: %s\n%s", args, err, code, &stderr, out)
	}
	return out
}

func write(t *testing.T, path string, resources resmap.ResMap) {
	t.Helper()
	data, err := resources.AsYaml()
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestNetworkPolicy checks that Argo CD's manifests have a policy that denies what does not come to the repo-server's
// own ports: policies add up, so another one that denies more has no effect.
func TestNetworkPolicy(t *testing.T) {
	for _, argocd := range []toolchain.Tool{toolchain.ArgoCD2, toolchain.ArgoCD3} {
		source, err := argocd.Source(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resources := build(t, install.Overlay{Manifests: filepath.Join(source, "manifests", "install.yaml")})
		pod := repoServer(t, resources).Spec.Template.Labels
		selected := 0
		for _, resource := range resources.Resources() {
			if resource.GetKind() != "NetworkPolicy" {
				continue
			}
			var policy networkingv1.NetworkPolicy
			data, err := resource.AsYAML()
			if err == nil {
				err = yaml.UnmarshalStrict(data, &policy)
			}
			if err != nil {
				t.Fatal(err)
			}
			selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
			if err != nil {
				t.Fatal(err)
			}
			if !selector.Matches(labels.Set(pod)) {
				continue
			}
			selected++
			if !slices.Contains(policy.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) {
				t.Errorf("%s: %s does not limit what comes in", argocd.Name, policy.Name)
			}
			for _, rule := range policy.Spec.Ingress {
				for _, port := range rule.Ports {
					if n := port.Port.IntValue(); n != 8081 && n != 8084 {
						t.Errorf("%s: %s opens port %d", argocd.Name, policy.Name, n)
					}
				}
				if len(rule.Ports) == 0 {
					t.Errorf("%s: %s opens all ports", argocd.Name, policy.Name)
				}
			}
		}
		if selected == 0 {
			t.Errorf("%s: no NetworkPolicy selects the repo-server", argocd.Name)
		}
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
