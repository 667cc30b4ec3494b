package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks726.md
var ks726Doc string

var stoppedStep = &transform.Rule{
	ID:       "KS726",
	Name:     "stopped-step",
	Title:    "A graph asks a service that is stopped",
	Doc:      ks726Doc,
	Windows:  []transform.Window{{From: stopsKnativeOnly.From}},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceGraph},
	About:    []transform.GroupKind{kserve.InferenceGraph, kserve.InferenceService},
	Example:  "0.20.0/stopped",
	Severity: transform.Warning,
	Run:      run(checkStoppedSteps),
}

// checkStoppedSteps looks for services whose status has no address: KServe writes it while a service runs, and leaves it when
// it stops one (Reconcile of the reconcilers in pkg/controller/v1beta1/inferenceservice/reconcilers/ingress, and
// GetPredictorEndpoint of pkg/controller/v1alpha1/inferencegraph/controller.go, @v0.15.1 to @v0.20.0).
func checkStoppedSteps(p *pass) {
	if p.stopped(p.Object) {
		return
	}
	advice := "stop the graph too, or take the step out"
	if what, _ := p.unstoppable(p.Object); what != "" {
		advice = "take the step out"
	}
	for node := range p.Object.Get("spec", "nodes").Children() {
		steps := yamldoc.Path{"spec", "nodes", node, "steps"}
		for i, step := range p.Object.Get(steps...).List() {
			name := step.Get("serviceName").Str()
			service := p.index.referable()[newReferable(kserve.InferenceService, p.Object.Namespace, name)]
			if service == nil || !p.stopped(service) || step.Get("serviceUrl").Str() != "" {
				continue
			}
			p.Report(transform.Report{At: steps.With(i, "serviceName"), Message: fmt.Sprintf("requests fail at this step, "+
				"because the annotation %s stops %s, and KServe does not reconcile the graph before that has run once: %s",
				kserve.StopAnnotation, service, advice)})
		}
	}
}
