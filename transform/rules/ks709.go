package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks709.md
var ks709Doc string

var fixedCache = &transform.Rule{
	ID:       "KS709",
	Name:     "fixed-cache",
	Title:    "The model of a LocalModelCache can't change",
	Doc:      ks709Doc,
	Windows:  []transform.Window{hasModelCache},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LocalModelCache, localModelNamespaceCache},
	Example:  "0.20.0/model",
	Severity: transform.Error,
	Changed:  changing(checkFixedCache),
}

var localModelNamespaceCache = transform.GroupKind{Group: kserve.Group, Kind: "LocalModelNamespaceCache"}

// checkFixedCache does what the definitions of both kinds do (XValidation in local_model_cache_types.go@v0.14.1 to
// @v0.20.0, and in local_model_namespace_cache_types.go@v0.19.0 and @v0.20.0).
func checkFixedCache(p *pass) {
	at := yamldoc.Path{"spec", "sourceModelUri"}
	from, to := p.was(p.Object).Get(at...).Str(), p.Object.Get(at...).Str()
	if from == to || isPlaceholder(from) || isPlaceholder(to) {
		return
	}
	p.Report(transform.Report{At: at, Message: "the sync of this cache fails until the URI is " + from + " again, because " +
		"the API server refuses to change it (StorageUri is immutable): add another cache for the new model, and delete " +
		"this one when no service uses it"})
}
