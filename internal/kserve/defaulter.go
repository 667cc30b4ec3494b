package kserve

// What KServe's mutating webhook makes of an InferenceService (pkg/apis/serving/v1beta1 at v0.11.0 to v0.20.0).

// ProtocolV2Frameworks are the frameworks for which the webhook sets protocolVersion to v2 only when it turns their
// field into model. For triton it does so in model too (setPredictorModelDefaults in inference_service_defaults.go).
var ProtocolV2Frameworks = []string{"onnx", "huggingface"}

// FirstContainerNamed are the releases whose webhook names the first container of a custom predictor in any case. Since
// 0.15.0 it does so only if that is the only container or has an empty name (predictor_custom.go@v0.14.1 and @v0.15.0).
var FirstContainerNamed = before(0, 15)

// ModelCacheAnnotations and ModelCacheLabels are those by which the webhook marks a service whose model is cached on
// nodes (pkg/constants/constants.go, v0.18.0 to v0.20.0).
var (
	ModelCacheAnnotations = []string{
		"internal.serving.kserve.io/localmodel-pvc-name", "internal.serving.kserve.io/localmodel-sourceuri",
	}
	ModelCacheLabels = []string{
		"internal.serving.kserve.io/localmodel", "internal.serving.kserve.io/localmodel-namespace",
	}
)

// ModelCacheMarked are the releases whose webhook also removes the marks of an InferenceService whose model no cache has
// (setLocalModelLabel in pkg/apis/serving/v1beta1/inference_service_defaults.go@v0.18.0). Earlier ones keep what the
// manifest says where nothing is cached on nodes (@v0.17.1).
var ModelCacheMarked = since(0, 18)
