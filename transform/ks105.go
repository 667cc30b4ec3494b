package transform

import (
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

var surpriseAgent = &Rule{
	ID:    "KS105",
	Name:  "surprise-agent",
	Title: "A model without storage gets KServe's agent",
	Doc: `A predictor with a model but without storageUri, storage or storageUris looks to KServe like a server of many models that
arrive later, unless its format is huggingface. It then injects its agent, and everything that holds for readiness probes
beside an agent holds here (KS101, KS102, KS103). That surprises owners of images with the model inside, NVIDIA NIM for
instance. Give the model a storageUri, or write the server as a custom container under spec.predictor.containers. The rule
only tells; nothing is changed.`,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/5341", "https://github.com/kserve/kserve/issues/5634",
	},
	Kinds:    []string{"InferenceService"},
	Example:  "unknown/agent",
	Severity: Advice,
	Run: func(p *Pass) {
		s := p.Service(p.Object)
		if s.Mode != kserve.Standard || p.agent(s, kserve.Predictor) != kserve.NoStorage {
			return
		}
		framework, format := s.framework(kserve.Predictor)
		p.Report(Finding{At: yamldoc.Path{"spec", "predictor", framework}, Message: fmt.Sprintf(
			"the %s model names no storage, so KServe takes the predictor for a multi-model server and injects its agent: give it a storageUri, or use a custom container", format)})
	},
}
