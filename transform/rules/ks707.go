package rules

import (
	_ "embed"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/model"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

//go:embed ks707.md
var ks707Doc string

var fixedPredictorName = &transform.Rule{
	ID:       "KS707",
	Name:     "fixed-predictor-name",
	Title:    "The predictor of a service gets another name, and no other model",
	Doc:      ks707Doc,
	Windows:  []transform.Window{kserve.NamedPredictor},
	Since:    transform.Release{0, 2},
	Kinds:    []transform.GroupKind{kserve.InferenceService},
	Example:  "0.20.0/named",
	Severity: transform.Error,
	Changed:  changing(checkPredictorName),
}

// checkPredictorName does what validatePredictorNameChange does (inference_service_validation.go@v0.20.0).
func checkPredictorName(p *pass) {
	was, at := p.was(p.Object), yamldoc.Path{"spec", kserve.Predictor, "name"}
	from, to := was.Get(at...).Str(), p.Object.Get(at...).Str()
	uri, known := predictorURI(p.KServe, p.KServe.Service(p.Object))
	before, knownBefore := predictorURI(p.Before, p.Before.Service(was))
	if from == to || isPlaceholder(from) || isPlaceholder(to) || !known || !knownBefore || uri != before {
		return
	}
	p.refuse(refusal{at: at, only: kserve.NamedPredictor,
		words:  "predictor.name change requires a model change (e.g. storageUri)",
		advice: "the sync of this service fails until the name is what it was; change it only together with the model"})
}

// predictorURI returns the model of a predictor as the webhook sees it (getPredictorStorageURI in
// inference_service_validation.go@v0.20.0). The URI is unknown where a tool or another webhook still writes it.
func predictorURI(m *model.Model, s *model.Service) (uri string, known bool) {
	if at := m.ModelURI(s, kserve.Predictor); at != nil {
		uri = s.Get(at...).Str()
	}
	return uri, !isPlaceholder(uri) && !connected(s.Object)
}
