package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// Group is the API group of KServe.
const Group = "serving.kserve.io"

// KFServingGroup is the API group that KServe had as KFServing, until 0.6. No release since reads it.
const KFServingGroup = "serving.kubeflow.org"

// KindVersions maps each kind of KServe, and ModelMesh's Predictor, to the versions that some release from 0.11.0 to
// 0.20.0 serves (config/crd at their tags).
var KindVersions = map[string][]string{
	"ClusterLocalModel":         {"v1alpha1"},
	"ClusterServingRuntime":     {"v1alpha1"},
	"ClusterStorageContainer":   {"v1alpha1"},
	"InferenceGraph":            {"v1alpha1"},
	"InferenceService":          {"v1beta1"},
	"LLMInferenceService":       {"v1alpha1", "v1alpha2"},
	"LLMInferenceServiceConfig": {"v1alpha1", "v1alpha2"},
	"LocalModelCache":           {"v1alpha1"},
	"LocalModelNamespaceCache":  {"v1alpha1"},
	"LocalModelNode":            {"v1alpha1"},
	"LocalModelNodeGroup":       {"v1alpha1"},
	"Predictor":                 {"v1alpha1"},
	"ServingRuntime":            {"v1alpha1"},
	"TrainedModel":              {"v1alpha1"},
}

// The kinds of KServe that rules look at (pkg/apis/serving).
var (
	InferenceService        = transform.GroupKind{Group: Group, Kind: "InferenceService"}
	ServingRuntime          = transform.GroupKind{Group: Group, Kind: "ServingRuntime"}
	ClusterServingRuntime   = transform.GroupKind{Group: Group, Kind: "ClusterServingRuntime"}
	ClusterStorageContainer = transform.GroupKind{Group: Group, Kind: "ClusterStorageContainer"}
	InferenceGraph          = transform.GroupKind{Group: Group, Kind: "InferenceGraph"}
	TrainedModel            = transform.GroupKind{Group: Group, Kind: "TrainedModel"}
	LocalModelCache         = transform.GroupKind{Group: Group, Kind: "LocalModelCache"}

	LLMInferenceService       = transform.GroupKind{Group: Group, Kind: "LLMInferenceService"}
	LLMInferenceServiceConfig = transform.GroupKind{Group: Group, Kind: "LLMInferenceServiceConfig"}
)

// Controllers are the names of the Deployments that take care of the services of a kind (config/manager/manager.yaml at
// v0.11.2 to v0.20.0, and config/llmisvc/manager.yaml at v0.16.0 to v0.20.0).
var Controllers = map[transform.GroupKind]string{
	InferenceService:    "kserve-controller-manager",
	LLMInferenceService: "llmisvc-controller-manager",
}

// The kinds by which users scale a Deployment.
var (
	HorizontalPodAutoscaler = transform.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
	ScaledObject            = transform.GroupKind{Group: "keda.sh", Kind: "ScaledObject"}
	HTTPScaledObject        = transform.GroupKind{Group: "http.keda.sh", Kind: "HTTPScaledObject"}
)
