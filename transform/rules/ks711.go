package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks711.md
var ks711Doc string

var replicasAndScaling = &transform.Rule{
	ID:       "KS711",
	Name:     "replicas-and-scaling",
	Title:    "An LLMInferenceService has both replicas and scaling",
	Doc:      ks711Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha2"]},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.20.0/both",
	Severity: transform.Error,
	Run:      run(checkReplicasAndScaling),
}

func checkReplicasAndScaling(p *pass) {
	versions := p.KServe.LLMVersions(p.Object)
	s := p.KServe.LLMService(p.Object)
	for _, part := range llmParts {
		replicas, scaling := part.With("replicas"), part.With("scaling")
		f := transform.Report{At: replicas}
		switch {
		case !versions.Any(kserve.LLM["v1alpha2"]):
		case !p.Object.Get(replicas...).IsNull() && !p.Object.Get(scaling...).IsNull():
			f.Message = fmt.Sprintf("the API server refuses %s beside %s: remove one of them", replicas, scaling)
			p.Report(f)
		case s != nil && s.Has(replicas...) && s.Has(scaling...):
			f.At = yamldoc.Path{"spec", "baseRefs"}
			f.Message = fmt.Sprintf("the service never gets ready, because KServe admits only one of %s and %s: remove one",
				from(s, replicas), from(s, scaling))
			p.Report(f)
		}
	}
}

// from returns a field of a service, for messages, with the Config that it comes from.
func from(s *model.LLMService, field yamldoc.Path) string {
	if _, layer := s.Value(field...); layer != s.Object {
		return fmt.Sprintf("%s of %s", field, layer)
	}
	return field.String()
}
