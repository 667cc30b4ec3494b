package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks731.md
var ks731Doc string

var removedConnection = &transform.Rule{
	ID:       "KS731",
	Name:     "removed-connection",
	Title:    "OpenShift AI wipes the model of a service that loses its connection",
	Doc:      ks731Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.LLMInferenceService},
	Example:  "0.20.0/removed",
	Severity: transform.Warning,
	Changed:  run(checkConnection),
}

// connectedFields are what the webhook wipes from a service without the connection that it had (performLLMISVCCleanup in
// internal/webhook/serving/v1alpha2/llminferenceservice_webhook.go, and performISVCCleanup in
// internal/webhook/serving/v1beta1/inferenceservice_webhook.go, of opendatahub-io/odh-model-controller@57b43aad).
var connectedFields = map[transform.GroupKind][]yamldoc.Path{
	kserve.LLMInferenceService: {llmModel.With("uri")},
	kserve.InferenceService: {
		{"spec", kserve.Predictor, "model", "storageUri"}, {"spec", kserve.Predictor, "model", "storage"},
	},
}

func checkConnection(p *pass) {
	if !connected(p.was(p.Object)) || connected(p.Object) {
		return
	}
	for _, at := range connectedFields[p.Object.GroupKind()] {
		if !p.Object.Get(at...).IsNull() {
			p.Report(transform.Report{At: at, Message: fmt.Sprintf("the first sync leaves the service without a model, because "+
				"the webhook of OpenShift AI wipes %s when the annotation %s goes: sync a second time, or write this field in a "+
				"later commit", at, kserve.ConnectionsAnnotation)})
		}
	}
}
