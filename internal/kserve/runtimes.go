package kserve

import (
	"maps"
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

	Formats   []Format          // that it supports; none are known of OpenDataHub's
	Protocols []string          // that it supports; all if there are none
	Probes    map[string]string // the handlers of the serving container's probes, by the probe's field
}

// Format is a version of a model format.
type Format struct {
	Name, Version string
	Named         bool // KServe does not select the runtime for it: a service has to name the runtime
}

// MultiNodeRuntime is the built-in runtime for Hugging Face models on several nodes.
const MultiNodeRuntime = "kserve-huggingfaceserver-multinode"

// Runtimes are the runtimes that a cluster may have although the render does not. The names are exact: any other name
// is that of somebody's own runtime, with a port of its own.
//
// KServe's are ClusterServingRuntimes (kustomization.yaml in config/runtimes at v0.11.0 to v0.20.0, without
// kserve-openvino.yaml beside it; the charts have the same). All listen on 8080, and none declares it.
//
// OpenDataHub's are the templates of odh-model-controller (config/runtimes at odh-v2.20 to odh-v3.5-EA2), which declare
// their ports. Their windows are the KServe releases that OpenDataHub has: 3.4 has 0.17, and 3.5 has 0.20.
var Runtimes = []Runtime{
	{
		Name: "kserve-autogluonserver", Shipped: since(0, 20), Port: 8080,
		Formats: versions("autogluon", "1"), Protocols: v1v2,
	},
	{
		Name: "kserve-huggingfaceserver", Shipped: since(0, 12), Port: 8080,
		Formats: versions("huggingface", "1"), Protocols: v1v2,
	},
	{
		Name: MultiNodeRuntime, Shipped: since(0, 15), Port: 8080, Workers: true,
		Formats: versions("huggingface", "1"), Protocols: v1v2, Probes: probes("exec", "exec", "exec"),
	},
	{
		Name: "kserve-lgbserver", Shipped: before(0, 17), Port: 8080,
		Formats: versions("lightgbm", "3"), Protocols: v1v2,
	},
	{
		Name: "kserve-lgbserver", Shipped: since(0, 17), Port: 8080,
		Formats: versions("lightgbm", "4"), Protocols: v1v2,
	},
	{
		Name: "kserve-mlserver", Shipped: before(0, 14), Port: 8080, Protocols: []string{"v2"},
		Formats: slices.Concat(versions("lightgbm", "3"), versions("mlflow", "1"), versions("sklearn", "0", "1"),
			versions("xgboost", "1")),
	},
	{
		Name: "kserve-mlserver", Shipped: since(0, 14), Port: 8080, Protocols: []string{"v2"},
		Formats: slices.Concat(versions("lightgbm", "3", "4"), versions("mlflow", "1", "2"),
			versions("sklearn", "0", "1"), versions("xgboost", "1", "2")),
	},
	{Name: "kserve-paddleserver", Port: 8080, Formats: versions("paddle", "2"), Protocols: v1v2},
	{Name: "kserve-pmmlserver", Port: 8080, Formats: versions("pmml", "3", "4"), Protocols: v1v2},
	{
		Name: "kserve-predictiveserver", Shipped: since(0, 17), Port: 8080, Protocols: v1v2,
		Formats: []Format{{"lightgbm", "4", true}, {"sklearn", "1", true}, {"xgboost", "2", true}},
	},
	{Name: "kserve-sklearnserver", Port: 8080, Formats: versions("sklearn", "1"), Protocols: v1v2},
	{
		Name: "kserve-tensorflow-serving", Port: 8080,
		Formats: versions("tensorflow", "1", "2"), Protocols: []string{"v1", "grpc-v1"},
	},
	{
		Name: "kserve-torchserve", Shipped: before(0, 12), Port: 8080,
		Formats: versions("pytorch", "1"), Protocols: []string{"v1", "v2", "grpc-v1"},
	},
	{
		Name: "kserve-torchserve", Shipped: since(0, 12), Port: 8080,
		Formats: versions("pytorch", "1"), Protocols: []string{"v1", "v2", "grpc-v2"},
	},
	{
		Name: "kserve-tritonserver", Port: 8080, Protocols: []string{"v2", "grpc-v2"},
		Formats: slices.Concat(versions("onnx", "1"), []Format{{"pytorch", "1", true}}, versions("tensorflow", "1", "2"),
			versions("tensorrt", "8"), versions("triton", "2")),
	},
	{
		Name: "kserve-vllmserver", Shipped: since(0, 20), Port: 8080,
		Formats: versions("vLLM", "1"), Probes: probes("httpGet", "", "httpGet"),
	},
	{
		Name: "kserve-xgbserver", Shipped: before(0, 17), Port: 8080,
		Formats: versions("xgboost", "1"), Protocols: v1v2,
	},
	{
		Name: "kserve-xgbserver", Shipped: since(0, 17), Port: 8080,
		Formats: versions("xgboost", "2"), Protocols: v1v2,
	},

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

var v1v2 = []string{"v1", "v2"}

// versions returns the versions of a format for which KServe selects a runtime.
func versions(name string, versions ...string) (formats []Format) {
	for _, version := range versions {
		formats = append(formats, Format{Name: name, Version: version})
	}
	return formats
}

// selectable reports whether KServe selects the runtime for a model on one node. Any version or protocol will do if it is "".
func (r Runtime) selectable(format, version, protocol string) bool {
	fits := func(f Format) bool {
		return !f.Named && f.Name == format && (version == "" || f.Version == version)
	}
	return !r.Workers && slices.ContainsFunc(r.Formats, fits) &&
		(protocol == "" || r.Protocols == nil || slices.Contains(r.Protocols, protocol))
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
	return v.runtimes(func(r Runtime) bool { return r.Name == name })
}

// Selectable returns those of KServe's own runtimes on a candidate from which KServe selects one for a model that names
// none. Any version or protocol will do if it is "". Every reports whether every candidate has one
// (GetSupportingRuntimes in predictor_model.go@v0.11.2 to @v0.20.0).
func (v Versions) Selectable(format, version, protocol string) (rows []Runtime, every bool) {
	return v.runtimes(func(r Runtime) bool { return r.selectable(format, version, protocol) })
}

func (v Versions) runtimes(is func(Runtime) bool) (rows []Runtime, every bool) {
	for _, r := range Runtimes {
		if is(r) && v.Any(r.Shipped) {
			rows = append(rows, r)
		}
	}
	missing := slices.ContainsFunc(v.releases, func(release transform.Release) bool {
		return !slices.ContainsFunc(rows, func(r Runtime) bool { return r.Shipped.Contains(release) })
	})
	return rows, !missing
}

// Formats returns the model formats for which a candidate has a runtime to select, in order.
func (v Versions) Formats() []string {
	found := map[string]bool{}
	for _, r := range Runtimes {
		for _, f := range r.Formats {
			if !f.Named && v.Any(r.Shipped) {
				found[f.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// DefaultProtocol returns the protocol that KServe looks for in a runtime if a model has no protocolVersion, "" if that
// differs between the candidates. The webhook writes v2 into the service, so that a runtime that the service names has to
// have it too, and leaves v1 out (setPredictorModelDefaults in inference_service_defaults.go, and GetProtocol in
// predictor_model.go, @v0.11.2 to @v0.20.0).
func (v Versions) DefaultProtocol(format string) string {
	switch written := since(0, 20); {
	case format == "triton" || format == "vLLM" && v.All(written):
		return "v2"
	case format == "vLLM" && v.Any(written):
		return ""
	}
	return "v1"
}
