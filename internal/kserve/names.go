package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// The components of an InferenceService, with the names of their fields in spec. Each has its own pods.
const (
	Predictor   = "predictor"
	Transformer = "transformer"
	Explainer   = "explainer"
)

// Router is what KServe runs for an InferenceGraph, as messages name it. No field of the graph is called so.
const Router = "router"

// StandardGraphs are the releases that make a Deployment for a graph in Standard mode, with the graph's name, and scale
// it with the reconcilers of services (pkg/controller/v1alpha1/inferencegraph/raw_ig.go@v0.12.0; @v0.11.2 has no such
// file).
var StandardGraphs = since(0, 12)

// NamedPredictor are the releases that make spec.predictor.name and spec.canary[].predictor.name part of the name of
// the predictor's Deployment (pkg/constants/constants.go@v0.20.0, PredictorServiceName).
var NamedPredictor = transform.Window{From: transform.Release{0, 20, 0}}

// ComponentName returns the name that KServe gives to the Deployment, Service and autoscaler of a service's component,
// or of a graph's router.
func ComponentName(service, component string) string {
	if component == Router {
		return service
	}
	return service + "-" + component
}

// WorkerName returns the name that KServe gives to the Deployment of the workers of a predictor on several nodes
// (PredictorWorkerServiceName in pkg/constants/constants.go, v0.15.0 to v0.20.0).
func WorkerName(service string) string { return ComponentName(service, Predictor) + "-worker" }

// LegacyNamesGone are the releases that no longer look for Deployments with the suffix -default
// (components/predictor.go@v0.16.0).
var LegacyNamesGone = transform.Window{From: transform.Release{0, 16, 0}}
