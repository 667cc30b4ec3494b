package kserve

// Names of containers that KServe knows by name (pkg/constants/constants.go).
const (
	ServingContainer     = "kserve-container"      // the model server, the transformer or the explainer
	TransformerContainer = "transformer-container" // a transformer collocated with the predictor, since 0.12.0
	AgentContainer       = "agent"                 // injected for logger, batcher and multi-model services
)

const (
	// DefaultPort is where a serving container that declares no port is expected to listen: KServe's default probe
	// and the agent's --component-port use it.
	DefaultPort = 8080
	// AgentPort is the agent's own. A readiness probe there asks the agent, which asks itself.
	AgentPort = 9081
)

// TransformerProbed are the releases whose agent copies the readiness probe of a collocated transformer container when
// there is one. Older ones copy that of the pod's first container, the model server, and so does every release
// without a transformer container (https://github.com/kserve/kserve/pull/4255,
// pkg/webhook/admission/pod/agent_injector.go@v0.15.2).
var TransformerProbed = Window{From: Release{0, 15, 0}}

// TransformerBypassed are the releases whose agent forwards requests to the model server although a transformer is
// collocated with it.
var TransformerBypassed = Window{From: Release{0, 12, 0}, Before: TransformerProbed.From}

// ExecSkipped are the releases whose webhook copies no exec probe into the agent, which then exits for want of one. On older
// ones the agent gets the probe and can't run it (https://github.com/kserve/kserve/pull/4012,
// pkg/webhook/admission/pod/agent_injector.go@v0.14.1 and @v0.15.2).
var ExecSkipped = Window{From: Release{0, 15, 0}}

// GRPCUnsupported are the releases whose agent can't use a gRPC readiness probe. On 0.11 its probe library knows none;
// since 0.15.0 the webhook copies httpGet and tcpSocket alone and the agent exits without a probe
// (https://github.com/kserve/kserve/pull/4012, cmd/agent/main.go@v0.20.0).
var GRPCUnsupported = []Window{{Before: Release{0, 12, 0}}, {From: Release{0, 15, 0}}}

// StorageUris are the releases that have spec.predictor.storageUris.
var StorageUris = Window{From: Release{0, 16, 0}}

// Reasons for an agent that nobody asked for by name.
const (
	MultiModelVariable = "MULTI_MODEL_SERVER" // environment variable of a custom predictor that serves many models, when it is "true"
	NoStorage          = "no storageUri"      // a model without storage is taken for one of many
)

// AgentFacts are what decides whether KServe's webhook injects its agent into a component's pods.
type AgentFacts struct {
	Component  string
	Logger     bool // the component has a logger
	Batcher    bool // the component has a batcher
	Containers bool // the component lists containers
	MultiModel bool // its first container sets MultiModelVariable to "true"
	Storage    bool // the model has storageUri or storage, or the predictor storageUris
	Format     string
}

// Agent says why an agent is injected: "logger", "batcher", MultiModelVariable or NoStorage; "" when none is
// (IsMMSPredictor in pkg/controller/v1beta1/inferenceservice/utils/utils.go and components/explainer.go, v0.13.0 to v0.20.0).
func (f AgentFacts) Agent() string {
	switch {
	case f.Logger:
		return "logger"
	case f.Batcher && f.Component != Explainer:
		return "batcher"
	case f.Component != Predictor:
		return ""
	case f.Containers && f.MultiModel:
		return MultiModelVariable
	case !f.Containers && !f.Storage && f.Format != "huggingface":
		return NoStorage
	}
	return ""
}

// MultiNodeRuntime is the built-in runtime whose readiness probe runs health_check.py. It asks the state of a cluster of
// nodes and has no HTTP equivalent (config/runtimes/kserve-huggingfaceserver-multinode.yaml@v0.15.2).
const MultiNodeRuntime = "kserve-huggingfaceserver-multinode"

// HealthCheckScript is what its probe runs.
const HealthCheckScript = "health_check.py"

// RuntimeHandlers are the readiness handlers of the built-in runtimes that have a probe at all (config/runtimes@v0.20.0).
var RuntimeHandlers = map[string]string{
	MultiNodeRuntime:    "exec",
	"kserve-vllmserver": "httpGet",
}

// Frameworks are the fields of a component that stand for its serving container (pkg/apis/serving/v1beta1/predictor.go and
// explainer.go, v0.11.0 to v0.20.0).
var Frameworks = map[string][]string{
	Predictor: {"model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface", "pmml", "lightgbm", "paddle"},
	Explainer: {"art", "alibi"},
}
