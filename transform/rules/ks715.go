package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks715.md
var ks715Doc string

// fixedSize are the releases whose webhook refuses another number of nodes (validateImmutable in
// pkg/controller/v1alpha1/llmisvc/validation/llminferenceservice_validator.go@v0.16.0, and in
// llm_inference_service_validation.go of pkg/apis/serving/v1alpha1 and v1alpha2, @v0.17.0 to @v0.20.0).
var fixedSize = kserve.LLM["v1alpha1"]

var fixedParallelism = &transform.Rule{
	ID:       "KS715",
	Name:     "fixed-parallelism",
	Title:    "The number of nodes of an LLMInferenceService can't change",
	Doc:      ks715Doc,
	Windows:  []transform.Window{fixedSize},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.LLMInferenceService},
	Example:  "0.20.0/nodes",
	Severity: transform.Error,
	Changed:  changing(checkFixedParallelism),
}

// checkFixedParallelism looks at the services alone: the webhook does not merge their baseRefs.
func checkFixedParallelism(p *pass) {
	was := p.was(p.Object)
	for _, part := range llmParts {
		before, after := was.Get(part...), p.Object.Get(part...)
		if before.IsNull() || after.IsNull() {
			continue
		}
		from, to := nodes(before.Get("parallelism")), nodes(after.Get("parallelism"))
		if from == to {
			continue
		}
		at := part.With("parallelism")
		if after.Get("parallelism").IsNull() {
			at = part
		}
		p.refuse(refusal{at: at, category: "nodes", only: fixedSize,
			words:  fmt.Sprintf("total parallelism size is immutable, previous size %d, curr size %d", from, to),
			advice: "the sync of this service fails until the size is what it was; keep it, " + anotherService})
	}
}

// nodes returns how many nodes a replica has (GetSize in llm_inference_service_types_func.go, the same in both versions
// of the API at v0.16.0 to v0.20.0).
func nodes(parallelism *yamldoc.Node) int {
	number := func(field string) int { n, _ := parallelism.Get(field).Int(); return n }
	switch data, local := number("data"), number("dataLocal"); {
	case data > 0 || local > 0:
		return max(max(data, 1)/max(local, 1), 1)
	case number("pipeline") > 0:
		return number("pipeline")
	}
	return 1
}
