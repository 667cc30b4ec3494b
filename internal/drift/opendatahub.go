package drift

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// openDataHub finds the fields of a service that the webhooks of OpenShift AI may overwrite. What they add beside them,
// no comparison shows (internal/webhook/serving of opendatahub-io/odh-model-controller@57b43aad and, before 3.5, of
// opendatahub-io/opendatahub-operator@v3.4.0; docs/openshift-ai.md).
var openDataHub = &transform.Rule{
	ID:       "DRIFT2",
	Name:     "opendatahub",
	Title:    "A hardware profile or a connection overwrites fields",
	Doc:      "A hardware profile or a connection overwrites fields.",
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "none",
	Severity: transform.Advice,
	Run:      findOverwritten,
}

func findOverwritten(p *transform.Pass) {
	pod := yamldoc.Path{"spec", kserve.Predictor}
	models := []yamldoc.Path{pod.With("model", "storageUri"), pod.With("model", "storage", "key")}
	if p.Object.GroupKind() == kserve.LLMInferenceService {
		pod, models = yamldoc.Path{"spec", "template"}, []yamldoc.Path{{"spec", "model", "uri"}}
	}
	report := func(at yamldoc.Path, message, left string) {
		if node := p.Object.Get(at...); !node.IsNull() && (node.Get().Kind != yamldoc.Sequence || len(node.List()) > 0) {
			p.Report(transform.Report{At: at, AsStored: true, Message: message, Unrepaired: left})
		}
	}
	if p.Object.Annotation(kserve.HardwareProfileAnnotation) != "" {
		const message, left = "the hardware profile may overwrite this field",
			"the hardware profile may overwrite it, so leave it out of Git"
		report(pod.With("tolerations"), message, left)
		for key := range p.Object.Get(pod.With("nodeSelector")...).Children() {
			report(pod.With("nodeSelector", key), message, left)
		}
		report(yamldoc.Path{"metadata", "labels", kserve.QueueLabel}, message, left)
	}
	if connection := p.Object.Annotation(kserve.ConnectionsAnnotation); connection != "" {
		const message = "the connection may overwrite this field"
		for _, at := range models {
			if p.Object.Get(at...).Str() != connection { // as the key of its Secret
				report(at, message, "the connection overwrites it when it is new or changes, so leave it out of Git")
			}
		}
		secrets := pod.With("imagePullSecrets")
		if !slices.ContainsFunc(p.Object.Get(secrets...).List(), func(s *yamldoc.Node) bool {
			return s.Get("name").Str() == connection
		}) {
			report(secrets, message, "a connection with OCI adds its Secret when it is new, and the next sync takes it away: "+
				"write the Secret into the list")
		}
	}
}
