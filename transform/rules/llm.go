package rules

import (
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// llmParts are the fields of an LLMInferenceService that each describe a Deployment or LeaderWorkerSet.
var llmParts = []yamldoc.Path{{"spec"}, {"spec", kserve.Prefill}}

// llmModel is the field of an LLM service that describes its model.
var llmModel = yamldoc.Path{"spec", "model"}

// configShared is why a Config in KServe's own namespace stays.
const configShared = "other apps may use the Config"

// isPlatformConfig reports whether an object is a Config in KServe's own namespace, which services of all namespaces
// may name in their baseRefs.
func isPlatformConfig(o *transform.Object) bool {
	return o.GroupKind() == kserve.LLMInferenceServiceConfig && slices.Contains(kserve.Namespaces, o.Namespace)
}

// llmRestarted returns the services of the render whose pods start anew when a pod template of the pass's object
// changes: an LLMInferenceService itself, and those that name a Config in their baseRefs.
func (p *pass) llmRestarted() (services []*transform.Object) {
	for _, s := range p.KServe.LLMUsers(p.Object) {
		services = append(services, s.Object)
	}
	return services
}

// containerIn returns the container with the name in a list of one object's pod template, and its path. Both are nil if
// there is none.
func containerIn(o *transform.Object, pod kserve.LLMPod, list, name string) (*yamldoc.Node, yamldoc.Path) {
	at := yamldoc.Path{"spec"}.With(pod.Path...).With(list)
	for i, c := range o.Get(at...).List() {
		if c.Get("name").Str() == name {
			return c, at.With(i)
		}
	}
	return nil, nil
}

// ownPlace returns the place of a value in the pass's object, which is a service. If the value comes from a Config, it is
// that of the reference to it, and from says which.
func (p *pass) ownPlace(layer *transform.Object, at yamldoc.Path) (own yamldoc.Path, from string) {
	if layer == p.Object {
		return at, ""
	}
	return yamldoc.Path{"spec", "baseRefs"}, fmt.Sprintf(" (%s)", layer)
}

// connected reports whether a service has a connection of OpenShift AI, whose webhook writes model.uri
// (performLLMISVCInjection in internal/webhook/serving/v1alpha2/llminferenceservice_webhook.go of
// opendatahub-io/odh-model-controller@57b43aad).
func connected(service *transform.Object) bool {
	return service.Annotation(kserve.ConnectionsAnnotation) != ""
}

// adapters returns the paths of the LoRA adapters, which are described like the model (LLMModelSpec in
// pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.20.0).
func (p *pass) adapters() (paths []yamldoc.Path) {
	list := llmModel.With("lora", "adapters")
	for i := range p.Object.Get(list...).List() {
		paths = append(paths, list.With(i))
	}
	return paths
}

// ConcernsLLM reports whether a rule concerns LLMInferenceServices: it looks at them or at their Configs, or at objects
// for them.
func ConcernsLLM(r *transform.Rule) bool {
	kinds := r.About
	if kinds == nil {
		kinds = r.Kinds
	}
	return r == NotRepaired || slices.ContainsFunc(kinds, func(k transform.GroupKind) bool {
		return k.Group == kserve.Group && (k.Kind == transform.AnyKind || slices.Contains(model.LLMKinds, k))
	})
}
