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

//go:embed ks905.md
var ks905Doc string

// hasModelCache are the releases with LocalModelCache (pkg/apis/serving/v1alpha1/local_model_cache_types.go).
var hasModelCache = transform.Window{From: transform.Release{0, 14, 1}}

var localModelNodeGroup = transform.GroupKind{Group: kserve.Group, Kind: "LocalModelNodeGroup"}

var removedCache = &transform.Rule{
	ID:       "KS905",
	Name:     "removed-cache",
	Title:    "A LocalModelCache is deleted that a service uses, or its node group before it",
	Doc:      ks905Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/6154"},
	Windows:  []transform.Window{hasModelCache},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LocalModelCache, localModelNodeGroup},
	About:    []transform.GroupKind{kserve.LocalModelCache, kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "0.20.0/node-group",
	Severity: transform.Error,
	Removed: run(func(p *pass) {
		switch {
		case notPruned(p.Object):
		case p.Object.Kind == kserve.LocalModelCache.Kind:
			checkCacheInUse(p)
		default:
			checkRemovedNodeGroup(p)
		}
	}),
}

// checkCacheInUse does what ValidateDelete does (pkg/webhook/admission/localmodelcache at v0.14.1 to v0.20.0). KServe
// gives a service the label that it looks at if the model is below the cache's (MatchStorageURI in
// pkg/apis/serving/v1alpha1).
func checkCacheInUse(p *pass) {
	for _, service := range p.change().cached()[p.Object] {
		p.Report(transform.Report{Object: service, At: cachedAt(service), Message: fmt.Sprintf(
			"the sync fails, because this change deletes %s, which KServe refuses as long as the service has its model from "+
				"it: let the service take another model first, or keep the cache", p.Object)})
	}
}

// cachedAt returns the path of the model that a service may have from a cache.
func cachedAt(service *transform.Object) yamldoc.Path {
	if service.Kind == kserve.LLMInferenceService.Kind {
		return yamldoc.Path{"spec", "model", "uri"}
	}
	return yamldoc.Path{"spec", "predictor", "model", "storageUri"}
}

// disableCaches is an annotation on a service whose model is in no cache.
const disableCaches = "serving.kserve.io/disable-localmodel"

// findCached returns the services that have their model from each deleted cache. KServe gives a service one cache: of
// several that fit, it is the first.
func (p *pass) findCached() map[*transform.Object][]*transform.Object {
	deleted := map[string]*transform.Object{}
	order := map[*transform.Object]int{}
	for i, cache := range p.Previous.Objects(kserve.LocalModelCache) {
		uri := strings.TrimSuffix(cache.Get("spec", "sourceModelUri").Str(), "/")
		if uri != "" && deleted[uri] == nil && p.staying(cache) == nil && !notPruned(cache) {
			deleted[uri], order[cache] = cache, i
		}
	}
	cached := map[*transform.Object][]*transform.Object{}
	kinds := []transform.GroupKind{kserve.InferenceService}
	if p.Versions.All(kserve.LLMCached) {
		kinds = append(kinds, kserve.LLMInferenceService)
	}
	for _, service := range p.Snapshot.Objects(kinds...) {
		was := p.was(service)
		if was == nil || service.Get("metadata", "annotations", disableCaches) != nil {
			continue
		}
		var first *transform.Object
		uri := was.Get(cachedAt(was)...).Str() + "/"
		for i := range uri {
			if uri[i] != '/' {
				continue
			}
			if cache := deleted[uri[:i]]; cache != nil && (first == nil || order[cache] < order[first]) {
				first = cache
			}
		}
		if first != nil {
			cached[first] = append(cached[first], service)
		}
	}
	return cached
}

// checkRemovedNodeGroup looks at the caches of the node group, those that stay and those that are deleted too. Without
// one of its node groups, KServe gives up on a cache before it looks whether it is deleted (Reconcile in
// pkg/controller/v1alpha1/localmodel at v0.14.1 to v0.20.0).
func checkRemovedNodeGroup(p *pass) {
	for _, cache := range p.change().filling()[p.Object.Name] {
		f := transform.Report{Object: cache, At: nodeGroupsAt, Message: fmt.Sprintf(
			"KServe can neither fill the cache any more nor delete it, because this change deletes %s: keep the node group, "+
				"or delete the cache first", p.Object)}
		if p.staying(cache) == nil {
			f.Message = fmt.Sprintf("the cache may hang in deletion with KServe's finalizer, because this change deletes %s "+
				"too, which may go first: delete the cache in one commit, sync, and the node group in the next one", p.Object)
			if syncWave(cache) > syncWave(p.Object) {
				continue
			}
		}
		p.Report(f)
	}
}

var nodeGroupsAt = yamldoc.Path{"spec", "nodeGroups"}

// findFilling returns the caches of each node group: those of the previous render, as they are now if they stay.
func (p *pass) findFilling() map[string][]*transform.Object {
	filling := map[string][]*transform.Object{}
	for _, cache := range p.Previous.Objects(kserve.LocalModelCache) {
		if now := p.staying(cache); now != nil {
			cache = now
		}
		groups := cache.Get(nodeGroupsAt...).Strings()
		slices.Sort(groups)
		for _, group := range slices.Compact(groups) {
			filling[group] = append(filling[group], cache)
		}
	}
	return filling
}
