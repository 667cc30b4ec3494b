package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks908.md
var ks908Doc string

var removedService = &transform.Rule{
	ID:       "KS908",
	Name:     "removed-service",
	Title:    "A service is deleted that a graph or TrainedModel still names",
	Doc:      ks908Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	About:    []transform.GroupKind{kserve.InferenceGraph, kserve.TrainedModel},
	Example:  "unknown/graph",
	Severity: transform.Error,
	Removed:  run(checkRemovedService),
}

// naming is the place where a graph or TrainedModel names a service.
type naming struct {
	object *transform.Object
	at     yamldoc.Path
}

// findNamed returns what names each service.
func (p *pass) findNamed() map[referable][]naming {
	named := map[referable][]naming{}
	for _, o := range p.Snapshot.Objects(kserve.InferenceGraph, kserve.TrainedModel) {
		for _, r := range namedServices(o) {
			service := newReferable(kserve.InferenceService, o.Namespace, r.name)
			named[service] = append(named[service], naming{o, r.at})
		}
	}
	return named
}

// checkRemovedService looks for steps that KServe can't resolve any more, as it does at each reconcile of a graph that
// is not stopped, and for TrainedModels, which KServe deletes then (Reconcile in
// pkg/controller/v1alpha1/inferencegraph/controller.go and pkg/controller/v1alpha1/trainedmodel/controller.go,
// @v0.11.2 to @v0.20.0).
func checkRemovedService(p *pass) {
	if notPruned(p.Object) {
		return
	}
	for _, n := range p.change().named()[newReferable(kserve.InferenceService, p.Object.Namespace, p.Object.Name)] {
		if n.object.GroupKind() == kserve.InferenceGraph && p.stopped(n.object) {
			continue
		}
		p.Report(transform.Report{Object: n.object, At: n.at, Message: p.withoutService(n)})
	}
}

// withoutService says what becomes of what names the deleted service. A step with an address of its own may still answer.
func (p *pass) withoutService(n naming) string {
	switch {
	case n.object.GroupKind() == kserve.TrainedModel:
		return fmt.Sprintf("KServe deletes the model as often as Argo CD makes it, because this change deletes %s: delete "+
			"the model too, or keep the service", p.Object)
	case p.was(n.object) == nil:
		return fmt.Sprintf("KServe makes nothing of the graph (Failed to find graph service), because this change deletes "+
			"%s: name another service, or keep this one", p.Object)
	}
	harm := "requests fail at this step, and "
	if hasAddress(n.object, n.at) {
		harm = ""
	}
	return fmt.Sprintf("%sKServe can change nothing about the graph any more (Failed to find graph service), because this "+
		"change deletes %s: take the step out, and delete the service in a later commit", harm, p.Object)
}
