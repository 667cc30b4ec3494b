// Package install applies the repository's install/ to Argo CD's own manifests, as kustomize does for a user.
package install

import (
	"fmt"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// Container is the name of the sidecar's container.
const Container = "argocd-kserve-plugin"

// Deployment returns the argocd-repo-server Deployment of a file of Argo CD's manifests after an overlay in the folder
// work has added install/component of the repository and then the given patch ("" for none).
func Deployment(repository, manifests, work, patch string) (*appsv1.Deployment, error) {
	overlay := map[string]any{
		"resources":  []string{"argocd.yaml"},
		"components": []string{"component"},
	}
	if patch != "" {
		overlay["patches"] = []map[string]string{{"patch": patch}}
	}
	data, err := yaml.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(work, "kustomization.yaml"), data, 0o644); err != nil {
		return nil, err
	}
	argocd, err := os.ReadFile(manifests)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(work, "argocd.yaml"), argocd, 0o644); err != nil {
		return nil, err
	}
	if err := os.CopyFS(filepath.Join(work, "component"), os.DirFS(filepath.Join(repository, "install", "component"))); err != nil {
		return nil, err
	}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), work)
	if err != nil {
		return nil, err
	}
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
	return nil, fmt.Errorf("%s has no Deployment argocd-repo-server", manifests)
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
