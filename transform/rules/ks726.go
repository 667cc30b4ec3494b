package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
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

// checkStoppedSteps looks for services whose status has no address: KServe writes it while a service runs, and leaves it
// when it stops one (Reconcile of the reconcilers in pkg/controller/v1beta1/inferenceservice/reconcilers/ingress, and
// GetPredictorEndpoint of pkg/controller/v1alpha1/inferencegraph/controller.go, @v0.15.1 to @v0.20.0).
func checkStoppedSteps(p *pass) {
	if p.stopped(p.Object) {
		return
	}
	advice := "stop the graph too, or take the step out"
	if what, _ := p.unstoppable(p.Object); what != "" {
		advice = "take the step out"
	}
	for _, r := range namedServices(p.Object) {
		service := p.referred(r, r.name)
		if service == nil || !p.stopped(service) || hasAddress(p.Object, r.at) {
			continue
		}
		p.Report(transform.Report{At: r.at, Message: fmt.Sprintf("requests fail at this step, because the annotation %s "+
			"stops %s, and KServe does not reconcile the graph before that has run once: %s", kserve.StopAnnotation, service,
			advice)})
	}
}
