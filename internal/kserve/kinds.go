package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// The kinds of KServe that rules look at (pkg/apis/serving).
var (
	InferenceService        = transform.GroupKind{Group: "serving.kserve.io", Kind: "InferenceService"}
	ServingRuntime          = transform.GroupKind{Group: "serving.kserve.io", Kind: "ServingRuntime"}
	ClusterServingRuntime   = transform.GroupKind{Group: "serving.kserve.io", Kind: "ClusterServingRuntime"}
	ClusterStorageContainer = transform.GroupKind{Group: "serving.kserve.io", Kind: "ClusterStorageContainer"}
)

// The kinds by which users scale a Deployment.
var (
	HorizontalPodAutoscaler = transform.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
	ScaledObject            = transform.GroupKind{Group: "keda.sh", Kind: "ScaledObject"}
	HTTPScaledObject        = transform.GroupKind{Group: "http.keda.sh", Kind: "HTTPScaledObject"}
)
