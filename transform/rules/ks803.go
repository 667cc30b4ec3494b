package rules

import (
	_ "embed"
	"fmt"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/lazyregexp"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks803.md
var ks803Doc string

var refusedName = &transform.Rule{
	ID:       "KS803",
	Name:     "refused-name",
	Title:    "KServe refuses the name of an object",
	Doc:      ks803Doc,
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService, kserve.InferenceGraph, kserve.TrainedModel},
	Example:  "unknown/names",
	Severity: transform.Error,
	Run:      run(checkRefusedName),
}

// The names that the webhooks admit: of an InferenceService and an InferenceGraph, and of a TrainedModel
// (inference_service_validation.go, inference_graph_validation.go and trainedmodel_webhook.go, v0.11.2 to v0.20.0).
var (
	serviceName = lazyregexp.New(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	modelName   = lazyregexp.New(`^[a-zA-Z0-9_-]+$`)
)

func checkRefusedName(p *pass) {
	name, kind := placeholder().ReplaceAllString(p.Object.Name, "a"), p.Object.Kind
	r := refusal{at: yamldoc.Path{"metadata", "name"}}
	switch {
	case name == "":
		if p.Object.Get("metadata", "generateName").Str() == "" && p.Object.Get(r.at...).IsNull() {
			r.words, r.advice = "metadata.name: Required value: name or generateName is required", "add a name"
			p.refuse(r)
		}
		return
	case kind == kserve.TrainedModel.Kind && !modelName().MatchString(name):
		r.words = "a Trained Model name must consist of alphanumeric characters, '_', or '-'"
	case kind != kserve.TrainedModel.Kind && !serviceName().MatchString(name):
		r.words = fmt.Sprintf("a %s name must consist of lower case alphanumeric characters or '-', "+
			"and must start with alphabetical character", kind)
	default:
		return
	}
	r.advice = "choose another name"
	p.refuse(r)
}
