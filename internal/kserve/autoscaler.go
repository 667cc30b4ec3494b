package kserve

// AutoscalerClassAnnotation chooses who scales the Deployments of a Standard service.
const AutoscalerClassAnnotation = "serving.kserve.io/autoscalerClass"

// AutoscalerClasses are the values of the annotation that KServe's webhook accepts, and the releases on which it does
// (pkg/constants/constants.go and pkg/apis/serving/v1beta1/inference_service_validation.go).
var AutoscalerClasses = map[string]Window{
	"hpa":      {},
	"external": {From: Release{0, 12, 0}},
	"keda":     {From: Release{0, 15, 0}},
	"none":     {From: Release{0, 15, 1}},
}

// ForeignAutoscalersLost are the releases that delete an autoscaler with a component's name although the class is
// external: at once up to 0.15.0, after taking it over from 0.15.1 on
// (https://github.com/kserve/kserve/issues/4312, https://github.com/kserve/kserve/pull/4363).
var ForeignAutoscalersLost = Window{From: Release{0, 13, 0}}

// ForeignAutoscalersProtectable are those of them that leave the object's finalizers alone, so that one keeps it.
var ForeignAutoscalersProtectable = Window{From: Release{0, 13, 0}, Before: Release{0, 15, 1}}

// ReplicasForced are the releases that set the replicas of a Deployment under class external back to minReplicas on
// every reconcile (https://github.com/kserve/kserve/issues/4196).
var ReplicasForced = Window{From: Release{0, 15, 0}, Before: Release{0, 15, 1}}

// MultiNodeClasses are the classes that the webhook accepts for a predictor with a workerSpec, one per window
// (inference_service_validation.go@v0.15.0 and @v0.15.1).
var MultiNodeClasses = map[string]Window{
	"external": ReplicasForced,
	"none":     {From: Release{0, 15, 1}},
}

// LegacyNamesGone are the releases that no longer look for Deployments with the suffix -default
// (components/predictor.go@v0.16.0).
var LegacyNamesGone = Window{From: Release{0, 16, 0}}

// ScalingAnnotationsIgnored are the releases that read scaleTarget and scaleMetric in place of annotations
// (https://github.com/kserve/kserve/pull/4349).
var ScalingAnnotationsIgnored = Window{From: Release{0, 15, 0}}
