package main

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/planetest"
)

func TestJudge(t *testing.T) { planetest.Judge(t, release()) }

func TestInferenceServices(t *testing.T) { planetest.InferenceServices(t, release()) }

func TestLLMInferenceServices(t *testing.T) { planetest.LLMInferenceServices(t, release()) }

func TestLocalModels(t *testing.T) { planetest.LocalModels(t, release()) }

func TestRuntimes(t *testing.T) { planetest.Runtimes(t, release(), true) }

func TestOwns(t *testing.T) {
	planetest.Owns(t, release(), map[string]string{
		"InferenceService":    "v1beta1/inferenceservice/controller.go",
		"InferenceGraph":      "v1alpha1/inferencegraph/controller.go",
		"TrainedModel":        "v1alpha1/trainedmodel/controller.go",
		"LLMInferenceService": "v1alpha1/llmisvc/controller.go",
		"LocalModelCache":     "v1alpha1/localmodel/controller.go",
	})
}
