package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks729.md
var ks729Doc string

var fixedModelName = &transform.Rule{
	ID:       "KS729",
	Name:     "fixed-model-name",
	Title:    "The name of the model of an LLMInferenceService can't change",
	Doc:      ks729Doc,
	Windows:  []transform.Window{inferenceModels},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.16.0/name",
	Severity: transform.Error,
	Changed:  changing(checkFixedModelName),
}

// inferenceModels are the releases that make an InferenceModel for the scheduler of a service
// (reconcileSchedulerInferenceModel in scheduler.go of pkg/controller/v1alpha1/llmisvc@v0.16.0). The definition of the
// kind wants modelName to stay (InferenceModelSpec in api/v1alpha2/inferencemodel_types.go of
// sigs.k8s.io/gateway-api-inference-extension@v0.3.0).
var inferenceModels = transform.Window{From: kserve.LLM["v1alpha1"].From, Before: kserve.LLM["v1alpha2"].From}

func checkFixedModelName(p *pass) {
	s, was := p.KServe.LLMService(p.Object), p.Before.LLMService(p.was(p.Object))
	versions := p.KServe.LLMVersions(p.Object)
	from, wasKnown := scheduledName(was)
	to, known := scheduledName(s)
	if from == to || !wasKnown || !known || !versions.Any(inferenceModels) {
		return
	}
	at := llmModel
	own := ""
	if _, layer := s.Value(llmModel.With("name")...); layer != nil {
		at, own = p.ownPlace(layer, llmModel.With("name"))
	}
	f := transform.Report{At: at, Message: fmt.Sprintf("the service stays unready, and its scheduler knows the model by its "+
		"old name alone%s, because KServe 0.16 writes the name to InferenceModel %s, where it can't change: keep %s, or "+
		"delete that object after the sync, so that KServe makes it anew", own, kserve.ChildName(s.Name, "-inference-model"),
		from)}
	if !versions.All(inferenceModels) {
		f.Severity = transform.Warning
	}
	p.Report(f)
}

// scheduledName returns the name that KServe writes to the InferenceModel of a service: its own where it has none. It is
// not known if KServe makes no such object, or if the render does not tell.
func scheduledName(s *model.LLMService) (name string, known bool) {
	if len(s.Missing) > 0 || !s.Has("spec", "router", "scheduler") || s.Has("spec", "router", "scheduler", "pool", "ref") {
		return "", false
	}
	given, _ := s.Value(llmModel.With("name")...)
	if given == nil {
		return s.Name, true
	}
	return given.Str(), !isPlaceholder(given.Str())
}
