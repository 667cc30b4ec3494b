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

// checkCacheInUse stands for ValidateDelete (pkg/webhook/admission/localmodelcache at v0.14.1 to v0.20.0). KServe gives
// a service the label that it looks at if the model is below the cache's (MatchStorageURI in
// pkg/apis/serving/v1alpha1).
func checkCacheInUse(p *pass) {
	cached := strings.TrimSuffix(p.Object.Get("spec", "sourceModelUri").Str(), "/")
	at := yamldoc.Path{"spec", "predictor", "model", "storageUri"}
	for _, s := range p.Services() {
		was := p.Previous.Object(s.GroupKind(), s.Namespace, s.Name)
		disabled := s.Get("metadata", "annotations", "serving.kserve.io/disable-localmodel") != nil
		if was == nil || disabled || cached == "" || !strings.HasPrefix(was.Get(at...).Str()+"/", cached+"/") {
			continue
		}
		p.Report(transform.Finding{Object: s.Object, At: at, Message: fmt.Sprintf(
			"this change deletes %s, from which the service has its model: KServe refuses that as long as the service "+
				"is there, so the sync fails; let the service take another model first, or keep the cache", p.Object)})
	}
}

// checkRemovedNodeGroup looks at the caches of the node group, those that stay and those that are deleted too. Without
// one of its node groups, KServe gives up on a cache before it looks whether it is deleted (Reconcile in
// pkg/controller/v1alpha1/localmodel at v0.14.1 to v0.20.0).
func checkRemovedNodeGroup(p *pass) {
	for _, cache := range p.Previous.Objects(kserve.LocalModelCache) {
		f := transform.Finding{Object: p.staying(cache), At: yamldoc.Path{"spec", "nodeGroups"}, Message: fmt.Sprintf(
			"this change deletes %s, without which KServe can neither fill the cache nor delete it", p.Object)}
		if f.Object == nil {
			f.Object = cache
			f.Message = fmt.Sprintf("deleted together with %s: if the node group goes first, the cache hangs in deletion "+
				"with KServe's finalizer; delete the cache in one commit, sync, and the node group in the next one", p.Object)
			if syncWave(cache) > syncWave(p.Object) {
				continue
			}
		}
		if slices.Contains(f.Object.Get(f.At...).Strings(), p.Object.Name) {
			p.Report(f)
		}
	}
}
