// Package install applies the repository's install/ to Argo CD's own manifests, as kustomize does for a user.
package install

import (
	"fmt"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// Container is the name of the sidecar's container.
const Container = "argocd-kserve-plugin"

// Overlay is a kustomization as a user writes it: Argo CD's manifests, a component and a patch.
type Overlay struct {
	Manifests string // file of Argo CD's sources
	Component string // folder install/component of the repository; "" for none
	Patch     string // applied after the component; "" for none
}

// Build writes the overlay into the empty folder dir and returns what kustomize makes of it.
func (o Overlay) Build(dir string) (resmap.ResMap, error) {
	kustomization := map[string]any{"resources": []string{"argocd.yaml"}}
	if o.Component != "" {
		kustomization["components"] = []string{"component"}
		if err := os.CopyFS(filepath.Join(dir, "component"), os.DirFS(o.Component)); err != nil {
			return nil, err
		}
	}
	if o.Patch != "" {
		kustomization["patches"] = []map[string]string{{"patch": o.Patch}}
	}
	data, err := yaml.Marshal(kustomization)
	if err != nil {
		return nil, err
	}
	manifests, err := os.ReadFile(o.Manifests)
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{"kustomization.yaml": data, "argocd.yaml": manifests} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return nil, err
		}
	}
	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
}

// Deployment returns the Deployment argocd-repo-server of a file of Argo CD's manifests after an overlay in the empty
// folder work has added the repository's install/component and then the patch.
func Deployment(repository, manifests, work, patch string) (*appsv1.Deployment, error) {
	component := filepath.Join(repository, "install", "component")
	resources, err := Overlay{Manifests: manifests, Component: component, Patch: patch}.Build(work)
	if err != nil {
		return nil, err
	}
	return RepoServer(resources)
}

// RepoServer returns the Deployment argocd-repo-server.
func RepoServer(resources resmap.ResMap) (*appsv1.Deployment, error) {
	for _, resource := range resources.Resources() {
		if resource.GetKind() != "Deployment" || resource.GetName() != "argocd-repo-server" {
			continue
		}
		data, err := resource.AsYAML()
		if err != nil {
			return nil, err
		}
		deployment := new(appsv1.Deployment)
		return deployment, yaml.UnmarshalStrict(data, deployment)
	}
	return nil, fmt.Errorf("the manifests have no Deployment argocd-repo-server")
}

// Sidecar returns the container that the component adds to the Deployment.
func Sidecar(deployment *appsv1.Deployment) (corev1.Container, error) {
	for _, container := range deployment.Spec.Template.Spec.Containers {
		if container.Name == Container {
			return container, nil
		}
	}
	return corev1.Container{}, fmt.Errorf("the Deployment has no container %s", Container)
}
