package rules

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks717.md
var ks717Doc string

var missingConfig = &transform.Rule{
	ID:       "KS717",
	Name:     "missing-config",
	Title:    "KServe does not find a preset or Config of an LLMInferenceService",
	Doc:      ks717Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/pipeline",
	Severity: transform.Error,
	Run:      run(checkConfigs),
}

func checkConfigs(p *pass) {
	s := p.KServe.LLMService(p.Object)
	if len(p.KServe.LLMVersions(p.Object).Releases()) == 0 {
		return
	}
	for _, part := range llmParts {
		if s.WithoutPreset(part) && s.Parallelism(part, "pipeline") > 0 && !s.FindsConfig(pipelinePreset(s, part)) {
			p.reportPipeline(s, part)
		}
	}
	for _, r := range p.configReferences() {
		switch {
		case r.name == "":
			p.Report(transform.Report{At: r.at, Message: "KServe makes no pods (PresetsCombined is False), because this " +
				"reference has no name: write one, or remove it"})
		case !slices.Contains(s.Missing, r.name), kserve.IsShipped(r.name), isPlaceholder(r.name):
		case len(p.renamed(r)) == 0: // else KS507 reports it
			p.reportMissing(r.at, r.name)
		}
	}
}

// pipelinePreset returns the name of the preset that KServe looks for if the workers of a part are pipeline parallel
// (combineBaseRefsConfig in config_merge.go of v1alpha1@v0.16.0 and v1alpha2@v0.17.0 to v0.20.0).
func pipelinePreset(s *model.LLMService, part yamldoc.Path) string {
	role := ""
	switch {
	case len(part) > 1:
		role = "prefill-"
	case s.Has("spec", kserve.Prefill):
		role = "decode-"
	}
	return "kserve-config-llm-" + role + "worker-pipeline-parallel"
}

func (p *pass) reportPipeline(s *model.LLMService, part yamldoc.Path) {
	at := part.With("parallelism", "pipeline")
	_, layer := s.Value(at...)
	own, from := p.ownPlace(layer, at)
	f := transform.Report{At: own, Category: part.String(), Message: fmt.Sprintf("KServe makes no pods (PresetsCombined is "+
		"False), because it looks for the preset %s for workers with pipeline%s, and no release has it: use data and "+
		"dataLocal, whose preset KServe has, or write an LLMInferenceServiceConfig of that name, with the whole pods of "+
		"leader and workers", pipelinePreset(s, part), from)}
	if len(s.Missing) > 0 {
		f.Severity = transform.Warning
		f.Message += fmt.Sprintf("; fine if the Config %s, which these manifests do not have, sets data", s.Missing[0])
	}
	p.Report(f)
}

// reportMissing reports a name in baseRefs that no Config of the render has.
func (p *pass) reportMissing(at yamldoc.Path, name string) {
	f := transform.Report{At: at, Severity: transform.Warning,
		Message: fmt.Sprintf("KServe makes no pods (PresetsCombined is False) until it finds the Config %s", name)}
	configs := p.index.configs()
	isNear := func(o *transform.Object) bool { return o.Namespace == p.Object.Namespace }
	elsewhere := configs.named[name]
	if elsewhere != nil && (elsewhere.Namespace == "" || p.Object.Namespace == "") {
		f.Severity = transform.Advice
		f.Message += ", which has no namespace here, or the service has none: fine if both get into one"
	} else if elsewhere != nil {
		f.Message += fmt.Sprintf(", and it looks in the namespace of the service and in its own, not in %s: "+
			"move the Config, or write one beside the service", elsewhere.Namespace)
	} else if similar := configs.similar(name, isNear); similar != nil {
		f.Message += ": did you mean " + similar.Name + "?"
	} else {
		f.Severity = transform.Advice
		f.Message += ", which these manifests do not have: fine if another app has it, in this namespace or in KServe's"
	}
	p.Report(f)
}
