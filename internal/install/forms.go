package install

import (
	"fmt"
	"io"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/healthconfig"
)

// Form is a way to install the sidecar.
type Form struct {
	Name string
	Help string

	sidecar part // with places for the containers and the volumes
	user    bool // whether the container has its user, rather than the one that the platform chooses
	checks  part // with a place for the health checks
}

// part is a part of a file. What goes into its places has the margin before every line.
type part struct{ text, margin string }

// Forms lists the forms, the default first.
var Forms = []Form{
	{
		Name: "kustomize", Help: "Component for Argo CD's own manifests",
		sidecar: part{kustomizeSidecar, "              "}, user: true, checks: part{kustomizeChecks, "        "},
	},
	{
		Name: "helm-values", Help: "values for the chart argo-cd of argo-helm",
		sidecar: part{helmSidecar, "    "}, user: true, checks: part{"configs:\n  cm:\n%s", "    "},
	},
	{
		Name: "operator", Help: "ArgoCD resource for argocd-operator and OpenShift GitOps",
		sidecar: part{operatorSidecar, "      "}, checks: part{"  extraConfig:\n%s", "    "},
	},
}

// Write writes the sidecar and, unless it is nil, the configuration with the health checks.
func (f Form) Write(w io.Writer, o Options, checks *healthconfig.Configuration) error {
	container, err := o.container(f.user)
	if err != nil {
		return err
	}
	volumes, err := o.volumes()
	if err != nil {
		return err
	}
	margin := f.sidecar.margin
	_, err = fmt.Fprintf(w, f.sidecar.text, indent(container.Bytes(), margin), indent(volumes.Bytes(), margin))
	if err != nil || checks == nil {
		return err
	}
	_, err = fmt.Fprintf(w, f.checks.text, checks.Keys(f.checks.margin))
	return err
}

// indent puts the margin before every line of a definition, which has no blank ones.
func indent(definition []byte, margin string) string {
	text := strings.TrimSuffix(string(definition), "\n")
	return margin + strings.ReplaceAll(text, "\n", "\n"+margin) + "\n"
}

const kustomizeSidecar = `# Adds the sidecar argocd-kserve-plugin to the manifests of Argo CD 2.14 to 3.5.
# Name the folder with this file under components in your kustomization.
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
%s`

const kustomizeChecks = `  - target: {kind: ConfigMap, name: argocd-cm}
    patch: |
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: argocd-cm
      data:
%s`

const helmSidecar = `# Values for the chart argo-cd of argo-helm that add the sidecar to Argo CD 2.14 to 3.5.
# Helm replaces lists: add extra containers and volumes of your own to these.
repoServer:
  # No token of the service account in the pod, as in Argo CD's own manifests.
  automountServiceAccountToken: false
  # Only Argo CD's own components may connect to the pod, as in Argo CD's own manifests.
  networkPolicy:
    create: true
  extraContainers:
%s  volumes:
%s`

const operatorSidecar = `# Part of the ArgoCD resource of argocd-operator and OpenShift GitOps, with the sidecar.
# A merge patch replaces lists: add sidecars and volumes of your own to these. There is no runAsUser: OpenShift assigns
# one user to all containers of the namespace, and elsewhere the image's user is the repo-server's.
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata:
  name: argocd
spec:
  repo:
    sidecarContainers:
%s    volumes:
%s`
