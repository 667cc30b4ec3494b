package kserve

import "github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"

// Names of containers that have a role in KServe (pkg/constants/constants.go).
const (
	ServingContainer     = "kserve-container"      // the model server, the transformer or the explainer
	TransformerContainer = "transformer-container" // a transformer collocated with the predictor, since 0.12.0
	AgentContainer       = "agent"                 // injected for logger, batcher and multi-model services
)

// IsServer reports whether KServe takes a container for a server, or for the transformer beside it, because of its name.
func IsServer(container string) bool {
	return container == ServingContainer || container == TransformerContainer
}

const (
	// DefaultPort is the port that KServe expects a serving container to listen on if it declares none: KServe's
	// default probe and the agent's --component-port use it.
	DefaultPort = 8080
	// AgentPort is the agent's own port. A readiness probe on it makes the agent probe itself.
	AgentPort = 9081
)

// TransformerProbed are the releases whose agent copies the readiness probe of a collocated transformer container.
// Older releases copy the probe of the pod's first container, the model server. So does every release if there is no
// transformer container (https://github.com/kserve/kserve/pull/4255,
// pkg/webhook/admission/pod/agent_injector.go@v0.15.2).
var TransformerProbed = transform.Window{From: transform.Release{0, 15, 0}}

// TransformerBypassed are the releases whose agent forwards requests to the model server even if a transformer is
// collocated with it.
var TransformerBypassed = transform.Window{From: transform.Release{0, 12, 0}, Before: TransformerProbed.From}

// ExecSkipped are the releases whose webhook does not copy an exec probe into the agent, which then exits because it
// has no probe. On older releases the agent gets the probe and can't run it
// (https://github.com/kserve/kserve/pull/4012, pkg/webhook/admission/pod/agent_injector.go@v0.14.1 and @v0.15.2).
var ExecSkipped = transform.Window{From: transform.Release{0, 15, 0}}

// GRPCUnsupported are the releases whose agent can't use a gRPC readiness probe. On 0.11 its probe library does not
// support gRPC; since 0.15.0 the webhook copies only httpGet and tcpSocket, and the agent exits without a probe
// (https://github.com/kserve/kserve/pull/4012, cmd/agent/main.go@v0.20.0).
var GRPCUnsupported = []transform.Window{{Before: transform.Release{0, 12, 0}}, {From: transform.Release{0, 15, 0}}}

// StorageUris are the releases that have spec.predictor.storageUris.
var StorageUris = transform.Window{From: transform.Release{0, 16, 0}}

// StorageUrisWithoutVolume is the release that refers to a volume which it does not make for storageUris that are no
// pvc:// (https://github.com/kserve/kserve/issues/4819), and StorageUrisWithoutOCI are those that mount nothing for
// oci:// in it (https://github.com/kserve/kserve/pull/5261).
var (
	StorageUrisWithoutVolume = transform.Window{From: transform.Release{0, 16, 0}, Before: transform.Release{0, 17, 0}}
	StorageUrisWithoutOCI    = transform.Window{From: transform.Release{0, 16, 0}, Before: transform.Release{0, 19, 0}}
)

// Schemes are those of the URIs from which KServe loads a model, with the releases that do
// (SupportedStorageURIPrefixList in pkg/controller/v1beta1/inferenceservice/utils/utils.go, and
// config/storagecontainers/default.yaml, @v0.11.2 to @v0.20.0).
var Schemes = map[string]transform.Window{
	"file": {}, "gs": {}, "hdfs": {}, "hf": since(0, 14), "http": {}, "https": {}, "oci": since(0, 12),
	"oci+native": since(0, 20), "pvc": {}, "s3": {}, "webhdfs": {},
}

// MultiModelVariable is the environment variable that is "true" on a custom predictor that serves many models.
const MultiModelVariable = "MULTI_MODEL_SERVER"

// StorageURIVariable is the environment variable of a custom container that names a model for KServe to load.
const StorageURIVariable = "STORAGE_URI"

// AgentReason is why KServe's webhook injects its agent into a pod.
type AgentReason uint8

// The reasons.
const (
	NoAgent        AgentReason = iota // it does not
	Logger                            // the component has a logger
	Batcher                           // the component has a batcher
	MultiModel                        // the first container sets MultiModelVariable to "true"
	WithoutStorage                    // KServe takes a model without storage for a multi-model server
)

// String returns the reason as messages name it.
func (r AgentReason) String() string {
	return [...]string{"none", "logger", "batcher", MultiModelVariable, "no storageUri"}[r]
}

// AgentFacts decide whether KServe's webhook injects its agent into a component's pods.
type AgentFacts struct {
	Component  string
	Logger     bool // the component has a logger
	Batcher    bool // the component has a batcher
	Containers bool // the component lists containers
	MultiModel bool // its first container sets MultiModelVariable to "true"
	Storage    bool // the model has storageUri or storage, or the predictor storageUris, or a webhook writes one
	Format     string
}

// Agent returns why KServe injects an agent
// (IsMMSPredictor in pkg/controller/v1beta1/inferenceservice/utils/utils.go and components/explainer.go,
// v0.13.0 to v0.20.0).
func (f AgentFacts) Agent() AgentReason {
	switch {
	case f.Logger:
		return Logger
	case f.Batcher && f.Component != Explainer:
		return Batcher
	case f.Component != Predictor:
		return NoAgent
	case f.Containers && f.MultiModel:
		return MultiModel
	case !f.Containers && !f.Storage && f.Format != "huggingface":
		return WithoutStorage
	}
	return NoAgent
}

// Frameworks are the fields of a component that describe its serving container
// (pkg/apis/serving/v1beta1/predictor.go and explainer.go, v0.11.0 to v0.20.0).
var Frameworks = map[string][]string{
	Predictor: {
		"model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface", "pmml", "lightgbm",
		"paddle",
	},
	Explainer: {"art", "alibi"},
}

// FrameworkWindows are the releases that have one of the Frameworks. All have those that are not listed
// (predictor.go@v0.11.2 and @v0.12.1, explainer.go@v0.12.1 and @v0.13.1).
var FrameworkWindows = map[string]transform.Window{"huggingface": since(0, 12), "alibi": before(0, 13)}
