package kserve

// The components of an InferenceService, named as their fields in spec. Each runs in pods of its own.
const (
	Predictor   = "predictor"
	Transformer = "transformer"
	Explainer   = "explainer"
)

// NamedPredictor are the releases in which spec.predictor.name and spec.canary[].predictor.name are part of the name
// of the predictor's Deployment (pkg/constants/constants.go@v0.20.0, PredictorServiceName).
var NamedPredictor = Window{From: Release{0, 20, 0}}

// ComponentName is what KServe calls the Deployment, Service and autoscaler of a component of a service.
func ComponentName(service, component string) string { return service + "-" + component }
