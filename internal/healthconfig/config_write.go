package healthconfig

import (
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
		{"argocd-operator", "patch for the ArgoCD resource of argocd-operator and OpenShift GitOps", true, operatorResource},
		{"lua", "the health check of one kind", false, luaOf(kind)},
		{"inferenceservice-config", "list for KServe's ConfigMap that keeps Argo CD's annotations off the pods", false,
			kserveConfigMap},
	}
}

// Keys returns the overrides as entries of argocd-cm, with a margin before every line.
func (c Configuration) Keys(margin string) string {
	var b strings.Builder
	for _, o := range c.Overrides {
		fmt.Fprintf(&b, "%s%s: |\n%s", margin, o.Key(), indent(o.Value, margin+"  "))
	}
	return b.String()
}

// of returns the overrides of a type.
func (c Configuration) of(wanted string) []Override {
	var list []Override
	for _, o := range c.Overrides {
		if o.Type == wanted {
			list = append(list, o)
		}
	}
	return list
}
