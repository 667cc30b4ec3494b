package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// serviceLabel and componentLabel are the labels of what KServe makes for a service. Releases that have canaries delete
// every Deployment and Service with both labels that is not theirs (reconcileCanaryDeployments in
// components/predictor.go@v0.20.0).
const (
	serviceLabel   = "serving.kserve.io/inferenceservice"
	componentLabel = "component"
)

var deletedKinds = []transform.GroupKind{{Group: "apps", Kind: "Deployment"}, {Kind: "Service"}}

//go:embed ks703.md
var ks703Doc string

var orphanLabels = &transform.Rule{
	ID:       "KS703",
	Name:     "orphan-labels",
	Title:    "KServe deletes a Deployment or Service because of its labels",
	Doc:      ks703Doc,
	Issues:   []string{"https://github.com/kserve/kserve/issues/6113"},
	Windows:  []transform.Window{kserve.NamedPredictor},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/labels",
	Severity: transform.Error,
	Mentions: []string{serviceLabel},
	Run:      run(checkOrphans),
}

func checkOrphans(p *pass) {
	s := p.Service(p.Object)
	if s.Mode != kserve.Standard || s.Name == "" {
		return
	}
	for _, o := range p.Render.Objects(deletedKinds...) {
		labels := o.Get("metadata", "labels")
		if labels.Get(serviceLabel).Str() != s.Name || labels.Get(componentLabel).Str() != kserve.Predictor ||
			o.Namespace != s.Namespace {
			continue
		}
		if t := p.NameOwner(o, o.Name); t != nil && t.Service == s {
			continue
		}
		p.Report(transform.Finding{Object: o, At: yamldoc.Path{"metadata", "labels", serviceLabel}, Message: fmt.Sprintf(
			"KServe 0.20 deletes every %s with the labels %s: %s and %s: %s that it did not make: change one of them",
			o.Kind, serviceLabel, s.Name, componentLabel, kserve.Predictor)})
	}
}
