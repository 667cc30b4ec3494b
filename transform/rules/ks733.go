package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks733.md
var ks733Doc string

var customWorkers = &transform.Rule{
	ID:       "KS733",
	Name:     "custom-workers",
	Title:    "A predictor on several nodes has no model",
	Doc:      ks733Doc,
	Windows:  []transform.Window{multiNode},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/custom",
	Severity: transform.Error,
	Run:      run(checkCustomWorkers),
}

// checkCustomWorkers looks at workers of a custom predictor, whose containers KServe wants from the model's runtime
// (reconcileWorker in components/predictor.go@v0.15.0 to @v0.20.0).
func checkCustomWorkers(p *pass) {
	s := p.KServe.Service(p.Object)
	field, _ := s.Framework(kserve.Predictor)
	if field != "" || s.Get("spec", kserve.Predictor, "containers").IsNull() || !s.HasWorkers() ||
		s.Mode == kserve.ModelMesh {
		return
	}
	at := yamldoc.Path{"spec", kserve.Predictor, "workerSpec"}
	f := transform.Report{At: at, Message: "no pod starts, and no change of the service has an effect, because " +
		"KServe's controller panics on workers of a predictor without a model: write a model, with a runtime that has " +
		"workerSpec, or remove this"}
	if !p.Versions.All(multiNode) {
		f.Severity = transform.Warning
	}
	p.Report(f)
}
