package rules

import (
	"slices"
	"strings"

	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/internal/kserve"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform"
	"github.com/argocd-kserve-plugin/argocd-kserve-plugin/transform/yamldoc"
)

// place says where fields belong that people write elsewhere.
//
// The patterns from and to are paths of objects. A step is the name of a field, several with "|" between, or "[]" for
// any item of a list. Where to has several names or "[]", it means the field or item that from has there. Beyond the
// end of from, it means those of the names that the object has: KServe refuses a predictor with two models, so none is
// added.
type place struct {
	kinds    []string
	from, to string
	fields   string           // with blanks between
	window   transform.Window // the releases on which to has the fields
	source   string           // file@tag of github.com/kserve/kserve
}

var (
	serviceKinds = []string{kserve.InferenceService.Kind}
	runtimeKinds = []string{kserve.ServingRuntime.Kind, kserve.ClusterServingRuntime.Kind}
	llmKinds     = []string{kserve.LLMInferenceService.Kind, kserve.LLMInferenceServiceConfig.Kind}
	graphKinds   = []string{kserve.InferenceGraph.Kind}
	allKinds     = slices.Concat(serviceKinds, runtimeKinds, llmKinds, graphKinds)
)

const (
	anyComponent = "predictor|transformer|explainer"
	anyModel     = "model|sklearn|xgboost|tensorflow|pytorch|triton|onnx|pmml|lightgbm|paddle|huggingface"

	// onlyPod are the fields of a pod that no container has.
	onlyPod = "activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy " +
		"enableServiceLinks hostAliases hostIPC hostNetwork hostPID hostUsers hostname imagePullSecrets initContainers " +
		"nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims " +
		"runtimeClassName schedulerName schedulingGates serviceAccount serviceAccountName setHostnameAsFQDN " +
		"shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes"
	everyPod = onlyPod + " restartPolicy securityContext"
	// onlyModel are the fields of a container or of a model that no pod has.
	onlyModel = "args command env envFrom image imagePullPolicy lifecycle livenessProbe ports protocolVersion " +
		"readinessProbe runtimeVersion startupProbe storage storageUri volumeMounts workingDir"
	// ofComponent are the fields of a component that no pod has. Labels and annotations in spec may be the service's.
	ofComponent = "batcher canaryTrafficPercent containerConcurrency logger maxReplicas minReplicas scaleMetric " +
		"scaleTarget timeout"
	// ofPredictor are the servers of a predictor that all releases have.
	ofPredictor   = "lightgbm model onnx paddle pmml pytorch sklearn tensorflow triton xgboost"
	metadata      = "annotations labels"
	ofRuntimePod  = "affinity imagePullSecrets nodeSelector tolerations volumes " + metadata
	ofWorkload    = "parallelism replicas template worker"
	ofParallelism = "data dataLocal dataRPCPort expert pipeline tensor"
)

const (
	podSource       = "pkg/apis/serving/v1beta1/podspec.go@v0.20.0"
	componentSource = "pkg/apis/serving/v1beta1/component.go@v0.20.0"
	predictorSource = "pkg/apis/serving/v1beta1/predictor.go@v0.20.0"
	modelSource     = "pkg/apis/serving/v1beta1/predictor_model.go@v0.20.0"
	serviceSource   = "pkg/apis/serving/v1beta1/inference_service.go@v0.20.0"
	runtimeSource   = "pkg/apis/serving/v1alpha1/servingruntime_types.go@v0.20.0"
	graphSource     = "pkg/apis/serving/v1alpha1/inference_graph.go@v0.20.0"
	llmSource       = "pkg/apis/serving/v1alpha2/llm_inference_service_types.go@v0.20.0"
)

// The releases that brought fields: their types have them, and those of the release before do not.
var (
	anyRelease = transform.Window{}
	from013    = transform.Window{From: transform.Release{0, 13, 0}}
	from014    = transform.Window{From: transform.Release{0, 14, 0}}
	from015    = transform.Window{From: transform.Release{0, 15, 0}}
	from016    = transform.Window{From: transform.Release{0, 16, 0}}
	from017    = transform.Window{From: transform.Release{0, 17, 0}}
	from020    = transform.Window{From: transform.Release{0, 20, 0}}

	hasHuggingFace = kserve.FrameworkWindows["huggingface"]
)

