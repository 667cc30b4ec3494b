package kserve

// ServiceLabel and GraphLabel are labels of the workloads and pods that KServe makes: their values are the names of the
// service and of the graph (InferenceServicePodLabelKey and InferenceGraphLabel in pkg/constants/constants.go@v0.20.0).
const (
	ServiceLabel = Group + "/inferenceservice"
	GraphLabel   = Group + "/inferencegraph"
)

// LLMName is the label with the name of the LLM service of an object that has LLMPartOf
// (expectedSingleNodeMainDeployment in workload_single_node.go of pkg/controller/v1alpha2/llmisvc@v0.20.0).
const LLMName = "app.kubernetes.io/name"

// Selectors select by labels what KServe makes of the services of a kind.
var Selectors = []struct{ Kind, Labels string }{
	{InferenceService.Kind, ServiceLabel},
	{InferenceGraph.Kind, GraphLabel},
	{LLMInferenceService.Kind, LLMPartOf + "=" + LLMPartOfValue},
}
