package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

//go:embed ks811.md
var ks811Doc string

var refusedParallelism = &transform.Rule{
	ID:       "KS811",
	Name:     "refused-parallelism",
	Title:    "KServe refuses the workers or the parallelism of an LLMInferenceService",
	Doc:      ks811Doc,
	Windows:  []transform.Window{kserve.LLM["v1alpha1"]},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "unknown/parallelism",
	Severity: transform.Error,
	Run:      run(checkParallelism),
}

// checkParallelism does what validateWorkloadParallelism does for both parts of a service (in
// pkg/controller/v1alpha1/llmisvc/validation@v0.16.0, and in pkg/apis/serving/v1alpha1 and v1alpha2 at v0.17.0, v0.19.0
// and v0.20.0). KS804 looks at the numbers.
func checkParallelism(p *pass) {
	for _, part := range llmParts {
		spec := p.Object.Get(part...)
		at := part.With("parallelism")
		has := func(field string) bool { return !spec.Get("parallelism", field).IsNull() }
		pipeline, data := has("pipeline"), has("data") || has("dataLocal")
		if !spec.Get("worker").IsNull() && !pipeline && !data {
			p.refuse(refusal{at: part.With("worker"), advice: "add parallelism.data and dataLocal, or remove worker",
				words: "when worker is specified, parallelism must be configured " +
					"for either data parallelism or pipeline parallelism"})
		}
		if pipeline && data {
			p.refuse(refusal{at: at, advice: "remove pipeline, for which KServe has no preset",
				words: "cannot set both pipeline parallelism and data parallelism (data or dataLocal) simultaneously"})
		}
		switch {
		case has("data") && !has("dataLocal"):
			p.refuse(refusal{at: at.With("data"), words: "dataLocal must be set when data is set", advice: "add dataLocal"})
		case has("dataLocal") && !has("data"):
			p.refuse(refusal{at: at.With("dataLocal"), words: "data must be set when dataLocal is set", advice: "add data"})
		}
	}
}