// places are those that people confuse. There is none for worker.replicas of an LLM service: KServe takes the number of
// workers from parallelism (pkg/controller/v1alpha2/llmisvc/workload_multi_node.go@v0.20.0).
var places = []place{
	{allKinds, "", "metadata", "annotations labels name namespace", anyRelease, serviceSource},
	{allKinds, "metadata", "", "spec", anyRelease, serviceSource},

	{serviceKinds, "", "spec", "explainer predictor transformer", anyRelease, serviceSource},
	{serviceKinds, "spec." + anyComponent, "spec", "explainer predictor transformer", anyRelease, serviceSource},
	{serviceKinds, "metadata", "spec", "explainer predictor transformer", anyRelease, serviceSource},
	{serviceKinds, "spec", "spec.predictor", ofPredictor, anyRelease, predictorSource},
	{serviceKinds, "spec", "spec.predictor", "huggingface", hasHuggingFace, predictorSource},
	{serviceKinds, "spec", "spec.predictor", "workerSpec", from014, predictorSource},
	{serviceKinds, "spec", "spec." + anyComponent, onlyPod, anyRelease, podSource},
	{serviceKinds, "spec", "spec." + anyComponent, ofComponent, anyRelease, componentSource},
	{serviceKinds, "spec", "spec." + anyComponent, "deploymentStrategy", from013, componentSource},
	{serviceKinds, "spec", "spec." + anyComponent, "autoScaling scaleMetricType", from015, componentSource},

	{serviceKinds, "spec.predictor." + anyModel, "spec.predictor", onlyPod, anyRelease, podSource},
	{serviceKinds, "spec.predictor." + anyModel, "spec.predictor", ofComponent + " " + metadata, anyRelease,
		componentSource},
	{serviceKinds, "spec.predictor." + anyModel, "spec.predictor", "deploymentStrategy", from013, componentSource},
	{serviceKinds, "spec.predictor." + anyModel, "spec.predictor", "workerSpec", from014, predictorSource},
	{serviceKinds, "spec.predictor." + anyModel, "spec.predictor", "autoScaling scaleMetricType", from015,
		componentSource},
	{serviceKinds, "spec.predictor." + anyModel, "spec.predictor", "storageUris", from016, predictorSource},
	{serviceKinds, "spec." + anyComponent + ".containers.[]", "spec." + anyComponent, onlyPod, anyRelease, podSource},
	{serviceKinds, "spec." + anyComponent + ".containers.[]", "spec." + anyComponent, ofComponent + " " + metadata,
		anyRelease, componentSource},

	{serviceKinds, "spec.predictor", "spec.predictor." + anyModel, onlyModel, anyRelease, predictorSource},
	{serviceKinds, "spec.predictor", "spec.predictor." + anyModel, "modelFormat runtime", anyRelease, modelSource},
	{serviceKinds, "spec.predictor.model", "spec.predictor.model.modelFormat", "version", anyRelease, modelSource},
	{serviceKinds, "spec.predictor." + anyModel, "spec.predictor." + anyModel + ".resources", "limits requests",
		anyRelease, predictorSource},
	{serviceKinds, "spec." + anyComponent, "spec." + anyComponent + ".autoScaling", "metrics", from015, componentSource},
	{serviceKinds, "spec." + anyComponent + ".autoScaling.metrics.[].external.authenticationRef",
		"spec." + anyComponent + ".autoScaling.metrics.[].external.authenticationRef.authenticationRef", "name", from016,
		componentSource},
	{serviceKinds, "spec." + anyComponent + ".spec|podSpec|template", "spec." + anyComponent, everyPod, anyRelease,
		podSource},
	{serviceKinds, "spec.predictor.spec|podSpec|template", "spec.predictor", ofPredictor, anyRelease, predictorSource},
	{serviceKinds, "spec.predictor.spec|podSpec|template", "spec.predictor", "huggingface", hasHuggingFace,
		predictorSource},

	{runtimeKinds, "", "spec", "containers multiModel protocolVersions supportedModelFormats", anyRelease, runtimeSource},
	{runtimeKinds, "spec.containers.[]", "spec", ofRuntimePod, anyRelease, runtimeSource},
	{runtimeKinds, "spec.containers.[]", "spec", "multiModel protocolVersions supportedModelFormats", anyRelease,
		runtimeSource},
	{runtimeKinds, "spec.containers.[]", "spec.containers.[].resources", "limits requests", anyRelease, runtimeSource},
	{graphKinds, "", "spec", "nodes", anyRelease, graphSource},

	{llmKinds, "", "spec", ofWorkload + " baseRefs model prefill router", from016, llmSource},
	{llmKinds, "spec.model|parallelism", "spec", ofWorkload + " baseRefs model prefill router", from016, llmSource},
	{llmKinds, "spec.router", "spec", "baseRefs model parallelism prefill worker", from016, llmSource},
	{llmKinds, "spec.template", "spec", "parallelism replicas worker", from016, llmSource},
	{llmKinds, "spec.prefill.template", "spec.prefill", "parallelism replicas worker", from016, llmSource},
	{llmKinds, "spec.template", "spec", metadata + " scaling", from017, llmSource},
	{llmKinds, "spec.prefill.template", "spec.prefill", metadata + " scaling", from017, llmSource},
	{llmKinds, "spec.template.metadata", "spec", metadata, from017, llmSource},
	{llmKinds, "spec.prefill.template.metadata", "spec.prefill", metadata, from017, llmSource},
	{llmKinds, "spec.router.scheduler.template.metadata", "spec.router.scheduler", metadata, from017,
		llmSource},
	{llmKinds, "spec.workload|decode", "spec", ofWorkload, from016, llmSource},
	{llmKinds, "spec.workload|decode", "spec", metadata + " scaling", from017, llmSource},
	{llmKinds, "spec.workload|decode", "spec", "kvCacheOffloading", from020, llmSource},

	{llmKinds, "spec", "spec.template", everyPod, from016, llmSource},
	{llmKinds, "spec.prefill", "spec.prefill.template", everyPod, from016, llmSource},
	{llmKinds, "spec.router.scheduler", "spec.router.scheduler.template", everyPod, from016, llmSource},
	{llmKinds, "spec.template|worker.spec", "spec.template|worker", everyPod, from016, llmSource},
	{llmKinds, "spec.prefill.template|worker.spec", "spec.prefill.template|worker", everyPod, from016, llmSource},
	{llmKinds, "spec.router.scheduler.template.spec", "spec.router.scheduler.template", everyPod, from016, llmSource},
	{llmKinds, "spec.template|worker.containers.[]", "spec.template|worker", onlyPod, from016, llmSource},
	{llmKinds, "spec.prefill.template|worker.containers.[]", "spec.prefill.template|worker", onlyPod, from016, llmSource},
	{llmKinds, "spec.router.scheduler.template.containers.[]", "spec.router.scheduler.template", onlyPod, from016,
		llmSource},
	{llmKinds, "spec.template|worker.containers.[]", "spec.template|worker.containers.[].resources", "limits requests",
		from016, llmSource},
	{llmKinds, "spec.prefill.template|worker.containers.[]", "spec.prefill.template|worker.containers.[].resources",
		"limits requests", from016, llmSource},

	{llmKinds, "spec", "spec.router", "gateway ingress route scheduler", from016, llmSource},
	{llmKinds, "spec.router", "spec.router.scheduler", "pool template", from016, llmSource},
	{llmKinds, "spec.router", "spec.router.route", "http", from016, llmSource},
	{llmKinds, "spec.router.route", "spec.router.route.http", "refs spec", from016, llmSource},
	{llmKinds, "spec", "spec.model", "lora uri", from016, llmSource},
	{llmKinds, "spec.model", "spec.model.lora", "adapters", from016, llmSource},
	{llmKinds, "spec", "spec.parallelism", ofParallelism, from016, llmSource},
	{llmKinds, "spec.prefill", "spec.prefill.parallelism", ofParallelism, from016, llmSource},
	{llmKinds, "spec.scaling", "spec.scaling.wva", "hpa keda variantCost", from017, llmSource},
	{llmKinds, "spec.prefill.scaling", "spec.prefill.scaling.wva", "hpa keda variantCost", from017, llmSource},
}

