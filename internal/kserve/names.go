package kserve

// Component is a part of an InferenceService that runs in pods of its own.
type Component string

// The components, named as their fields in spec.
const (
	Predictor   Component = "predictor"
	Transformer Component = "transformer"
	Explainer   Component = "explainer"
)

// Components lists all of them, in the order in which KServe reconciles them.
var Components = []Component{Predictor, Transformer, Explainer}

// NamedPredictors are the releases in which spec.predictor.name and spec.canary[].predictor.name
// are part of the component's name (pkg/constants/constants.go@v0.20.0, PredictorServiceName).
var NamedPredictors = Window{From: Release{0, 20, 0}}

// Name is what KServe calls the component's Deployment, Service and autoscaler.
func (c Component) Name(service string) string { return service + "-" + string(c) }

// LegacyName is what KServe called them before 0.11. Releases before 0.16 still use the name where an object of that
// name exists (pkg/controller/v1beta1/inferenceservice/components/predictor.go@v0.15.2).
func (c Component) LegacyName(service string) string { return c.Name(service) + "-default" }

// NamedPredictor is the name of a predictor that bears a name of its own, see NamedPredictors.
func NamedPredictor(service, predictor string) string {
	if predictor == "" {
		return Predictor.Name(service)
	}
	return Predictor.Name(service + "-" + predictor)
}

// ReservedNames are the names of Deployments, Services and autoscalers that belong to KServe for a service, with the
// names its predictors have, if any. An object of a user that bears one is overwritten or deleted.
func ReservedNames(service string, predictors ...string) []string {
	var names []string
	for _, c := range Components {
		names = append(names, c.Name(service), c.LegacyName(service))
	}
	for _, p := range predictors {
		if p != "" {
			names = append(names, NamedPredictor(service, p))
		}
	}
	return names
}
