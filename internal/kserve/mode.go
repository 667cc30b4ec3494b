package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// Mode is a deployment mode. The empty mode is unknown.
type Mode string

// The deployment modes, with the names that KServe uses since 0.16.
const (
	Standard  Mode = "Standard"  // plain Deployments
	Knative   Mode = "Knative"   // Knative Services
	ModelMesh Mode = "ModelMesh" // pods shared by many models
)

// DeploymentModeAnnotation sets the mode of one InferenceService.
const DeploymentModeAnnotation = "serving.kserve.io/deploymentMode"

// StopAnnotation is "true", in upper or lower case, on a service or graph that shall not run. Knative services stop
// from 0.15.1 on, Standard ones and graphs from 0.16.0 on (GetForceStopRuntime and its callers in
// pkg/controller/v1beta1/inferenceservice, v0.15.2 and v0.16.0), and LLM services from 0.17.0 on
// (pkg/controller/v1alpha2/llmisvc@v0.17.0; pkg/controller/v1alpha1/llmisvc@v0.16.0 has no such caller).
const StopAnnotation = "serving.kserve.io/stop"

// RenamedModes are the releases that accept Standard and Knative. Older releases know only RawDeployment and
// Serverless, and silently use the cluster's default for any other value
// (https://github.com/kserve/kserve/issues/4710).
var RenamedModes = transform.Window{From: transform.Release{0, 16, 0}}

var legacySpelling = map[Mode]string{Standard: "RawDeployment", Knative: "Serverless"}

// ParseMode parses a deployment mode in its current or legacy spelling. Like KServe, it is case-sensitive.
func ParseMode(s string) (mode Mode, ok bool) {
	for _, m := range []Mode{Standard, Knative, ModelMesh} {
		if s == string(m) || s == legacySpelling[m] && s != "" {
			return m, true
		}
	}
	return "", false
}

// Spelling returns the mode as the release spells it.
func (m Mode) Spelling(r transform.Release) string {
	if legacy, ok := legacySpelling[m]; ok && !RenamedModes.Contains(r) {
		return legacy
	}
	return string(m)
}

// ModeFixed are the releases that write an InferenceService's mode to its status, whichever it is, and refuse another
// one in the annotation (updateStatus in pkg/controller/v1beta1/inferenceservice/controller.go and
// validateDeploymentMode in inference_service_validation.go@v0.15.1, https://github.com/kserve/kserve/pull/4423), and
// ModelMeshFixed those that do so in ModelMesh mode too without a transformer (Reconcile in controller.go@v0.17.0). Of an
// InferenceGraph they never write the mode (pkg/controller/v1alpha1/inferencegraph/controller.go@v0.15.1 and @v0.20.0).
var (
	ModeFixed      = transform.Window{From: transform.Release{0, 15, 1}}
	ModelMeshFixed = transform.Window{From: transform.Release{0, 17, 0}}
)

// LegacyModeInStatus are the releases that write the mode to the status under its old name, and LegacyModeMisread those
// that take RawDeployment there for Knative mode, since it is not Standard (GetDeploymentMode in
// pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.16.0, @v0.17.0 and @v0.18.0).
var (
	LegacyModeInStatus = transform.Window{From: transform.Release{0, 15, 1}, Before: transform.Release{0, 16, 0}}
	LegacyModeMisread  = transform.Window{From: transform.Release{0, 16, 0}, Before: transform.Release{0, 19, 0}}
)

// ModeInStatus are the releases that write the mode to the status under its new name. Those of LegacyModeInStatus take
// Standard there for Knative mode (GetDeploymentMode in pkg/controller/v1beta1/inferenceservice/utils/utils.go@v0.15.2).
var ModeInStatus = transform.Window{From: LegacyModeInStatus.Before}

// LegacyModeRefused are the releases that rewrite the old name of a mode in the annotation, and compare the new one
// with the status as it is (inference_service_defaults.go and inference_service_validation.go@v0.17.0 and @v0.18.0;
// @v0.19.0 parses the status).
var LegacyModeRefused = transform.Window{From: transform.Release{0, 17, 0}, Before: LegacyModeMisread.Before}

// LegacyModeKnative is the release that knows RawDeployment but validates a service with it as if it ran on Knative
// (validateAutoScalingCompExtension in inference_service_validation.go@v0.16.0,
// https://github.com/kserve/kserve/issues/4798).
var LegacyModeKnative = transform.Window{From: transform.Release{0, 16, 0}, Before: transform.Release{0, 17, 0}}

// KnativeRefused is the release that refuses the controller's first update of a service whose annotation is Knative
// (https://github.com/kserve/kserve/issues/5793).
var KnativeRefused = transform.Window{From: transform.Release{0, 19, 0}, Before: transform.Release{0, 19, 1}}