// hint says what to write instead of fields that belong nowhere.
type hint struct {
	kinds   []string
	objects string // a pattern as in place
	fields  string // with blanks between
	text    string
}

var hints = []hint{
	{serviceKinds, "spec", "replicas", "write minReplicas and maxReplicas of a component instead"},
	{serviceKinds, "spec." + anyComponent, "replicas", "write minReplicas and maxReplicas instead"},
	{graphKinds, "spec", "replicas", "write minReplicas and maxReplicas instead"},
	{llmKinds, "spec", "minReplicas maxReplicas", "write replicas instead, or scaling from 0.18 on"},
	{llmKinds, "spec", "resources", "move it to container main in spec.template"},
	{llmKinds, "spec.prefill", "resources", "move it to container main in spec.prefill.template"},
}

// hintFor returns what to write instead of a field, empty if the table does not say.
func hintFor(kind string, own yamldoc.Path, name string) string {
	for _, h := range hints {
		if slices.Contains(h.kinds, kind) && matches(h.objects, own) && slices.Contains(strings.Fields(h.fields), name) {
			return h.text
		}
	}
	return ""
}

// objects returns where the row puts a field of an object.
func (p *place) objects(o *transform.Object, own yamldoc.Path, name string) []yamldoc.Path {
	if !slices.Contains(p.kinds, o.Kind) || !matches(p.from, own) ||
		!slices.Contains(strings.Fields(p.fields), name) {
		return nil
	}
	objects := []yamldoc.Path{nil}
	for i, step := range steps(p.to) {
		var next []yamldoc.Path
		for _, object := range objects {
			switch names := strings.Split(step, "|"); {
			case step != "[]" && len(names) == 1:
				next = append(next, object.With(step))
			case i < len(own):
				next = append(next, object.With(own[i]))
			default:
				for _, name := range names {
					if at := object.With(name); o.Get(at...) != nil {
						next = append(next, at)
					}
				}
			}
		}
		objects = next
	}
	return objects
}

// matches reports whether a path fits a pattern.
func matches(pattern string, path yamldoc.Path) bool {
	return slices.EqualFunc(steps(pattern), path, func(step string, at any) bool {
		name, isKey := at.(string)
		return !isKey && step == "[]" || isKey && slices.Contains(strings.Split(step, "|"), name)
	})
}

// steps returns the steps of a pattern.
func steps(pattern string) []string {
	return strings.FieldsFunc(pattern, func(r rune) bool { return r == '.' })
}
