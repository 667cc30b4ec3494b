package rules

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// types returns the types of the pass's object on the releases in question.
func (p *pass) types() *schema.Types {
	return p.Schema.Types(p.Object.APIVersion, p.Object.Kind)
}

// rewriter names what reads the pass's object into a Go type and stores what the type writes. It is empty if a release
// in question that has the object's API version leaves the object as it is, or if none has that version.
func (p *pass) rewriter() string {
	kind := p.Object.GroupKind()
	if kind == kserve.InferenceService {
		return "KServe's webhook"
	}
	if p.allLLM(kserve.LLMRewritten[kind][p.Object.APIVersion]) {
		return "KServe"
	}
	return ""
}

// allLLM reports whether there are releases in question that have the API version of the pass's object, an LLM service
// or a Config, and whether all of them lie in a window.
func (p *pass) allLLM(w transform.Window) bool {
	versions := p.KServe.LLMVersions(p.Object)
	return versions.Any(w) && versions.All(w)
}

// outOfSync says what Argo CD makes of an object that KServe rewrites. Where only the controller rewrites an LLM
// service, a second sync ends that.
func (p *pass) outOfSync() string {
	if p.Object.GroupKind() == kserve.InferenceService {
		return "Argo CD shows OutOfSync permanently"
	}
	return "Argo CD shows OutOfSync"
}
