package rules

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks402.md
var ks402Doc string

var reservedNames = &transform.Rule{
	ID:       "KS402",
	Name:     "reserved-names",
	Title:    "A container or volume has a name that a webhook uses itself",
	Doc:      ks402Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/3506", "https://github.com/kserve/kserve/issues/3900"},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.ServingRuntime, kserve.ClusterServingRuntime},
	Example:  "unknown/names",
	Severity: transform.Error,
	Run:      run(checkReserved),
}

func checkReserved(p *pass) {
	p.walkSpec(func(at *yamldoc.Trail, node *yamldoc.Node) {
		for _, r := range kserve.WebhookNames {
			for _, list := range r.Lists {
				for i, item := range node.Get(list).List() {
					if name := item.Get("name").Str(); slices.Contains(r.Names, name) {
						reportReserved(p, at.Path().With(list), i, name)
					}
				}
			}
		}
	})
}

func reportReserved(p *pass, list yamldoc.Path, i int, name string) {
	f := transform.Finding{At: list.With(i, "name"),
		Message: fmt.Sprintf("KServe's webhook treats %s in %s as its own: choose another name", name, list)}
	switch {
	case strings.HasPrefix(name, "istio-"):
		f.Severity = transform.Advice
		f.Message = fmt.Sprintf("Istio's webhook merges its sidecar into %s in %s: "+
			"choose another name unless you want that", name, list)
	case name == kserve.QueueProxy:
		f.Message = fmt.Sprintf("Knative adds its own container %s beside the one in %s: choose another name", name, list)
	}
	p.Report(f)
}
