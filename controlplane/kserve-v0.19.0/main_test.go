package main

import (
	"testing"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/planetest"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/controlplane/statuses"
)

func TestStatuses(t *testing.T) { statuses.Write(t, release()) }

func TestJudge(t *testing.T) { planetest.Judge(t, release()) }

func TestInferenceServices(t *testing.T) { planetest.InferenceServices(t, release()) }

func TestLLMInferenceServices(t *testing.T) { planetest.LLMInferenceServices(t, release()) }

func TestLocalModels(t *testing.T) { planetest.LocalModels(t, release()) }

func TestRuntimes(t *testing.T) { planetest.Runtimes(t, release(), true) }

func TestSchedulers(t *testing.T) { planetest.Schedulers(t, release()) }
