package kserve

// Mode is a deployment mode. The empty mode is unknown.
type Mode string

// The deployment modes, named as KServe names them since 0.16.
const (
	Standard  Mode = "Standard"  // plain Deployments
	Knative   Mode = "Knative"   // Knative Services
	ModelMesh Mode = "ModelMesh" // pods shared by many models
)

// DeploymentModeAnnotation chooses the mode of one InferenceService.
const DeploymentModeAnnotation = "serving.kserve.io/deploymentMode"

// RenamedModes are the releases that understand Standard and Knative. Older ones know RawDeployment and Serverless only
// and silently use the cluster's default for any other value (https://github.com/kserve/kserve/issues/4710).
var RenamedModes = Window{From: Release{0, 16, 0}}

var legacySpelling = map[Mode]string{Standard: "RawDeployment", Knative: "Serverless"}

// ParseMode reads a deployment mode in its present or legacy spelling. Case matters, as it does to KServe.
func ParseMode(s string) (mode Mode, ok bool) {
	for _, m := range []Mode{Standard, Knative, ModelMesh} {
		if s == string(m) || s == legacySpelling[m] && s != "" {
			return m, true
		}
	}
	return "", false
}

// Spelling gives the mode as the release understands it.
func (m Mode) Spelling(r Release) string {
	if legacy, ok := legacySpelling[m]; ok && !RenamedModes.Contains(r) {
		return legacy
	}
	return string(m)
}

// ModeMayBeLocked are the releases that compare the annotation with a status which 0.15.1 and 0.15.2 wrote in the old
// spelling, and refuse an update when they differ (https://github.com/kserve/kserve/pull/5427).
var ModeMayBeLocked = Window{From: Release{0, 16, 0}, Before: Release{0, 19, 0}}

// ModeFixed are the releases that write an object's mode to its status and refuse to change it
// (https://github.com/kserve/kserve/pull/4423).
var ModeFixed = Window{From: Release{0, 15, 1}}

// LegacyModeKnative is the release that knows RawDeployment but validates such a service as it does one of Knative's
// (validateAutoScalingCompExtension in inference_service_validation.go@v0.16.0, https://github.com/kserve/kserve/issues/4798).
var LegacyModeKnative = Window{From: Release{0, 16, 0}, Before: Release{0, 17, 0}}

// KnativeRefused is the release that refuses the controller's first update of a service that says Knative
// (https://github.com/kserve/kserve/issues/5793).
var KnativeRefused = Window{From: Release{0, 19, 0}, Before: Release{0, 19, 1}}
