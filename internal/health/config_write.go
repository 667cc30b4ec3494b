package health

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// ConfigFormat is a format to install a Configuration in, or a part of it.
type ConfigFormat struct {
	Name  string
	Help  string
	Whole bool // all overrides are written
	Write func(io.Writer, Configuration) error
}

// ConfigFormats lists the formats, the default first. The format lua is for one kind.
func ConfigFormats(kind string) []ConfigFormat {
	return []ConfigFormat{
		{"argocd-cm", "patch for Argo CD's ConfigMap", true, argocdConfigMap},
		{"helm-values", "values for the chart argo-cd of argo-helm", true, helmValues},
		{"argocd-operator", "patch for the ArgoCD resource of argocd-operator", true, operatorResource},
		{"lua", "the health check of one kind", false, luaOf(kind)},
		{"inferenceservice-config", "part of KServe's ConfigMap that keeps Argo CD's annotations off the pods", false,
			kserveConfigMap},
	}
}

func luaOf(kind string) func(io.Writer, Configuration) error {
	return func(w io.Writer, c Configuration) error {
		var kinds []string
		for _, o := range c.of("health") {
			if o.Kind == kind {
				_, err := io.WriteString(w, o.Value)
				return err
			}
			kinds = append(kinds, o.Kind)
		}
		return fmt.Errorf("there is no health check for the kind %q in this KServe; the kinds are %s",
			kind, strings.Join(kinds, ", "))
	}
}

// argocdConfigMap writes a patch for the ConfigMap argocd-cm.
func argocdConfigMap(w io.Writer, c Configuration) error {
	_, err := io.WriteString(w, `# kubectl --namespace argocd patch configmap argocd-cm --type merge --patch-file FILE
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  labels:
    app.kubernetes.io/name: argocd-cm
    app.kubernetes.io/part-of: argocd
data:
`+keys(c, "  "))
	return err
}

// helmValues writes values for the chart argo-cd of argo-helm.
func helmValues(w io.Writer, c Configuration) error {
	_, err := io.WriteString(w, `# helm upgrade argocd argo/argo-cd --namespace argocd --reuse-values --values FILE
configs:
  cm:
`+keys(c, "    "))
	return err
}

func keys(c Configuration, margin string) string {
	var b strings.Builder
	for _, o := range c.Overrides {
		fmt.Fprintf(&b, "%s%s: |\n%s", margin, o.Key(), indent(o.Value, margin+"  "))
	}
	return b.String()
}

// operatorResource writes a patch for the ArgoCD resource of argocd-operator. It has no field for
// knownTypeFields, so those go to extraConfig, which the operator copies into argocd-cm.
func operatorResource(w io.Writer, c Configuration) error {
	sections := []struct{ kind, field, header, value string }{
		{"health", "resourceHealthChecks", "", "check: |"},
		{"actions", "resourceActions", "", "action: |"},
		{"ignoreDifferences", "resourceIgnoreDifferences", "    resourceIdentifiers:\n", "customization:"},
	}
	var b strings.Builder
	b.WriteString(`# kubectl --namespace argocd patch argocds.argoproj.io NAME --type merge --patch-file FILE
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
spec:
`)
	for _, section := range sections {
		list := c.of(section.kind)
		if len(list) == 0 {
			continue
		}
		margin := "  "
		if section.header != "" {
			margin = "    "
		}
		fmt.Fprintf(&b, "  %s:\n%s", section.field, section.header)
		for _, o := range list {
			fmt.Fprintf(&b, "%s- group: %s\n%s  kind: %s\n%s  %s\n%s",
				margin, group, margin, o.Kind, margin, section.value, indent(o.Value, margin+"    "))
		}
	}
	if list := c.of("knownTypeFields"); len(list) > 0 {
		b.WriteString("  extraConfig:\n" + keys(Configuration{Overrides: list}, "    "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Configuration) of(kind string) []Override {
	var list []Override
	for _, o := range c.Overrides {
		if o.Type == kind {
			list = append(list, o)
		}
	}
	return list
}

// metadataOfArgoCD are the annotations of Argo CD and of this plugin that pods have no use for.
var metadataOfArgoCD = []string{
	"argocd.argoproj.io/tracking-id",
	"argocd.argoproj.io/installation-id",
	"argocd.argoproj.io/sync-wave",
	"argocd.argoproj.io/sync-options",
	"argocd.argoproj.io/compare-options",
	"argocd.argoproj.io/hook",
	"argocd.argoproj.io/hook-delete-policy",
	"argocd.argoproj.io/ignore-healthcheck",
	"argocd-kserve-plugin/health-conditions",
	"argocd-kserve-plugin/progress-deadline-seconds",
	"argocd-kserve-plugin/ignore",
}

// kserveConfigMap writes the part of KServe's ConfigMap that keeps annotations off the pods. KServe adds the list to
// its own one. It is an error if the release of KServe has no such list.
func kserveConfigMap(w io.Writer, c Configuration) error {
	if !c.versions.Any(sinceDisallowedList) {
		return fmt.Errorf("this KServe copies every annotation to the pods: serviceAnnotationDisallowedList exists in %s",
			sinceDisallowedList)
	}
	disallowed := map[string][]string{"serviceAnnotationDisallowedList": metadataOfArgoCD}
	list, err := json.MarshalIndent(disallowed, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `# For the ConfigMap inferenceservice-config in KServe's namespace. Merge the list into the
# JSON that is already under inferenceService. Changing it restarts, once, the pods of every service that
# has one of these annotations; if the list is in place first, adding them restarts nothing.
apiVersion: v1
kind: ConfigMap
metadata:
  name: inferenceservice-config
data:
  inferenceService: |
%s`, indent(string(list)+"\n", "    "))
	return err
}
