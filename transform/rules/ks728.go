package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks728.md
var ks728Doc string

var schedulerContainers = &transform.Rule{
	ID:       "KS728",
	Name:     "scheduler-containers",
	Title:    "The template of a scheduler has no containers, so KServe removes those of its preset",
	Doc:      ks728Doc,
	Windows:  []transform.Window{containersRemoved},
	Since:    transform.Release{0, 2},
	Kinds:    model.LLMKinds,
	Example:  "0.18.1/template",
	Severity: transform.Error,
	Run:      run(checkSchedulerContainers),
}

// containersRemoved are the releases that merge a template without containers as if it had containers: null. Newer ones
// write an empty list first, as all do in the other templates (SetDefaults in llm_inference_service_defaults.go of
// pkg/apis/serving/v1alpha1@v0.16.0, and of v1alpha2@v0.17.0, @v0.18.0 and @v0.19.0).
var containersRemoved = transform.Window{From: kserve.LLM["v1alpha1"].From, Before: transform.Release{0, 19, 0}}

func checkSchedulerContainers(p *pass) {
	scheduler := routerPath.With("scheduler")
	at := scheduler.With("template")
	template := p.Object.Get(at...)
	versions := p.KServe.LLMVersions(p.Object)
	if template.IsNull() || !template.Get("containers").IsNull() || !versions.Any(containersRemoved) ||
		!p.Object.Get(scheduler.With("pool", "ref")...).IsNull() { // KServe makes no scheduler then
		return
	}
	f := transform.Report{At: at, Message: "no scheduler starts, because KServe before 0.19 removes the containers of its " +
		"preset where this template has none, and the API server refuses the Deployment: write containers: []"}
	if isPlatformConfig(p.Object) {
		f.Unrepaired = configShared
	} else {
		f.Edits = p.Object.Edits(yamldoc.Set(at.With("containers"), []any{}))
	}
	if !versions.All(containersRemoved) {
		f.Severity = transform.Warning
	}
	p.Report(f)
}
