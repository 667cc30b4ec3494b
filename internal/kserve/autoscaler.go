package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// AutoscalerClassAnnotation chooses who scales the Deployments of a Standard service.
const AutoscalerClassAnnotation = "serving.kserve.io/autoscalerClass"

// AutoscalerClasses maps each value of the annotation that KServe's webhook accepts to the releases that accept it
// (pkg/constants/constants.go and pkg/apis/serving/v1beta1/inference_service_validation.go).
var AutoscalerClasses = map[string]transform.Window{
	"hpa":      {},
	"external": {From: transform.Release{0, 12, 0}},
	"keda":     {From: transform.Release{0, 15, 0}},
	"none":     {From: transform.Release{0, 15, 1}},
}

// ForeignAutoscalersLost are the releases that delete an autoscaler with a component's name even if the class is
// external: at once up to 0.15.0, after adopting it from 0.15.1 on
// (https://github.com/kserve/kserve/issues/4312, https://github.com/kserve/kserve/pull/4363).
var ForeignAutoscalersLost = transform.Window{From: transform.Release{0, 13, 0}}

// ForeignAutoscalersProtectable are those of them that leave the object's finalizers alone, so that a finalizer keeps
// the object.
var ForeignAutoscalersProtectable = transform.Window{
	From: transform.Release{0, 13, 0}, Before: transform.Release{0, 15, 1},
}

// GraphAutoscalersKept are the releases that never delete the HPA of an InferenceGraph: with class external they delete
// one only if an InferenceService owns it, keep what is there as theirs, and make no other
// (shouldDeleteHPA in reconcilers/hpa/hpa_reconciler.go@v0.15.1 and @v0.20.0).
var GraphAutoscalersKept = transform.Window{From: transform.Release{0, 15, 1}}

// ReplicasForced are the releases that reset the replicas of a Deployment to minReplicas on every reconcile if the
// class is external (https://github.com/kserve/kserve/issues/4196).
var ReplicasForced = transform.Window{From: transform.Release{0, 15, 0}, Before: transform.Release{0, 15, 1}}

// MultiNodeClasses are the classes that the webhook accepts for a predictor with a workerSpec: one class per window,
// the oldest first (inference_service_validation.go@v0.15.0 and @v0.15.1).
var MultiNodeClasses = []struct {
	Class  string
	Window transform.Window
}{
	{"external", ReplicasForced},
	{"none", transform.Window{From: transform.Release{0, 15, 1}}},
}

// ScalingAnnotationsIgnored are the releases that read scaleTarget and scaleMetric instead of annotations
// (https://github.com/kserve/kserve/pull/4349).
var ScalingAnnotationsIgnored = transform.Window{From: transform.Release{0, 15, 0}}
