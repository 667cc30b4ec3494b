package rules

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks105.md
var ks105Doc string

var surpriseAgent = &transform.Rule{
	ID:    "KS105",
	Name:  "surprise-agent",
	Title: "A model without storage gets KServe's agent",
	Doc:   ks105Doc,
	Issues: []string{
		"https://github.com/kserve/kserve/issues/5341", "https://github.com/kserve/kserve/issues/5634",
	},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "unknown/agent",
	Severity: transform.Advice,
	Run: run(func(p *pass) {
		s := p.KServe.Service(p.Object)
		if s.Mode != kserve.Standard || p.KServe.Agent(s, kserve.Predictor) != kserve.WithoutStorage ||
			p.index.multiModel()[server{s.Namespace, s.Name}] {
			return
		}
		framework, format := s.Framework(kserve.Predictor)
		p.Report(transform.Report{At: yamldoc.Path{"spec", "predictor", framework}, Message: fmt.Sprintf(
			"the pods get a second container, KServe's agent, because the %s has no storage and counts as a multi-model "+
				"server: add a storageUri, or use a custom container", strings.TrimSpace(format+" model"))})
	}),
}

// server is the place of an InferenceService.
type server struct{ namespace, name string }

// findMultiModel returns the InferenceServices that TrainedModels of the render name. They want the agent, which
// downloads those models (pkg/controller/v1alpha1/trainedmodel/controller.go@v0.20.0).
func findMultiModel(render *transform.Snapshot) map[server]bool {
	found := map[server]bool{}
	for _, o := range render.Objects(kserve.TrainedModel) {
		found[server{o.Namespace, o.Get("spec", "inferenceService").Str()}] = true
	}
	return found
}
