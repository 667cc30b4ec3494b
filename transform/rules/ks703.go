package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks703.md
var ks703Doc string

var orphanLabels = &transform.Rule{
	ID:       "KS703",
	Name:     "orphan-labels",
	Title:    "KServe deletes a Deployment or Service because of its labels",
	Doc:      ks703Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/6113"},
	Windows:  []transform.Window{kserve.NamedPredictor},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/labels",
	Severity: transform.Error,
	Mentions: []string{kserve.ServiceLabel},
	Run:      run(checkOrphans),
}

// checkOrphans finds what releases with canaries delete: every Deployment and Service with both labels that is not
// theirs (reconcileCanaryDeployments in components/predictor.go@v0.20.0).
func checkOrphans(p *pass) {
	s := p.KServe.Service(p.Object)
	if s.Mode != kserve.Standard || s.Name == "" {
		return
	}
	for _, o := range p.KServe.Claimed(s) {
		if t := p.KServe.NameOwner(o, o.Name); t != nil && t.Service == s {
			continue
		}
		at := yamldoc.Path{"metadata", "labels", kserve.ServiceLabel}
		p.Report(transform.Report{Object: o, At: at, Message: fmt.Sprintf(
			"this %s is deleted, because KServe 0.20 removes each with the labels %s: %s and %s: %s that it did not make: "+
				"change one of them",
			o.Kind, kserve.ServiceLabel, s.Name, model.ComponentLabel, kserve.Predictor)})
	}
}
