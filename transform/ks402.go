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
becomes the model volume; a container ` + "`modelcar`, `agent` or `storage-initializer`" + ` keeps the webhook from adding its own, so the
model, the log or the download is missing. Knative appends its ` + "`queue-proxy`" + ` without looking. Istio's webhook merges its sidecar
into a container of its names, which its documentation recommends for settings of the sidecar: advice, therefore.

The names are reported: only the author knows another that fits.`,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/issues/3900"},
	Kinds:    []string{"InferenceService", "ServingRuntime", "ClusterServingRuntime"},
	Example:  "unknown/names",
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
				if items := node.Get(list); items != nil {
					checkNames(p, items.Items, at.With(list), r.Names)
				}
			}
		}
	})
}

func checkNames(p *Pass, items []*yamldoc.Node, list yamldoc.Path, reserved []string) {
	for i, item := range items {
		name := item.Get("name").Str()
		if !slices.Contains(reserved, name) {
			continue
		}
		f := Finding{At: list.With(i, "name"), Message: fmt.Sprintf("KServe's webhook takes %s in %s for its own: choose another name", name, list)}
		switch {
		case strings.HasPrefix(name, "istio-"):
			f.Severity = Advice
			f.Message = fmt.Sprintf("Istio's webhook merges its sidecar into %s in %s: choose another name unless that is meant", name, list)
		case name == kserve.QueueProxy:
			f.Message = fmt.Sprintf("Knative adds a container %s of its own beside that in %s: choose another name", name, list)
		}
		p.Report(f)
	}
}
