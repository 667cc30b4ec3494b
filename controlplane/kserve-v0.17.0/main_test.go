package main

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/planetest"
)

func TestInferenceServices(t *testing.T) { planetest.InferenceServices(t, release()) }

func TestLLMInferenceServices(t *testing.T) { planetest.LLMInferenceServices(t, release()) }
