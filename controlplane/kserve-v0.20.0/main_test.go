package main

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/planetest"
)

func TestInferenceServices(t *testing.T) { planetest.InferenceServices(t, release()) }

func TestLLMInferenceServices(t *testing.T) { planetest.LLMInferenceServices(t, release()) }

// TestWorkers: this release deletes the Deployment of the workers that it has made, llama-predictor-worker
// (https://github.com/kserve/kserve/issues/6113). Rule KS906 is about it.
func TestWorkers(t *testing.T) { planetest.Workers(t, release(), "Deployment llama-predictor") }
