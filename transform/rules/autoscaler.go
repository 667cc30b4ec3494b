package rules

import (
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// repairName reports f, a finding about an autoscaler's name or about the finalizer that protects one, with the edits,
// unless the setting autoscaler is report.
func (p *pass) repairName(f transform.Finding, edits ...transform.Edit) {
	if p.options.Autoscaler == AutoscalerReport {
		f.Unrepaired = "the setting autoscaler is report"
	} else {
		f.Edits = edits
	}
	p.Report(f)
}

// becomesExternal reports whether the class is external once KS201 has repaired it.
func (c componentClass) becomesExternal(p *pass) bool {
	class, _ := c.Class(c.component)
	repaired := class == "" || class == "hpa" || class == "none" && p.Versions.Known()
	return (class == "external" || repaired) && !c.multiNode() && p.Versions.All(kserve.AutoscalerClasses["external"])
}
