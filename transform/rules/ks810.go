package rules

import (
	_ "embed"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks810.md
var ks810Doc string

var refusedRouter = &transform.Rule{
	ID:       "KS810",
	Name:     "refused-router",
	Title:    "KServe refuses the router of an LLMInferenceService",
	Doc:      ks810Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/router",
	Severity: transform.Error,
	Run:      run(checkRouter),
}

// managedRouteAlone are the releases that refuse a Gateway of the user's for a route of KServe's. Later ones refuse it
// only for a route that names other Gateways (validateRouterCrossFieldConstraints in
// pkg/controller/v1alpha1/llmisvc/validation@v0.16.0, and in pkg/apis/serving/v1alpha1 and v1alpha2 at v0.17.0, v0.19.0
// and v0.20.0).
var managedRouteAlone = transform.Window{Before: transform.Release{0, 17, 0}}

// sectionsCompared are the releases that compare sectionName too. 0.17 has no such field in gateway.refs, and neither has
// OpenDataHub's fork at odh-v3.4 (parentRefsMatchGatewayRefs in pkg/apis/serving/v1alpha2 at v0.17.0 and v0.18.0).
var sectionsCompared = transform.Window{From: transform.Release{0, 18, 0}}

var routerPath = yamldoc.Path{"spec", "router"}

func checkRouter(p *pass) {
	checkScheduler(p)
	if p.KServe.LLMService(p.Object) != nil {
		checkRoute(p)
		checkTraffic(p)
	}
}

// checkRoute looks at the route and the Gateways.
func checkRoute(p *pass) {
	router := p.Object.Get(routerPath...)
	route, gateway := router.Get("route"), router.Get("gateway")
	http := routerPath.With("route", "http")
	refs, spec := len(route.Get("http", "refs").List()) > 0, !route.Get("http", "spec").IsNull()
	gateways := gateway.Get("refs")
	if refs && spec {
		p.refuse(refusal{at: http, advice: "keep one of refs and spec",
			words: "unsupported configuration: cannot use both custom HTTPRoute refs ... and an inline route spec"})
	}
	if refs && !gateway.IsNull() && len(gateways.List()) == 0 {
		p.refuse(refusal{at: http.With("refs"), advice: "remove gateway, or name the Gateways of the routes in gateway.refs",
			words: "unsupported configuration: custom HTTP routes ... cannot be used with a managed gateway"})
	}
	switch parents := route.Get("http", "spec", "parentRefs"); {
	case route.IsNull() || gateways.IsNull():
	case route.Get("http").IsNull():
		p.refuse(refusal{at: routerPath.With("gateway", "refs"), only: managedRouteAlone,
			words:  "unsupported configuration: custom gateway ... cannot be used with managed route",
			advice: "name your own routes in route.http.refs, remove gateway.refs, or upgrade to 0.17"})
	case !spec || len(gateways.List()) == 0:
	case len(parents.List()) == 0:
		p.refuse(refusal{at: http.With("spec"), only: managedRouteAlone,
			words:  "unsupported configuration: managed HTTP route spec ... cannot be used with custom gateway refs",
			advice: "remove gateway.refs or the spec, or upgrade to 0.17"})
	case p.Object.APIVersion == kserve.LLMOld:
		p.refuse(refusal{at: http.With("spec", "parentRefs"),
			words:  "unsupported configuration: managed HTTP route spec ... cannot be used with custom gateway refs",
			advice: "remove gateway.refs or parentRefs"})
	default:
		same := func(fields ...string) bool {
			return slices.Equal(gatewayKeys(parents, fields), gatewayKeys(gateways, fields))
		}
		conflict := refusal{at: http.With("spec", "parentRefs"), advice: "remove gateway.refs or parentRefs",
			words: "managed HTTP route spec ... has parentRefs that conflict with custom gateway refs"}
		if same("namespace", "name") {
			conflict.only = sectionsCompared
		}
		if !same("namespace", "name", "sectionName") {
			p.refuse(conflict)
		}
	}
}

// gatewayKeys returns the values of fields of references to Gateways, sorted.
func gatewayKeys(refs *yamldoc.Node, fields []string) (keys []string) {
	for _, ref := range refs.List() {
		key := ""
		for _, field := range fields {
			key += ref.Get(field).Str() + "/"
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// checkTraffic looks at the fields by which services share traffic (validateTrafficFields @v0.20.0).
func checkTraffic(p *pass) {
	at := routerPath.With("route")
	route := p.Object.Get(at...)
	group, weight := !route.Get("group").IsNull(), !route.Get("weight").IsNull()
	report := func(at yamldoc.Path, words, advice string) {
		p.refuse(refusal{at: at, only: since20, words: words, advice: advice})
	}
	switch {
	case !group && !weight:
	case !p.Object.Get(routerPath.With("ingress")...).IsNull():
		report(at, "traffic splitting requires Gateway API routing", "remove ingress, or group and weight")
	case !group:
		report(at.With("weight"), "weight requires group", "add group, or remove weight")
	case !weight:
		report(at.With("group"), "group requires weight", "add weight, or remove group")
	case len(route.Get("http", "refs").List()) > 0:
		report(at.With("group"), "traffic splitting cannot be used with custom HTTPRoute refs",
			"remove http.refs, or group and weight")
	}
}

// checkScheduler looks at the scheduler (validateSchedulerConfig @v0.17.0 to @v0.20.0). Of a Config, the webhook looks
// at the replicas only. 0.16 does not know these fields.
func checkScheduler(p *pass) {
	at := routerPath.With("scheduler")
	report := func(at yamldoc.Path, words, advice string) {
		p.refuse(refusal{at: at, only: kserve.LLM["v1alpha2"], words: words, advice: advice})
	}
	if n, given := p.Object.Get(at.With("replicas")...).Int(); given && n <= 0 {
		report(at.With("replicas"), "scheduler replicas must be greater than zero", "set 1 or more, or remove it")
	}
	at = at.With("config")
	config := p.Object.Get(at...)
	if config.IsNull() || p.KServe.LLMService(p.Object) == nil {
		return
	}
	inline, ref := config.Get("inline"), config.Get("ref")
	switch {
	case inline.IsNull() && ref.IsNull():
		report(at, "either inline or ref is required", "add one of them, or remove config")
	case !inline.IsNull() && !ref.IsNull():
		report(at, "both inline and ref are set, either specify inline or ref", "keep one of them")
	case !ref.IsNull() && ref.Get("name").Str() == "":
		report(at.With("ref", "name"), "name is empty", "name the ConfigMap")
	case isMapping(inline) && len(inline.Get().Entries) == 0:
		report(at.With("inline"), "inline configuration is invalid", "write the configuration, or remove config")
	}
}
