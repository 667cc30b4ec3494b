package rules

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/shell"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// scaledKinds are the kinds of what KServe scales unless the autoscaler class says otherwise.
var scaledKinds = []transform.GroupKind{kserve.InferenceService, kserve.InferenceGraph}

// repairName reports f, a finding about an autoscaler's name or about the finalizer that protects one, with the edits,
// unless the setting autoscaler is report.
func (p *pass) repairName(f transform.Report, edits ...transform.Edit) {
	if p.Options.Autoscaler == AutoscalerReport {
		f.Unrepaired = "the setting autoscaler is report"
	} else {
		f.Edits = edits
	}
	p.Report(f)
}

// becomesExternal reports whether the class is external once KS201 has repaired it.
func (c componentClass) becomesExternal(p *pass) bool {
	class := c.Class(c.component)
	repaired := class == "" || class == "hpa" || class == "none" && p.Versions.Known() ||
		class == "keda" && p.Versions.Any(kserve.AutoscalerClasses["keda"])
	return (class == "external" || repaired) && !c.MultiNode(c.component) &&
		p.Versions.All(kserve.AutoscalerClasses["external"])
}

// deleteKept says how to delete the HPA of a graph that KServe keeps.
func deleteKept(graph *model.Service) string {
	return fmt.Sprintf("delete the HorizontalPodAutoscaler that KServe keeps (%s delete hpa %s), "+
		"because 0.15.1 and later never delete that of a graph", kubectl(graph.Namespace), shell.Quote(graph.Name))
}

// kubectl returns the start of a command for objects in the namespace, which may be empty.
func kubectl(namespace string) string {
	if namespace == "" {
		return "kubectl"
	}
	return "kubectl -n " + shell.Quote(namespace)
}
