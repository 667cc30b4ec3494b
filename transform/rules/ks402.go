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
					name := item.Get("name").Str()
					if path := at.Path(); slices.Contains(r.Names, name) && p.mayInject(path, name) {
						reportReserved(p, path.With(list), i, name)
					}
				}
			}
		}
	})
}

// mayInject reports whether a webhook may add something with the name to the pod at a path. KServe's adds its agent and
// what loads a model only where a component asks for them; for a runtime, that depends on the services
// (storage_initializer_injector.go and agent_injector.go in pkg/webhook/admission/pod, v0.11.2 to v0.20.0).
func (p *pass) mayInject(pod yamldoc.Path, name string) bool {
	s, component := p.KServe.Service(p.Object), ""
	if len(pod) > 1 {
		component, _ = pod[1].(string)
	}
	switch {
	case s == nil || !slices.Contains(s.Components(), component):
		return true
	case name == kserve.AgentContainer:
		return p.KServe.Agent(s, component) != kserve.NoAgent
	case slices.Contains(kserve.StorageNames, name):
		return p.KServe.LoadsModel(s, component)
	}
	return true
}

func reportReserved(p *pass, list yamldoc.Path, i int, name string) {
	f := transform.Report{At: list.With(i, "name"),
		Message: fmt.Sprintf("the pods lack what KServe's webhook would add as %s, because it takes the one in %s for its "+
			"own: choose another name", name, list)}
	switch {
	case strings.HasPrefix(name, "istio-"):
		f.Severity = transform.Advice
		f.Message = fmt.Sprintf("the container gets other settings, because Istio's webhook merges its own %s into the one "+
			"in %s: choose another name unless you want that", name, list)
	case name == kserve.QueueProxy:
		f.Message = fmt.Sprintf("the pods are refused, because Knative adds its own container %s beside the one in %s: "+
			"choose another name", name, list)
	}
	p.Report(f)
}
