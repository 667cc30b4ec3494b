package rules

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks725.md
var ks725Doc string

var missingGateway = &transform.Rule{
	ID:       "KS725",
	Name:     "missing-gateway",
	Title:    "KServe does not find a Gateway or HTTPRoute of an LLMInferenceService",
	Doc:      ks725Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "unknown/namespace",
	Severity: transform.Warning,
	Run:      run(checkGateways),
}

// checkGateways looks for what validateRouterReferences looks for, and leaves to people what the cluster may have
// (router_validation.go of pkg/controller/v1alpha1/llmisvc@v0.16.0 and pkg/controller/v1alpha2/llmisvc@v0.17.0 to
// @v0.20.0).
func checkGateways(p *pass) {
	s := p.KServe.LLMService(p.Object)
	if len(p.KServe.LLMVersions(p.Object).Releases()) == 0 || s.Namespace == "" || p.stopped(p.Object) {
		return
	}
	for _, list := range routed {
		_, layer := s.Value(list.at...)
		if layer == nil {
			continue
		}
		for _, r := range routerReferences(layer, list) {
			if r.name == "" || isPlaceholder(r.name+r.namespace) || p.known(r) || len(p.renamed(r)) > 0 || len(p.similar(r)) > 0 {
				continue // KS507 has those that kustomize renamed
			}
			p.reportRouter(layer, r, list.condition)
		}
	}
}

// reportRouter reports a reference whose object the render has in another namespace or by a similar name.
func (p *pass) reportRouter(layer *transform.Object, r reference, condition string) {
	namespace, kind := cmp.Or(r.namespace, p.Object.Namespace), r.kinds[0]
	at, from := p.ownPlace(layer, r.at)
	f := transform.Report{At: at, Category: r.at.String()}
	routers := p.index.routers()
	advice := ""
	if elsewhere := routers[routerPlace{kind, ""}].named[r.name]; elsewhere != nil {
		advice = "these manifests have it in " + elsewhere.Namespace + ": "
		if kind == gateway {
			advice += "set namespace to that"
		} else {
			advice += "KServe looks in the service's namespace alone, so move it"
		}
		if r.namespace != "" {
			f.Severity = transform.Advice
		}
	} else if similar := routers[routerPlace{kind, namespace}].similar(r.name, nil); similar != nil {
		advice = "did you mean " + similar.Name + "?"
	}
	if advice != "" {
		f.Message = fmt.Sprintf("the service never gets ready (%s is False) unless the cluster has the %s %s in %s%s; %s",
			condition, kind.Kind, r.name, namespace, from, advice)
		p.Report(f)
	}
}

// routerPlace is a kind in a namespace, or in all if that is "".
type routerPlace struct {
	kind      transform.GroupKind
	namespace string
}

// findRouters returns what may route requests, by its place. What has no namespace yet may be in any, and is left out.
func findRouters(all map[referable]*transform.Object) map[routerPlace]names {
	placed := map[string]*transform.Object{}
	for at, o := range all {
		if at.namespace != "" && (at.kind == gateway || at.kind == kserve.HTTPRoute) {
			placed[strings.Join([]string{o.Kind, o.Name, o.Namespace}, " ")] = o
		}
	}
	objects := map[routerPlace][]*transform.Object{}
	for _, key := range slices.Sorted(maps.Keys(placed)) {
		o := placed[key]
		for _, at := range []routerPlace{{o.GroupKind(), o.Namespace}, {o.GroupKind(), ""}} {
			objects[at] = append(objects[at], o)
		}
	}
	found := map[routerPlace]names{}
	for at, list := range objects {
		found[at] = findNames(list)
	}
	return found
}
