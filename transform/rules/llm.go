package rules

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// llmParts are the fields of an LLMInferenceService that each describe a Deployment or LeaderWorkerSet.
var llmParts = []yamldoc.Path{{"spec"}, {"spec", kserve.Prefill}}

// llmRestarted returns the services of the render whose pods start anew when a pod template of the pass's object changes:
// an LLMInferenceService itself, and those that name a Config in their baseRefs.
func (p *pass) llmRestarted() (services []*transform.Object) {
	for _, s := range p.LLMUsers(p.Object) {
		services = append(services, s.Object)
	}
	return services
}
