package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks710.md
var ks710Doc string

var scalingIgnored = &transform.Rule{
	ID:       "KS710",
	Name:     "scaling-ignored",
	Title:    "KServe ignores the scaling of an LLMInferenceService",
	Doc:      ks710Doc,
	Windows:  []transform.Window{{From: kserve.LLM["v1alpha1"].From, Before: kserve.LLMScaling.From}},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.17.0/scaling",
	Severity: transform.Warning,
	Run:      run(checkScalingIgnored),
}

func checkScalingIgnored(p *pass) {
	versions := p.KServe.LLMVersions(p.Object)
	if p.Versions.Likened() {
		return // the fork of OpenShift AI has scaling.go in its 0.17 (odh-v3.4)
	}
	for _, part := range llmParts {
		at := part.With("scaling")
		if p.Object.Get(at...).IsNull() || versions.All(kserve.LLMScaling) {
			continue
		}
		f := transform.Report{At: at}
		switch {
		case !versions.Any(kserve.LLM["v1alpha2"]):
			f.Message = fmt.Sprintf("%s is refused or dropped, because KServe 0.16 does not know it", at)
		case versions.Any(kserve.LLMScaling):
			f.Message = fmt.Sprintf("nothing is scaled if the cluster has KServe 0.17, which ignores %s", at)
		default:
			f.Message = fmt.Sprintf("nothing is scaled, because KServe 0.17 ignores %s", at)
		}
		f.Message += ": upgrade to 0.18, or scale the Deployment with an autoscaler of your own"
		p.Report(f)
	}
}
