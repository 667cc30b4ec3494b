package kserve

import (
	"slices"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
)

// Runtime is a serving runtime that KServe or OpenDataHub ships, as far as it matters for the probes of the services
// that use it.
type Runtime struct {
	Name    string
	Shipped transform.Window // the releases of KServe that the row is true on
	Port    int              // on which the serving container gets requests
	Workers bool             // it has a workerSpec, so its probes may check several nodes

	Probes map[string]string // the handlers of the serving container's probes, by the probe's field
}

// MultiNodeRuntime is the built-in runtime for Hugging Face models on several nodes.
const MultiNodeRuntime = "kserve-huggingfaceserver-multinode"

// Runtimes are the runtimes that a cluster may have although the render does not. The names are exact: any other name
// is that of somebody's own runtime, with a port of its own.
//
// KServe's are ClusterServingRuntimes (config/runtimes at v0.11.0 to v0.20.0; the charts have the same names). All
// listen on 8080, and none declares it.
//
// OpenDataHub's are the templates of odh-model-controller (config/runtimes at odh-v2.20 to odh-v3.5-EA2), which declare
// their ports. Their windows are the KServe releases that OpenDataHub has: 3.4 has 0.17, and 3.5 has 0.20.
var Runtimes = []Runtime{
	{Name: "kserve-lgbserver", Port: 8080},
	{Name: "kserve-mlserver", Port: 8080},
	{Name: "kserve-paddleserver", Port: 8080},
	{Name: "kserve-pmmlserver", Port: 8080},
	{Name: "kserve-sklearnserver", Port: 8080},
	{Name: "kserve-tensorflow-serving", Port: 8080},
	{Name: "kserve-torchserve", Port: 8080},
	{Name: "kserve-tritonserver", Port: 8080},
	{Name: "kserve-xgbserver", Port: 8080},
	{Name: "kserve-huggingfaceserver", Shipped: since(0, 12), Port: 8080},
	{
		Name: MultiNodeRuntime, Shipped: since(0, 15), Port: 8080, Workers: true,
		Probes: probes("exec", "exec", "exec"),
	},
	{Name: "kserve-openvino", Shipped: since(0, 17), Port: 8080},
	{Name: "kserve-predictiveserver", Shipped: since(0, 17), Port: 8080},
	{Name: "kserve-autogluonserver", Shipped: since(0, 20), Port: 8080},
	{Name: "kserve-vllmserver", Shipped: since(0, 20), Port: 8080, Probes: probes("httpGet", "", "httpGet")},

	{Name: "kserve-ovms", Port: 8888},
	{Name: "autogluon-runtime", Port: 8080, Probes: probes("httpGet", "httpGet", "httpGet")},
	{Name: "caikit-standalone-runtime", Port: 8080, Probes: probes("exec", "exec", "httpGet")},
	{Name: "guardrails-detector-huggingface-runtime", Port: 8000},
	{Name: "mlserver-cuda-runtime", Port: 8080, Probes: probes("httpGet", "httpGet", "exec")},
	{Name: "mlserver-runtime", Shipped: before(0, 17), Port: 8080},
	{Name: "mlserver-runtime", Shipped: since(0, 17), Port: 8080, Probes: probes("httpGet", "httpGet", "exec")},
	{Name: "tgis-grpc-runtime", Port: 8033},
	{Name: "vllm-runtime", Port: 8080},
	{Name: "vllm-cpu-runtime", Port: 8080},
	{Name: "vllm-cpu-x86-runtime", Port: 8080},
	{Name: "vllm-cuda-runtime", Port: 8080},
	{Name: "vllm-gaudi-runtime", Port: 8080},
	{Name: "vllm-rocm-runtime", Port: 8080},
	{
		Name: "vllm-multinode-runtime", Shipped: before(0, 20), Port: 8080, Workers: true,
		Probes: probes("exec", "exec", "exec"),
	},
	{
		Name: "vllm-multinode-runtime", Shipped: since(0, 20), Port: 8080, Workers: true,
		Probes: probes("httpGet", "exec", "httpGet"),
	},
	{Name: "vllm-spyre-runtime", Port: 8000},
	{Name: "vllm-spyre-ppc64le-runtime", Port: 8000},
	{Name: "vllm-spyre-s390x-runtime", Port: 8000},
	{Name: "vllm-spyre-x86-runtime", Port: 8000},
}

// SelectedFormats are the model formats for which KServe selects one of its own runtimes, with the releases that do
// (supportedModelFormats with autoSelect in config/runtimes at v0.11.0 to v0.20.0).
var SelectedFormats = map[string]transform.Window{
	"autogluon": since(0, 20), "huggingface": since(0, 12), "lightgbm": {}, "mlflow": {}, "onnx": {},
	"openvino": since(0, 17), "paddle": {}, "pmml": {}, "pytorch": {}, "sklearn": {}, "tensorflow": {}, "tensorrt": {},
	"triton": {}, "vLLM": since(0, 20), "xgboost": {},
}

// V2Formats are the SelectedFormats that KServe's runtimes do not serve with the protocol v1, with the releases on which
// none does (protocolVersions in config/runtimes at v0.11.0 to v0.20.0).
var V2Formats = map[string]transform.Window{"mlflow": {}, "onnx": before(0, 17), "tensorrt": {}}

// DefaultProtocol returns the protocol that KServe looks for in a runtime if a model has no protocolVersion, "" if any
// will do (GetProtocol in predictor_model.go, and setPredictorModelDefaults in inference_service_defaults.go, @v0.11.2
// to @v0.20.0). KServe's runtimes for vLLM name none.
func DefaultProtocol(format string) string {
	switch format {
	case "triton":
		return "v2"
	case "vLLM":
		return ""
	}
	return "v1"
}

func since(major, minor int) transform.Window {
	return transform.Window{From: transform.Release{major, minor, 0}}
}

func before(major, minor int) transform.Window {
	return transform.Window{Before: transform.Release{major, minor, 0}}
}

func probes(readiness, liveness, startup string) map[string]string {
	return map[string]string{"readinessProbe": readiness, "livenessProbe": liveness, "startupProbe": startup}
}

// RuntimesWatched are the releases that roll the services of a runtime as soon as it changes, unless a service has the
// annotation DisableAutoUpdate. Older releases roll them at their next reconcile
// (servingRuntimeFunc in controller.go@v0.16.0; controller.go@v0.15.2 has none).
var RuntimesWatched = since(0, 16)

// DisableAutoUpdate is the annotation that is "true" on a service whose pods stay when its runtime changes.
const DisableAutoUpdate = "serving.kserve.io/disable-auto-update"

// Runtimes returns the rows of [Runtimes] with the name that are true on a candidate. Every reports whether one of them
// is on every candidate, so that the name can't be that of somebody's own runtime.
func (v Versions) Runtimes(name string) (rows []Runtime, every bool) {
	for _, r := range Runtimes {
		if r.Name == name && v.Any(r.Shipped) {
			rows = append(rows, r)
		}
	}
	missing := slices.ContainsFunc(v.releases, func(release transform.Release) bool {
		return !slices.ContainsFunc(rows, func(r Runtime) bool { return r.Shipped.Contains(release) })
	})
	return rows, !missing
}
