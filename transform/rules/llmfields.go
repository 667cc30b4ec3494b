package rules

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// The names of the kinds of LLM services.
var (
	llmService   = []string{kserve.LLMInferenceService.Kind}
	llmConfig    = []string{kserve.LLMInferenceServiceConfig.Kind}
	llmKindNames = slices.Concat(llmService, llmConfig)
)

// asWritten are the releases that store a service as it was written. In later ones the mutating webhook writes an empty
// value where a service lacks a required field, so the definition does not miss it; there is no such webhook for
// Configs.
var asWritten = transform.Window{Before: kserve.LLMDefaulted.From}

// The releases before and after the changes of 0.20.0, in the definitions and in the checks of the webhooks.
var (
	before20 = transform.Window{Before: transform.Release{0, 20, 0}}
	since20  = transform.Window{From: transform.Release{0, 20, 0}}
)

// llmFields are the definedFields of LLM services (config/crd/full/llmisvc at v0.16.0, v0.17.0, v0.19.0 and v0.20.0).
var llmFields = slices.Concat([]definedField{
	{kinds: llmService, path: "spec model uri", required: true, only: asWritten},
	{kinds: llmConfig, path: "spec model uri", required: true},
	{kinds: llmKindNames, path: "spec model criticality", values: []string{"Critical", "Standard", "Sheddable"}},
	{kinds: llmKindNames, path: "spec model lora maxRank", bounds: []int{1}},
	{kinds: llmKindNames, path: "spec model lora maxAdapters", bounds: []int{1}},
	{kinds: llmKindNames, path: "spec model lora maxCpuAdapters", bounds: []int{1}},
	{kinds: llmConfig, path: "spec model confidential enabled", required: true},
	{kinds: llmKindNames, path: "spec router route weight", bounds: []int{0, 1000000}},
	{kinds: llmKindNames, path: "spec router scheduler config inline", object: true},
	{kinds: llmService, path: "spec router scheduler config ref key", required: true, only: asWritten},
	{kinds: llmConfig, path: "spec router scheduler config ref key", required: true},
}, poolFields("spec router scheduler pool spec"), workloadFields("spec"), workloadFields("spec prefill"))

// poolFields are the fields of an InferencePool at the path: some of v1alpha1, the others of v1alpha2.
func poolFields(at string) []definedField {
	return []definedField{
		{kinds: llmKindNames, path: at + " selector", required: true},
		{kinds: llmKindNames, path: at + " targetPorts", required: true},
		{kinds: llmKindNames, path: at + " targetPorts * number", required: true, bounds: []int{1, 65535}},
		{kinds: llmKindNames, path: at + " endpointPickerRef", required: true},
		{kinds: llmKindNames, path: at + " endpointPickerRef name", required: true},
		{kinds: llmService, path: at + " targetPortNumber", required: true, only: before20},
		{kinds: llmConfig, path: at + " targetPortNumber", required: true},
		{kinds: llmService, path: at + " extensionRef", required: true},
		{kinds: llmConfig, path: at + " extensionRef", required: true, only: before20},
		{kinds: llmKindNames, path: at + " extensionRef name", required: true},
		{kinds: llmConfig, path: at + " extensionRef failureMode", required: true, only: since20},
	}
}

// workloadFields are the fields at the path that describe one kind of pods of an LLM service.
func workloadFields(at string) []definedField {
	return []definedField{
		{kinds: llmKindNames, path: at + " replicas", bounds: []int{0}},
		{kinds: llmKindNames, path: at + " parallelism tensor", bounds: []int{1}},
		{kinds: llmKindNames, path: at + " parallelism pipeline", bounds: []int{1}},
		{kinds: llmKindNames, path: at + " parallelism data", bounds: []int{1}},
		{kinds: llmKindNames, path: at + " parallelism dataLocal", bounds: []int{1}},
		{kinds: llmKindNames, path: at + " parallelism dataRPCPort", bounds: []int{1, 65535}},
		{kinds: llmKindNames, path: at + " scaling minReplicas", bounds: []int{1}},
		{kinds: llmKindNames, path: at + " scaling maxReplicas", required: true, bounds: []int{1}},
		{kinds: llmKindNames, path: at + " scaling wva keda idleReplicaCount", bounds: []int{1}},
		{kinds: llmKindNames, path: at + " kvCacheOffloading evictionPolicy", values: []string{"lru", "arc"}},
		{kinds: llmConfig, path: at + " kvCacheOffloading cpu", required: true},
		{
			kinds: llmConfig, path: at + " kvCacheOffloading secondary * fileSystem emptyDir size", required: true,
		},
		{
			kinds: llmConfig, path: at + " kvCacheOffloading secondary * fileSystem pvc ref name", required: true,
		},
	}
}
