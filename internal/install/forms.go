package install

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/health"
)

// Form is a way to install the sidecar.
type Form struct {
	Name string
	Help string
	// Write writes the sidecar and, unless it is nil, the configuration with the health checks.
	Write func(io.Writer, Options, *health.Configuration) error
}

// Forms lists the forms, the default first.
var Forms = []Form{
	{"kustomize", "Component for Argo CD's own manifests", writeKustomize},
	{"helm-values", "values for the chart argo-cd of argo-helm", writeHelmValues},
	{"operator", "ArgoCD resource for argocd-operator and OpenShift GitOps", writeOperator},
}

// lists are the text of the definition, with a margin that fits the place in the form.
type lists struct{ containers, volumes string }

func (o Options) lists(user bool, margin string) (lists, error) {
	container, err := o.container(user)
	if err != nil {
		return lists{}, err
	}
	return lists{indent(string(container.Bytes()), margin), indent(string(volumesYAML), margin)}, nil
}

// indent puts the margin before every line of the definition, which has no blank ones.
func indent(text, margin string) string {
	return margin + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+margin) + "\n"
}

func writeKustomize(w io.Writer, o Options, checks *health.Configuration) error {
	l, err := o.lists(true, "              ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `# Adds the sidecar argocd-kserve-plugin to the manifests of Argo CD 2.14 to 3.5. Name the folder with this file under
# components in your kustomization.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target: {group: apps, kind: Deployment, name: argocd-repo-server}
    patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata:
        name: argocd-repo-server
      spec:
        template:
          metadata:
            annotations:
              # kustomize puts the sidecar first, and kubectl logs and exec would choose it by default.
              kubectl.kubernetes.io/default-container: argocd-repo-server
          spec:
            # A Service called argocd-kserve-plugin would else add variables that look like settings.
            enableServiceLinks: false
            containers:
%s            volumes:
%s`, l.containers, l.volumes)
	if err != nil || checks == nil {
		return err
	}
	_, err = fmt.Fprintf(w, `  - target: {kind: ConfigMap, name: argocd-cm}
    patch: |
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: argocd-cm
      data:
%s`, checks.Keys("        "))
	return err
}

func writeHelmValues(w io.Writer, o Options, checks *health.Configuration) error {
	l, err := o.lists(true, "    ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `# Values for the chart argo-cd of argo-helm that add the sidecar argocd-kserve-plugin to Argo CD 2.14 to 3.5. Helm
# replaces lists: add extra containers and volumes of your own to these.
repoServer:
  # Only Argo CD's own components may connect to the pod, as in Argo CD's own manifests.
  networkPolicy:
    create: true
  extraContainers:
%s  volumes:
%s`, l.containers, l.volumes)
	if err != nil || checks == nil {
		return err
	}
	_, err = fmt.Fprintf(w, "configs:\n  cm:\n%s", checks.Keys("    "))
	return err
}

func writeOperator(w io.Writer, o Options, checks *health.Configuration) error {
	l, err := o.lists(false, "      ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `# Part of the ArgoCD resource of argocd-operator and OpenShift GitOps that adds the sidecar argocd-kserve-plugin. Add
# sidecars and volumes of your own to these. There is no runAsUser: OpenShift assigns one user to all containers of the
# namespace, and elsewhere the image's user is the repo-server's.
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata:
  name: argocd
spec:
  repo:
    sidecarContainers:
%s    volumes:
%s`, l.containers, l.volumes)
	if err != nil || checks == nil {
		return err
	}
	_, err = fmt.Fprintf(w, "  extraConfig:\n%s", checks.Keys("    "))
	return err
}
