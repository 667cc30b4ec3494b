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

// ReservedNames are the names of Deployments, Services and autoscalers that are KServe's for a service, with the names
// that its predictors have, if any. An object of a user that bears one is overwritten or deleted. The suffix -default is
// from before 0.11; releases before 0.16 use it where an object of that name is left
// (pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.15.2).
func ReservedNames(service string, predictors ...string) []string {
	var names []string
	for _, component := range []string{Predictor, Transformer, Explainer} {
		name := ComponentName(service, component)
		names = append(names, name, name+"-default")
	}
	for _, p := range predictors {
		if p != "" {
			names = append(names, ComponentName(service+"-"+p, Predictor))
		}
	}
	return names
}
