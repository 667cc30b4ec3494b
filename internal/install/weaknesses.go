package install

import (
	"fmt"
	"path/filepath"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/settings"
)

// weakness makes a sidecar that works less safe than the one that install prints.
type weakness struct {
	field   string
	found   bool
	message string
}

// weaknesses looks for what gives the sidecar more than it needs. What other containers of the pod get is not its
// business, and a single variable may be from a Secret, as argocd-cmp-server's ARGOCD_CMP_SERVER_OTLP_HEADERS.
//
// The pod gets no token of its service account in Argo CD's own manifests
// (manifests/base/repo-server/argocd-repo-server-deployment.yaml@v2.14.21 and @v3.5.7) and from argocd-operator, unless
// mountsatoken is set (controllers/argocd/repo_server.go@v0.18.0). In the chart it does by default. The Deployment does
// not show what the ServiceAccount says.
func (c *comparison) weaknesses(sidecar *container) {
	elsewhere := func(setting string) bool { return sidecar.variable(settings.Variable(setting)).ValueFrom != nil }
	list := []weakness{
		{"automountServiceAccountToken", c.pod.AutomountServiceAccountToken,
			"the sidecar can read the token of the pod's service account: set false"},
		{"hostNetwork", c.pod.HostNetwork, "the sidecar has the network of the node: set false"},
		{"hostPID", c.pod.HostPID, "the sidecar sees the processes of the node: set false"},
		{"hostIPC", c.pod.HostIPC, "the sidecar shares the memory of processes of the node: set false"},
		{"shareProcessNamespace", c.pod.ShareProcessNamespace,
			"the sidecar can read the files and variables of the other containers: set false"},
		{"securityContext.privileged", fmt.Sprint(sidecar.SecurityContext["privileged"]) == "true",
			"the sidecar can do what root can on the node: set false"},
		{"env." + settings.Variable("root"), elsewhere("root"),
			"its value is from elsewhere, so a run may read outside the copied repository; install sets found"},
		{"env." + settings.Variable("allow-empty"), elsewhere("allow-empty"),
			"its value is from elsewhere, so Argo CD may prune everything where there are no objects; install sets false"},
	}
	for _, from := range sidecar.EnvFrom {
		list = append(list, weakness{"envFrom", from.SecretRef != nil,
			"all values of a Secret are variables of the sidecar: remove it"})
	}
	for _, mount := range sidecar.VolumeMounts {
		v := c.pod.volume(mount.Name)
		list = append(list,
			weakness{"volumeMounts", v.isSecret(),
				fmt.Sprintf("the sidecar can read what is secret in the volume %s: remove the mount", mount.Name)},
			weakness{"volumeMounts", v.HostPath.Path != "",
				fmt.Sprintf("the sidecar has %s of the node, in the volume %s: remove the mount", v.HostPath.Path, mount.Name)})
	}
	if c.set != nil {
		list = append(list,
			weakness{"env." + settings.Variable("root"), c.set.Root != "" && !filepath.IsLocal(c.set.Root),
				fmt.Sprintf("it is %s, so a run may read outside the copied repository; install sets found", c.set.Root)},
			weakness{"env." + settings.Variable("allow-empty"), c.set.AllowEmpty,
				"it is true, so Argo CD prunes everything where there are no objects; install sets false"})
	}
	for _, w := range list {
		if w.found {
			c.add(Wrong, w.field, "%s", w.message)
		}
	}
}
