package rules

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/schema"
)

// types returns those of the pass's object on the releases in question.
func (p *pass) types() *schema.Types {
	return p.kinds.Types(p.Object.APIVersion, p.Object.Kind)
}

// defaulted reports whether a mutating webhook decodes and encodes the pass's object on every release in question.
func (p *pass) defaulted() bool {
	return p.Object.Kind == kserve.InferenceService.Kind || p.Versions.All(kserve.DefaultsLLMInferenceServices)
}
