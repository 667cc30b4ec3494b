package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var reservedNames = &Rule{
	ID:    "KS402",
	Name:  "reserved-names",
	Title: "A container or volume bears a name that a webhook uses for its own",
	Doc: `KServe's pod webhook recognises what it has injected by name alone. A user's volume ` + "`kserve-provision-location`" + ` silently
becomes the model volume, a container ` + "`modelcar`" + ` suppresses the model's sidecar, and an ` + "`agent`" + ` is refused as a duplicate.
Istio's webhook treats its own names likewise.

The names are reported: only the author knows another that fits.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/issues/3900"},
	Kinds:    []string{"InferenceService", "ServingRuntime", "ClusterServingRuntime"},
	Severity: Error,
	Run:      checkReserved,
}

func checkReserved(p *Pass) {
	spec := p.Object.Get("spec")
	if spec == nil {
		return
	}
	walk(spec, yamldoc.Path{"spec"}, func(node *yamldoc.Node, at yamldoc.Path) {
		for _, r := range kserve.WebhookNames {
			for _, list := range r.Lists {
				checkNames(p, node.Get(list), at.With(list), r.Names)
			}
		}
	})
}

func checkNames(p *Pass, list *yamldoc.Node, at yamldoc.Path, reserved []string) {
	if list == nil || list.Kind != yamldoc.Sequence {
		return
	}
	for i, item := range list.Items {
		name := item.Get("name").Str()
		if !slices.Contains(reserved, name) {
			continue
		}
		f := Finding{At: at.With(i, "name"), Message: fmt.Sprintf("KServe's webhook takes %s %s for its own: give it another name", at[len(at)-1], name)}
		if strings.HasPrefix(name, "istio-") {
			f.Severity = Warning
			f.Message = fmt.Sprintf("Istio's webhook merges its sidecar into %s %s: is that meant?", at[len(at)-1], name)
		}
		p.Report(f)
	}
}
